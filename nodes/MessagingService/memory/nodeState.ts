import { BoundedMap } from './boundedMap';
import type { LedgerOutcome } from './keyedCall';

const MAX_NODES = 1_000;
const MAX_EXECUTIONS = 20;
/** From this many milliseconds on, a call on all keys of a node is slow. */
const SLOW = 50;
const VERY_SLOW = 250;

/** What the runs of a node in this process share. */
export class NodeState {
	/** Keys under way, with a promise of the outcome of each. */
	readonly underWay = new Map<string, Promise<LedgerOutcome>>();
	private readonly executions = new BoundedMap<string, Map<string, LedgerOutcome>>(MAX_EXECUTIONS);
	/** Milliseconds that a call on all keys takes. */
	private callTime = 0;
	private lastCall = 0;

	/** The outcomes of keys in an execution; only those of the latest executions are kept. */
	foundIn(execution: string | undefined): Map<string, LedgerOutcome> {
		const found = this.executions.get(execution ?? '') ?? new Map<string, LedgerOutcome>();
		// An execution that is not saved has no ID.
		if (execution) this.executions.set(execution, found);
		return found;
	}

	/** Notes how many milliseconds a call on all keys took. */
	noteCall(milliseconds: number): void {
		// A single call may be slow by chance.
		this.callTime = Math.min(milliseconds, this.lastCall);
		this.lastCall = milliseconds;
	}

	get isQuick(): boolean {
		return this.callTime < SLOW;
	}

	/** How many keys to claim at once: the slower the store, the more, so that it takes a small part of the time. */
	get chunkSize(): number {
		if (this.isQuick) return 100;
		return this.callTime < VERY_SLOW ? 500 : 1_000;
	}
}

const nodes = new BoundedMap<string, NodeState>(MAX_NODES);

/** The state of a node. One that was dropped starts empty: the keys are still in the store. */
export function stateOf(node: string): NodeState {
	const state = nodes.get(node) ?? new NodeState();
	nodes.set(node, state);
	return state;
}
