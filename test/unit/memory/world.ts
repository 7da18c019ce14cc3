import type {
	DeduplicationItemTypes,
	ICheckProcessedOptions,
	IExecuteFunctions,
} from 'n8n-workflow';
import { type KeyState, OnceKeys } from '../../../nodes/MessagingService/memory/onceKeys';
import { ProcessedMarks } from '../../../nodes/MessagingService/memory/processed';
import type { Clock } from '../../../nodes/MessagingService/transport/wait';
import { forEachConcurrently } from '../../../nodes/MessagingService/transport/concurrency';
import { fake } from '../helpers/fake';
import { VirtualClock } from '../helpers/virtualClock';
import { ProcessedStore } from './processedStore';

export type Outcome = 'accepted' | 'failed' | 'uncertain';

/** What happens to one call of the store, counted from 0. */
export interface StoreFault {
	call: number;
	kind: 'dies' | 'fails';
	/** Whether the store had made the change by then. */
	changed: boolean;
}

/** One process: one or more executions of the same node side by side, and how it all goes. */
export interface Plan {
	keys: string[];
	width: number;
	executions: number;
	resend: boolean;
	/** What becomes of the requests, in turn. */
	outcomes: Outcome[];
	/** Milliseconds that each step takes, in turn. */
	latencies: number[];
	/** Moment at which the process dies, if it still runs then. */
	diesAt?: number;
	storeFault?: StoreFault;
}

/** What was seen of a process. */
export interface Report {
	died: boolean;
	/** What each execution was told of the keys. */
	states: Map<string, KeyState>;
	sent: string[];
	/** Keys that came to be uncertain by the end of the process and not by the outcome of a request. */
	leftUncertain: string[];
	/** Whether the process died or its store failed between the two halves of a look-ahead. */
	wasLookingAhead: boolean;
}

/** Waits for nothing. */
const IMPATIENT: Clock = { now: () => 0, wait: async () => {} };

class StoreFailure extends Error {}

/**
 * The store and the service, which outlive all processes, and what may be known of each key: everything
 * that happens is checked against it.
 */
export class World {
	readonly store = new ProcessedStore();
	readonly clock = new VirtualClock();
	/** What the store may say of a key. A key that is missing here was never seen. */
	private readonly possible = new Map<string, Set<KeyState>>();
	/** Keys whose request was sent and did not certainly fail. */
	private readonly mayHaveArrived = new Set<string>();
	private readonly changed = new Map<string, number>();
	private readonly uncertainByOutcome = new Set<string>();
	/** Keys whose outcome is on its way to the store. */
	private readonly settling = new Set<string>();

	/** Runs a process to its end, or to its death. */
	async run(plan: Plan): Promise<Report> {
		const process = new Process(this, plan);
		await this.clock.run(process.run());
		this.settling.clear();
		const found = await this.inspect();
		for (const [key, state] of found) this.check(key, state);
		return {
			died: process.died,
			states: process.states,
			sent: process.sent,
			leftUncertain: [...found]
				.filter(([key, state]) => state === 'uncertain' && !this.uncertainByOutcome.has(key))
				.map(([key]) => key),
			wasLookingAhead: process.wasLookingAhead,
		};
	}

	/** What a process that begins now would be told of each key. It changes nothing. */
	async inspect(): Promise<Map<string, KeyState>> {
		const copy = this.store.copy();
		const keys = new OnceKeys(marksIn(copy, 'inspection'), [], IMPATIENT);
		const states = new Map<string, KeyState>();
		for (const key of this.possible.keys()) states.set(key, await keys.begin(key));
		return states;
	}

	/** How often a key was sent, or its outcome stored. */
	changes(key: string): number {
		return this.changed.get(key) ?? 0;
	}

	/** Somebody was told the state of a key, and goes by it. */
	saw(key: string, state: KeyState): void {
		this.check(key, state);
		if (this.settling.has(key)) return;
		this.possible.set(key, new Set([state === 'fresh' ? 'uncertain' : state]));
	}

