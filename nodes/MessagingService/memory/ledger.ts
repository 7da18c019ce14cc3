import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import { Problem } from '../nodeError';
import { systemClock } from '../systemClock';
import type { Call, LedgerOutcome, Unsent } from './call';
import { Marks, PAUSE } from './marks';
import { type NodeState, stateOf } from './nodeState';

/** Keys that were claimed together. */
interface Claim {
	/** A mark of this claim alone. */
	token: string;
	entries: Array<Entry<Unsent | undefined>>;
	/** By when the look-up can no longer be undone unseen, by the clock. */
	stableAt: number;
}

/** A key of a claim. */
interface Entry<Told> {
	call: Call;
	/** Whether the outcome of an earlier call was unknown. */
	wasOpen: boolean;
	/** What the caller is told of it; undefined for as long as its call is to be made. */
	outcome: Told;
}

/** A key whose call was made, or is not going to be. */
type Settled = Entry<LedgerOutcome>;

/** How often to try what other processes may undo. */
const MAX_ATTEMPTS = 20;
/** How often to look whether marks that were removed stay away. */
const MAX_LOOKS = 6;

/**
 * Sends each key once, over all runs of a node.
 *
 * Its memory is two rows of n8n's store. The known row, of the node, has a mark for each key that was ever claimed, and
 * only grows. The pending row, of the workflow, has the marks "open" and "free" of keys; it stays small.
 *
 * | known | open | free | the key                              | a later run      |
 * | ----- | ---- | ---- | ------------------------------------ | ---------------- |
 * | no    | no   | no   | is new                               | sends it         |
 * | any   | yes  | any  | is under way, or its outcome unknown | says `uncertain` |
 * | any   | no   | yes  | was refused                          | sends it         |
 * | yes   | no   | no   | was accepted                         | says `skipped`   |
 *
 * `sendClaimed` is the life of a claim. Whatever interrupts it leaves its keys open, so they are not sent again.
 *
 * The store has no locks: a process may write back a row that it read before, and so undo what another one has written
 * meanwhile. So a claim has a token of its own, and what matters is looked at again after a pause. A process that takes
 * longer than the pause to write may still undo a claim unseen.
 */
export class Ledger {
	private readonly node: string;
	private readonly state: NodeState;
	private readonly knownRow: Marks;
	private readonly pendingRow: Marks;
	private readonly clock: Clock;
	private readonly logger: IExecuteFunctions['logger'];
	/** What became of keys in this execution, which may come back to the node. */
	private readonly found: Map<string, LedgerOutcome>;
	/** Keys that were accepted in this run. */
	private readonly accepted: string[] = [];
	/** The looks after what was removed, for which no later chunk has to wait. */
	private readonly endings: Array<Promise<void>> = [];
	/** Tokens that are not needed any more, to be taken away with the next marks. */
	private readonly strays: string[] = [];

