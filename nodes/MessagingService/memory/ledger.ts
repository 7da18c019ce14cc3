import type { IExecuteFunctions } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import { systemClock } from '../systemClock';
import type { Call, LedgerOutcome, Unsent } from './call';
import { Claims, type SettledKey } from './claims';
import { type NodeState, stateOf } from './nodeState';

/**
 * Sends each key once, over all runs of a node. What other processes may have sent is known by the claims in n8n's store;
 * what this one has under way, by a promise for each key.
 */
export class Ledger {
	private readonly claims: Claims;
	private readonly state: NodeState;
	/** What became of keys in this execution, which may come back to the node. */
	private readonly found: Map<string, LedgerOutcome>;
	/** The ends of claims, which no later chunk has to wait for. */
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
	 * @throws when the store fails. Calls that were not made by then are not made.
	 */
	async sendOnce(calls: readonly Call[]): Promise<LedgerOutcome[]> {
		const { found } = this;
		const { underWay } = this.state;
		const outcomes = new Map<Call, LedgerOutcome>();
		for (let left = calls; left.length > 0; ) {
			const own = new Map<string, Call>();
			const others: Call[] = [];
			for (const call of left) {
				const { key } = call;
				const unsent = asRepeated(found.get(key));
				if (unsent) outcomes.set(call, unsent);
				else if (own.has(key) || underWay.has(key)) others.push(call);
				else own.set(key, call);
			}
			// From here on all keys of this round are under way, so the others can wait for them.
			const sending = this.sendHeld([...own.values()]);
			const ends = others.map(async ({ key }) =>
				found.set(key, (await underWay.get(key)) ?? 'refused'),
			);
			for (const { call, outcome } of await sending) outcomes.set(call, outcome);
			await Promise.all(ends);
			left = others;
		}
		return calls.map((call) => outcomes.get(call) ?? 'uncertain');
	}

	/** Sends calls of different keys. Others in this process wait until the store has what became of them, to stay. */
	private async sendHeld(calls: readonly Call[]): Promise<SettledKey[]> {
		if (calls.length === 0) return [];
		const { underWay } = this.state;
		const sending = this.sendClaimed(calls);
		const ending = sending.then(async ({ settled, removed }) => {
			await this.claims.lookAfter(removed);
			return settled;
		});
		for (const [index, { key }] of calls.entries()) {
			// When it fails, nothing was sent.
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

	private async sendClaimed(
		calls: readonly Call[],
	): Promise<{ settled: SettledKey[]; removed: string[] }> {
		const claim = await this.claims.make(calls);
		const settled = await Promise.all(
			claim.keys.map(async (key) => ({
				...key,
				outcome: key.unsent ?? (await key.call.make()),
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

/** What a second call with a key is told; undefined where it is made. */
function asRepeated(outcome?: LedgerOutcome): Unsent | undefined {
	if (outcome === undefined || outcome === 'refused') return undefined;
	return outcome === 'accepted' || outcome === 'skipped' ? 'skipped' : 'uncertain';
}