	send(key: string, isResent: boolean): void {
		if (this.mayHaveArrived.has(key) && !isResent) throw new Error(`${key} was sent twice`);
		this.mayHaveArrived.add(key);
		this.changed.set(key, this.changes(key) + 1);
		this.settling.delete(key);
		this.possible.set(key, new Set(['uncertain']));
	}

	/** The request has ended; `settled` is called when the store knows. */
	ended(key: string, outcome: Outcome): { settled(): void } {
		const state = ({ accepted: 'accepted', failed: 'fresh', uncertain: 'uncertain' } as const)[
			outcome
		];
		if (outcome === 'failed') this.mayHaveArrived.delete(key);
		if (outcome === 'uncertain') this.uncertainByOutcome.add(key);
		else this.uncertainByOutcome.delete(key);
		this.possible.set(key, new Set([state, 'uncertain']));
		this.settling.add(key);
		const changes = this.changes(key);
		return {
			settled: () => {
				// Another execution can find a key free, and send it, before the one that freed it hears that
				// the store has done so. What that one hears is then out of date.
				if (this.changes(key) !== changes) return;
				this.settling.delete(key);
				this.possible.set(key, new Set([state]));
				this.changed.set(key, this.changes(key) + 1);
			},
		};
	}

	/** A look-up of these keys did not get to its end. */
	doubt(keys: Iterable<string>): void {
		for (const key of keys) this.statesOf(key).add('uncertain');
	}

	private check(key: string, state: KeyState): void {
		const possible = [...this.statesOf(key)];
		if (!possible.includes(state)) throw new Error(`${key} is ${state}, not ${possible.join()}`);
	}

	private statesOf(key: string): Set<KeyState> {
		const states = this.possible.get(key) ?? new Set<KeyState>(['fresh']);
		this.possible.set(key, states);
		return states;
	}
}

let processes = 0;

/** A process that may die: then nothing of it goes on. */
class Process {
	readonly states = new Map<string, KeyState>();
	readonly sent: string[] = [];
	died = false;
	wasLookingAhead = false;

	private readonly world: World;
	private readonly plan: Plan;
	private readonly marks: ProcessedMarks;
	private readonly death: Promise<void>;
	private die: () => void = () => {};
	private storeCalls = 0;
	private steps = 0;
	private requests = 0;
	/** Keys that somebody waits to hear of, as often as somebody does. */
	private readonly beginning: string[] = [];
	/** Keys that this process has marked as open, and of which nobody has heard. */
	private readonly lookedUp = new Set<string>();

	constructor(world: World, plan: Plan) {
		this.world = world;
		this.plan = plan;
		// The turns that a process takes end with it; here the workflow's ID keeps them apart.
		this.marks = marksIn(this.mortalStore(), `process-${processes++}`);
		this.death = new Promise((resolve) => {
			this.die = () => {
				if (this.died) return;
				this.died = true;
				this.leaveDoubt();
				resolve();
			};
		});
	}

	async run(): Promise<void> {
		const { diesAt, executions } = this.plan;
		let isOver = false;
		if (diesAt !== undefined) {
			void this.world.clock.wait(diesAt).then(() => (isOver ? undefined : this.die()));
		}
		const work = Promise.all(Array.from({ length: executions }, async () => await this.execute()));
		await Promise.race([work, this.death]);
		isOver = true;
	}

	private async execute(): Promise<void> {
		const keys = [...new Set(this.plan.keys)];
		const once = new OnceKeys(this.marks, this.plan.keys, this.world.clock);
		await forEachConcurrently(keys.length, this.plan.width, async (index) => {
			await this.handle(once, keys[index]);
			return true;
		});
		await orFailure(once.confirm());
	}