	constructor(context: IExecuteFunctions, clock: Clock = systemClock) {
		this.node = context.getNode().id;
		this.state = stateOf(`${context.getWorkflow().id}:${this.node}`);
		this.found = this.state.foundIn(context.getExecutionId());
		this.knownRow = new Marks(context, 'node');
		this.pendingRow = new Marks(context, 'workflow');
		this.clock = clock;
		this.logger = context.logger;
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
	 * @throws when the store fails before anything was sent.
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
	private async sendHeld(calls: readonly Call[]): Promise<Settled[]> {
		if (calls.length === 0) return [];
		const { underWay } = this.state;
		const sending = this.sendClaimed(calls);
		const ending = sending.then(async ({ settled, removed }) => {
			await this.lookAfter(removed);
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
	): Promise<{ settled: Settled[]; removed: string[] }> {
		const claim = await this.claim(calls);
		await this.release(claim).catch(this.warn);
		const settled = await Promise.all(
			claim.entries.map(async (entry) => ({
				...entry,
				outcome: entry.outcome ?? (await entry.call.make()),
			})),
		);
		const removed = await this.settle(claim, settled).catch(this.warn);
		return { settled, removed: removed ?? [] };
	}

	/** Claims keys in the store, so that no other process sends them, and tells what was known of them. */
	private async claim(calls: readonly Call[]): Promise<Claim> {
		const marks = calls.flatMap(({ key }) => this.marksOf(key));
		for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
			const token = `claim:${randomUUID()}`;
			const { before, stableAt } = await this.set(this.pendingRow, [...marks, token]);
			await this.waitUntil(stableAt);
			// Without the token, another process has overwritten the claim.
			const isClaimed = (await this.pendingRow.set([token])).has(token);
			if (isClaimed) return { token, ...(await this.lookUp(calls, before)) };
			this.strays.push(token);
		}
		throw new Problem(
			'Other executions of this workflow keep changing what n8n remembers of it',
			'So this item was not sent. Run it again when fewer executions of the workflow are under way.',
		);
	}

	/** Looks claimed keys up among all that were ever claimed. */
	private async lookUp(
		calls: readonly Call[],
		pending: ReadonlySet<string>,
	): Promise<Pick<Claim, 'entries' | 'stableAt'>> {
		const isOpen = ({ key }: Call) => pending.has(this.openMark(key));
		// An open key may be another process's, which looks here next and must not find it.
		const asked = calls.filter((call) => !isOpen(call)).map(({ key }) => key);
		const { before: known, took, stableAt } = await this.set(this.knownRow, asked);
		if (asked.length > 0) this.state.noteCall(took);
		const unsentOf = (call: Call): Unsent | undefined => {
			const { key, forget, resend } = call;
			if (forget) return undefined;
			if (isOpen(call)) return resend ? undefined : 'uncertain';
			return known.has(key) && !pending.has(this.freeMark(key)) ? 'skipped' : undefined;
		};
		const toEntry = (call: Call) => ({ call, wasOpen: isOpen(call), outcome: unsentOf(call) });
		return { entries: calls.map(toEntry), stableAt };
	}

	/** Lets go of the keys that are skipped, so that a crash while others are sent makes none of them uncertain. */
	private async release({ entries }: Claim): Promise<void> {
		if (entries.every(({ outcome }) => outcome)) return;
		const skipped = entries.filter(({ outcome }) => outcome === 'skipped');
		await this.pendingRow.unset(skipped.flatMap(({ call }) => this.marksOf(call.key)));
	}

	/**
	 * Tells the store what became of claimed keys. Of what is unknown or uncertain, the marks stay.
	 *
	 * @returns The marks that were removed, first the token of the claim.
	 */
	private async settle({ token, stableAt }: Claim, settled: readonly Settled[]): Promise<string[]> {
		const keysOf = (wanted: LedgerOutcome) =>
			settled.filter(({ outcome }) => outcome === wanted).map(({ call }) => call.key);
		const accepted = keysOf('accepted');
		// What was uncertain stays so, unless the user wants to start over.
		const refused = settled
			.filter(({ outcome, wasOpen, call }) => outcome === 'refused' && (!wasOpen || call.forget))
			.map(({ call }) => call.key);
		await this.confirm(accepted, stableAt);
		this.accepted.push(...accepted);
		// Besides being free: a Remove Duplicates node may drop marks of the workflow's row. In a large row it takes long.
		if (this.state.isQuick) await this.knownRow.unset(refused);
		const removed = [
			token,
			...[...accepted, ...keysOf('skipped')].flatMap((key) => this.marksOf(key)),
			...refused.map((key) => this.openMark(key)),
		];
		// When this fails, the token tells whether they are gone all the same.
		await this.pendingRow.unset([...removed, ...this.strays.splice(0)]).catch(this.warn);
		return removed;
	}

	/** Sets accepted keys once more, as another process may have overwritten them since they were looked up. */
	private async confirm(accepted: readonly string[], stableAt: number): Promise<void> {
		let nextLook = stableAt;
		for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
			if (accepted.length === 0) return;
			await this.waitUntil(nextLook);
			const look = await this.set(this.knownRow, accepted);
			if (accepted.every((key) => look.before.has(key))) return;
			nextLook = look.stableAt;
		}
		throw new Error('Other processes keep overwriting it');
	}

	/** Sees to it that marks stay removed: where the token that went with them is back, so are they. Never rejects. */
	private async lookAfter(removed: readonly string[]): Promise<void> {
		const [token] = removed;
		if (token === undefined) return;
		try {
			for (let look = 0; look < MAX_LOOKS; look++) {
				// Ever later, so that processes that do the same come to an end.
				await this.clock.wait(PAUSE * 2 ** look);
				if (!(await this.pendingRow.set([token])).has(token)) break;
				await this.pendingRow.unset(removed);
			}
		} catch (error) {
			this.warn(error);
		}
		this.strays.push(token);
	}

	/** Ends the run: nothing is under way any more, and all of its accepted keys are known. Never rejects. */
	async finish(): Promise<void> {
		await Promise.all(this.endings);
		try {
			await this.confirm(this.accepted, this.clock.now());
			await this.pendingRow.unset(this.strays);
		} catch (error) {
			this.warn(error);
		}
	}

	/** Sets marks. What other processes write later than `stableAt` does not undo it, as a rule. */
	private async set(
		row: Marks,
		marks: readonly string[],
	): Promise<{ before: Set<string>; took: number; stableAt: number }> {
		const began = this.clock.now();
		const before = await row.set(marks);
		const now = this.clock.now();
		const took = now - began;
		// Writes of others take about as long as this one.
		return { before, took, stableAt: now + PAUSE + 2 * took };
	}

	private async waitUntil(time: number): Promise<void> {
		await this.clock.wait(Math.max(time - this.clock.now(), 0));
	}

	private readonly warn = (error: unknown) => {
		// Without a note in the store, a key counts as uncertain, which is no reason to fail the item.
		this.logger.warn('What became of calls could not be stored', { error });
	};

	private marksOf(key: string): string[] {
		return [this.openMark(key), this.freeMark(key)];
	}

	private openMark(key: string): string {
		return `${this.node}:open:${key}`;
	}

	private freeMark(key: string): string {
		return `${this.node}:free:${key}`;
	}
}

/** What a second call with a key is told; undefined where it is made. */
function asRepeated(outcome?: LedgerOutcome): Unsent | undefined {
	if (outcome === undefined || outcome === 'refused') return undefined;
	return outcome === 'accepted' || outcome === 'skipped' ? 'skipped' : 'uncertain';
}
