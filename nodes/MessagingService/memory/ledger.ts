import type { IExecuteFunctions } from 'n8n-workflow';
import type { Clock } from '../api/time';
import { systemClock } from '../systemClock';
import type { KeyedCall, LedgerOutcome, Unsent } from './keyedCall';
import { Claims, type RemovedMarks, type SettledKey } from './claims';
import { type NodeState, stateOf } from './nodeState';

/**
 * Sends each key once, over all runs of a node. Claims in n8n's store tell what other processes may have sent; a
 * promise for each key tells what this process has under way.
 */
export class Ledger {
	private readonly claims: Claims;
	private readonly state: NodeState;
	/** The outcomes of keys in this execution, which may run the node more than once. */
	private readonly found: Map<string, LedgerOutcome>;
	/** The ends of claims. Only the end of the run waits for them, not a later chunk. */
	private readonly endings: Array<Promise<void>> = [];

	constructor(context: IExecuteFunctions, clock: Clock = systemClock) {
		this.state = stateOf(`${context.getWorkflow().id}:${context.getNode().id}`);
		this.found = this.state.foundIn(context.getExecutionId());
		this.claims = new Claims(context, this.state, clock);
	}

	/** How many calls to hand over at once. */
	get chunkSize(): number {
		return this.state.chunkSize;
	}

	/**
	 * Makes those calls of a chunk whose keys were not sent before, side by side. A key that this process has under way
	 * already is waited for.
	 *
	 * @returns What became of each call, in their order.
	 * @throws when the store fails. The calls that were not made by then stay unmade.
	 */
	async sendOnce(calls: readonly KeyedCall[]): Promise<LedgerOutcome[]> {
		const outcomes = new Map<KeyedCall, LedgerOutcome>();
		let left = calls;
		// Each round settles one call of every key, or waits until another execution has settled one. So the rounds end.
		while (left.length > 0) {
			const { repeated, own, others } = this.sort(left);
			for (const [call, outcome] of repeated) outcomes.set(call, outcome);
			// This puts all keys of the round under way, so that the others can wait for them.
			const sending = this.hold(own);
			const waiting = Promise.all(others.map(async ({ key }) => await this.waitFor(key)));
			for (const { call, outcome } of await sending) outcomes.set(call, outcome);
			await waiting;
			left = others;
		}
		// By now, each call has an outcome.
		return calls.map((call) => outcomes.get(call) ?? 'uncertain');
	}

	/** Sorts calls into those whose keys are settled, the first of each other key, and those that have to wait. */
	private sort(calls: readonly KeyedCall[]): {
		repeated: Array<[KeyedCall, Unsent]>;
		own: KeyedCall[];
		others: KeyedCall[];
	} {
		const repeated: Array<[KeyedCall, Unsent]> = [];
		const own = new Map<string, KeyedCall>();
		const others: KeyedCall[] = [];
		for (const call of calls) {
			const { key } = call;
			const unsent = outcomeOfRepeat(this.found.get(key));
			if (unsent) repeated.push([call, unsent]);
			else if (own.has(key) || this.state.underWay.has(key)) others.push(call);
			else own.set(key, call);
		}
		return { repeated, own: [...own.values()], others };
	}

	/** Waits until a key is not under way any more, and notes what became of it. */
	private async waitFor(key: string): Promise<void> {
		const outcome = await this.state.underWay.get(key);
		if (outcome) this.found.set(key, outcome);
	}

	/**
	 * Makes calls of different keys. The keys are under way from now on: not only until the calls were made, but until
	 * no other process can undo what the store has noted of them.
	 */
	private async hold(calls: readonly KeyedCall[]): Promise<SettledKey[]> {
		if (calls.length === 0) return [];
		const { underWay } = this.state;
		const sending = this.claimAndSend(calls);
		const ending = sending.then(async ({ settled, removed }) => {
			if (removed) await this.claims.lookAfter(removed);
			return settled;
		});
		for (const [index, { key }] of calls.entries()) {
			// It fails only when the claim fails, and then nothing was sent.
			const outcome = ending
				.then((settled) => settled[index].outcome)
				.catch(() => 'refused' as const);
			underWay.set(key, outcome);
		}
		const letGo = () => {
			for (const { key } of calls) underWay.delete(key);
		};
		this.endings.push(ending.then(letGo, letGo));
		const { settled } = await sending;
		for (const { call, outcome } of settled) this.found.set(call.key, outcome);
		return settled;
	}

	private async claimAndSend(
		calls: readonly KeyedCall[],
	): Promise<{ settled: SettledKey[]; removed?: RemovedMarks }> {
		const claim = await this.claims.claim(calls);
		const settled = await Promise.all(
			claim.keys.map(async (key) => ({
				...key,
				outcome: key.unsent ?? (await key.call.send()),
			})),
		);
		return { settled, removed: await this.claims.settle(claim, settled) };
	}

	/** Ends the run: nothing is under way any more, and all of its accepted keys are known. Never rejects. */
	async finish(): Promise<void> {
		await Promise.all(this.endings);
		await this.claims.finish();
	}
}

/** The answer to a second call with a key; undefined when that call is made. */
function outcomeOfRepeat(outcome?: LedgerOutcome): Unsent | undefined {
	if (outcome === undefined || outcome === 'refused') return undefined;
	return outcome === 'accepted' || outcome === 'skipped' ? 'skipped' : 'uncertain';
}