	/** What a caller does with a key. */
	private async handle(once: OnceKeys, key: string): Promise<void> {
		this.beginning.push(key);
		const changes = this.world.changes(key);
		const state = await orFailure(once.begin(key));
		this.beginning.splice(this.beginning.indexOf(key), 1);
		if (state === 'failure') return;
		this.lookedUp.delete(key);
		// Another execution was just sending it.
		const isOther = this.beginning.includes(key) || this.world.changes(key) !== changes;
		if (state === 'uncertain' && isOther) return;
		this.world.saw(key, state);
		this.states.set(key, state);
		const isResent = state === 'uncertain' && this.plan.resend;
		if (state !== 'fresh' && !isResent) return;
		this.world.send(key, isResent);
		this.sent.push(key);
		await this.step();
		const planned = this.plan.outcomes[this.requests++ % this.plan.outcomes.length];
		// What was uncertain before stays so, unless it is accepted now.
		const outcome = isResent && planned === 'failed' ? 'uncertain' : planned;
		const end = this.world.ended(key, outcome);
		if (outcome === 'uncertain') return;
		const noted = outcome === 'accepted' ? once.accept(key) : once.release(key);
		if ((await orFailure(noted)) !== 'failure') end.settled();
	}

	private mortalStore(): Pick<ProcessedStore, 'checkProcessedAndRecord' | 'removeProcessed'> {
		const { store } = this.world;
		return {
			checkProcessedAndRecord: async (items, scope, context, options) =>
				await this.callStore(async () => {
					const result = await store.checkProcessedAndRecord(items, scope, context, options);
					for (const key of openKeys(result.new)) this.lookedUp.add(key);
					return result;
				}),
			removeProcessed: async (items) =>
				await this.callStore(async () => {
					await store.removeProcessed(items);
					for (const key of openKeys(items)) this.lookedUp.delete(key);
				}),
		};
	}

	private async callStore<Result>(change: () => Promise<Result>): Promise<Result> {
		const { storeFault } = this.plan;
		const fault = storeFault?.call === this.storeCalls++ ? storeFault : undefined;
		await this.step();
		if (fault && !fault.changed) await this.strike(fault);
		const result = await change();
		if (fault?.changed) await this.strike(fault);
		await this.step();
		return result;
	}

	private async strike({ kind }: StoreFault): Promise<void> {
		if (kind === 'fails') {
			this.leaveDoubt();
			throw new StoreFailure();
		}
		this.die();
		await this.unlessDead();
	}

	private leaveDoubt(): void {
		this.world.doubt([...this.lookedUp, ...this.beginning]);
		if ([...this.lookedUp].some((key) => !this.beginning.includes(key)))
			this.wasLookingAhead = true;
	}

	private async step(): Promise<void> {
		const { latencies } = this.plan;
		await this.world.clock.wait(latencies[this.steps++ % latencies.length]);
		await this.unlessDead();
	}

	private async unlessDead(): Promise<void> {
		if (this.died) await new Promise<never>(() => {});
	}
}

/** The marks of a node whose store is this one. */
export function marksIn(
	store: Pick<ProcessedStore, 'checkProcessedAndRecord' | 'removeProcessed'>,
	workflowId = 'workflow',
): ProcessedMarks {
	const helpers = {
		checkProcessedAndRecord: async (
			items: DeduplicationItemTypes[],
			scope: string,
			options: ICheckProcessedOptions,
		) => await store.checkProcessedAndRecord(items, scope, {}, options),
		removeProcessed: async (items: DeduplicationItemTypes[]) => await store.removeProcessed(items),
	};
	return new ProcessedMarks(
		fake<IExecuteFunctions>({
			getWorkflow: () => ({ id: workflowId }),
			getNode: () => ({ id: 'node' }),
			helpers,
		}),
	);
}

async function orFailure<Result>(work: Promise<Result>): Promise<Result | 'failure'> {
	try {
		return await work;
	} catch (error) {
		if (error instanceof StoreFailure) return 'failure';
		throw error;
	}
}

/** The keys that marks show to be open. */
const openKeys = (marks: readonly DeduplicationItemTypes[]) =>
	marks.flatMap((mark) => /^open:(.*)$/.exec(String(mark))?.[1] ?? []);
