import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import type { Outcome } from '../api/request';
import { Problem } from '../nodeError';
import { systemClock } from '../systemClock';
import { BoundedMap } from './boundedMap';
import { Marks, PAUSE } from './marks';
import { RecentRemovals, Removals } from './removals';

/** Something that is to be sent once. */
export interface Call {
	/** What it is known by, in all runs of the node. */
	key: string;
	/** Whether it is sent although it was accepted in an earlier run. */
	forget: boolean;
	/** Whether it is sent although nobody knows what became of it in an earlier run. */
	resend: boolean;
	/** Sends it. Never rejects. */
	send(): Promise<Outcome>;
}

/** What the ledger answers for a call. */
export type LedgerOutcome =
	| Outcome
	/** Not sent: it was accepted before. */
	| 'skipped'
	/** Not sent: nobody knows what became of it before. */
	| 'uncertain';

const MOST_ATTEMPTS = 20;

/** How long to wait for writes of other processes after a call that took so long here: theirs take as long. */
function pauseAfter(milliseconds: number): number {
	return PAUSE + 2 * milliseconds;
}

/** Calls that are claimed at once: the slower the store, the more, so that it takes a small part of the time. */
const CHUNK = 100;
const CHUNK_OF_SLOW = 500;
const CHUNK_OF_VERY_SLOW = 1_000;
/** From how many calls on all keys of a node it is told how slow the store is. */
const CALLS_TO_JUDGE = 3;
/** Milliseconds from which on such a call is slow. */
const SLOW = 50;
const VERY_SLOW = 250;

const MOST_EXECUTIONS = 20;

/** What the runs of a node in this process share. */
class NodeState {
	/** What became of keys in the latest executions, each of which may run the node more than once. */
	readonly executions = new BoundedMap<string, Map<string, Outcome>>(MOST_EXECUTIONS);
	/** Keys under way, with what becomes of each. */
	readonly underWay = new Map<string, Promise<Outcome>>();
	readonly removals = new RecentRemovals();
	/** Milliseconds that the last calls on all keys took. */
	private took: number[] = [];

	noteCall(milliseconds: number): void {
		this.took = [...this.took, milliseconds].slice(-CALLS_TO_JUDGE);
	}

	/** Milliseconds that a call on all keys takes: the quickest of the last ones, since others may be slow by chance. */
	get callTime(): number {
		return this.took.length > 0 ? Math.min(...this.took) : 0;
	}
}

/** A node that is dropped from here is read from the store again. */
const nodes = new BoundedMap<string, NodeState>(1_000);

/** What a claim found of a key. */
interface Claimed {
	state: 'fresh' | 'skipped' | 'uncertain';
	/** Whether nobody knew what became of it before. */
	wasOpen: boolean;
}

/**
 * Sends each key once, over all runs of a node.
 *
 * It is kept in two rows of n8n's store. `known`, the node's, has a mark for each key that was ever claimed. `pending`,
 * the workflow's, has two for each key that is under way or of which nobody knows what became: `open` and `free`. `free`
 * alone says that the last call was refused. Whatever is interrupted leaves `open`, so that the key is not sent again.
 *
 * The store has no locks: another process may write back what it read before, and so undo what is written here. So each
 * claim and each removal has a token of its own, and is looked at again. A process that takes longer to write than the
 * pauses here may still undo a claim unseen.
 */
export class Ledger {
	private readonly node: string;
	private readonly state: NodeState;
	private readonly known: Marks;
	private readonly pending: Marks;
	private readonly removals: Removals;
	private readonly clock: Clock;
	private readonly logger: IExecuteFunctions['logger'];
	/** What became of keys in this execution. */
	private readonly found: Map<string, Outcome>;
	/** Keys that were accepted in this run. */
	private readonly accepted: string[] = [];

	constructor(context: IExecuteFunctions, clock = systemClock) {
		this.node = context.getNode().id;
		const owner = `${context.getWorkflow().id}:${this.node}`;
		this.state = nodes.get(owner) ?? new NodeState();
		nodes.set(owner, this.state);
		const execution = context.getExecutionId();
		this.found = this.state.executions.get(execution) ?? new Map<string, Outcome>();
		// One that is not saved has no ID.
		if (execution) this.state.executions.set(execution, this.found);
		this.known = new Marks(context, 'node');
		this.pending = new Marks(context, 'workflow');
		this.removals = new Removals({
			row: this.pending,
			recent: this.state.removals,
			clock,
			isUnderWay: (key) => this.state.underWay.has(key),
		});
		this.clock = clock;
		this.logger = context.logger;
	}

	/** How many calls to hand over at once. */
	get chunkSize(): number {
		const { callTime } = this.state;
		if (callTime < SLOW) return CHUNK;
		return callTime < VERY_SLOW ? CHUNK_OF_SLOW : CHUNK_OF_VERY_SLOW;
	}

	/** Notes what became of a key in an earlier try of this run. */
	note(key: string, outcome: Outcome): void {
		this.found.set(key, outcome);
	}

	/**
	 * Sends those calls of a chunk whose keys were not sent before, side by side. A key that this process has under way
	 * already is waited for.
	 *
	 * @returns What became of each call, in their order.
	 * @throws when the store fails before anything was sent.
	 */
	async send(calls: readonly Call[]): Promise<LedgerOutcome[]> {
		const outcomes = new Map<Call, LedgerOutcome>();
		for (let left = calls; left.length > 0; ) {
			const held: HeldCall[] = [];
			const others: Array<{ call: Call; end: Promise<Outcome> }> = [];
			for (const call of left) {
				const found = this.found.get(call.key);
				const end = this.state.underWay.get(call.key);
				if (end) others.push({ call, end });
				else if (found && found !== 'refused') outcomes.set(call, asFoundBefore(found));
				else held.push(this.hold(call));
			}
			if (held.length > 0) await this.sendHeld(held, outcomes);
			left = [];
			for (const { call, end } of others) {
				const outcome = await end;
				this.found.set(call.key, outcome);
				if (outcome === 'refused') left = [...left, call];
				else outcomes.set(call, asFoundBefore(outcome));
			}
		}
		return calls.map((call) => outcomes.get(call) ?? 'uncertain');
	}

	/** Sees to it, at the end of a run, that no other process has undone what was stored. Never rejects. */
	async finish(): Promise<void> {
		await this.removals
			.finish()
			.then(async () => await this.confirm(this.accepted, this.clock.now()))
			.catch((error: unknown) => this.warn(error));
	}

	/** Lets others in this process wait for a key. */
	private hold(call: Call): HeldCall {
		const { underWay } = this.state;
		let settle: (outcome: Outcome) => void = () => {};
		underWay.set(call.key, new Promise((resolve) => (settle = resolve)));
		return {
			call,
			end: (outcome) => {
				this.found.set(call.key, outcome);
				underWay.delete(call.key);
				settle(outcome);
			},
		};
	}

	private async sendHeld(held: HeldCall[], outcomes: Map<Call, LedgerOutcome>): Promise<void> {
		const calls = held.map(({ call }) => call);
		try {
			const claim = await this.claim(calls);
			await this.release(claim);
			const send = async (call: Call) => {
				const state = claim.keys.get(call.key)?.state ?? 'uncertain';
				outcomes.set(call, state === 'fresh' ? await call.send() : state);
			};
			await Promise.all(calls.map(send));
			await this.settle(claim, outcomes, calls).catch((error: unknown) => this.warn(error));
		} finally {
			// Where the claim failed, nothing was sent.
			for (const { call, end } of held) end(asOutcome(outcomes.get(call) ?? 'refused'));
		}
	}

	/** Claims keys in the store, so that no other process sends them, and tells what was known of them. */
	private async claim(calls: readonly Call[]): Promise<Claim> {
		const keys = calls.map(({ key }) => key);
		const marks = keys.flatMap((key) => this.marksOf(key));
		for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
			const token = `claim:${randomUUID()}`;
			const skippedToken = `skipped:${token}`;
			const began = this.clock.now();
			const before = await this.removals.setAndLook([...marks, token, skippedToken], keys);
			await this.clock.wait(pauseAfter(this.clock.now() - began));
			// Without the token, another process has overwritten the claim.
			const isClaimed = (await this.pending.set([token])).has(token);
			if (isClaimed) return { token, skippedToken, ...(await this.lookUp(calls, before)) };
			this.removals.discard(token);
			this.removals.discard(skippedToken);
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
	): Promise<Pick<Claim, 'keys' | 'stableAt'>> {
		const isOpen = ({ key }: Call) => pending.has(this.openMark(key));
		// An open key may be another process's, which looks here next and must not find it.
		const asked = calls.filter((call) => !isOpen(call)).map(({ key }) => key);
		const began = this.clock.now();
		const known = await this.known.set(asked);
		const took = this.clock.now() - began;
		if (asked.length > 0) this.state.noteCall(took);
		const stateOf = (call: Call): Claimed['state'] => {
			const { key, forget, resend } = call;
			if (forget) return 'fresh';
			if (isOpen(call)) return resend ? 'fresh' : 'uncertain';
			return known.has(key) && !pending.has(this.freeMark(key)) ? 'skipped' : 'fresh';
		};
		const claimed = new Map(
			calls.map((call) => [call.key, { state: stateOf(call), wasOpen: isOpen(call) }]),
		);
		// From now on their marks are those of this claim.
		this.removals.leave(
			[...claimed.keys()].filter((key) => claimed.get(key)?.state !== 'uncertain'),
		);
		return { keys: claimed, stableAt: this.clock.now() + pauseAfter(took) };
	}

	/** Lets go of the keys that are not sent, so that a crash from now on makes none of them uncertain. */
	private async release({ keys, skippedToken }: Claim): Promise<void> {
		const skipped = [...keys].filter(([, { state }]) => state === 'skipped');
		if (skipped.length === 0) return this.removals.discard(skippedToken);
		const marks = new Map(skipped.map(([key]) => [key, this.marksOf(key)]));
		await this.removals.remove(marks, skippedToken).catch((error: unknown) => this.warn(error));
	}

	/** Tells the store what became of the keys that were sent. Of what nobody knows, the marks stay. */
	private async settle(
		{ token, keys, stableAt }: Claim,
		outcomes: ReadonlyMap<Call, LedgerOutcome>,
		calls: readonly Call[],
	): Promise<void> {
		const sent = calls.filter(({ key }) => keys.get(key)?.state === 'fresh');
		const accepted = sent.filter((call) => outcomes.get(call) === 'accepted');
		const refused = sent.filter(
			(call) =>
				outcomes.get(call) === 'refused' &&
				// What was uncertain stays so, unless the user wants to start over.
				(call.forget || !keys.get(call.key)?.wasOpen),
		);
		const acceptedKeys = accepted.map(({ key }) => key);
		await this.confirm(acceptedKeys, stableAt);
		this.accepted.push(...acceptedKeys);
		// Besides being free: a Remove Duplicates node may drop marks of the workflow's row. In a large row it takes long.
		if (this.state.callTime < SLOW) await this.known.unset(refused.map(({ key }) => key));
		const removed = new Map<string, string[]>();
		for (const { key } of accepted) removed.set(key, this.marksOf(key));
		for (const { key } of refused) removed.set(key, [this.openMark(key)]);
		await this.removals.remove(removed, token);
	}

	/** Sets accepted keys once more, as another process may have overwritten them since they were looked up. */
	private async confirm(accepted: readonly string[], stableAt: number): Promise<void> {
		if (accepted.length === 0) return;
		for (let attempt = 0, stable = stableAt; attempt < MOST_ATTEMPTS; attempt++) {
			await this.clock.wait(Math.max(stable - this.clock.now(), 0));
			const began = this.clock.now();
			const before = await this.known.set(accepted);
			if (accepted.every((key) => before.has(key))) return;
			stable = this.clock.now() + pauseAfter(this.clock.now() - began);
		}
		throw new Error('Other processes keep overwriting it');
	}

	private warn(error: unknown): void {
		// Without a note in the store, a key counts as uncertain, which is no reason to fail the item.
		this.logger.warn('What became of calls could not be stored', { error });
	}

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

/** A call whose key this process has under way until its end is told. */
interface HeldCall {
	call: Call;
	end(outcome: Outcome): void;
}

/** Keys that were claimed together. */
interface Claim {
	token: string;
	/** The token that goes with the marks of the keys that are skipped. */
	skippedToken: string;
	keys: Map<string, Claimed>;
	/** By when the writes of others that may undo the look-up are over, by the clock. */
	stableAt: number;
}

/** What a second call with a key is told. */
function asFoundBefore(outcome: Exclude<Outcome, 'refused'>): LedgerOutcome {
	return outcome === 'accepted' ? 'skipped' : 'uncertain';
}

/** What a key counts as for those that wait for it. */
function asOutcome(outcome: LedgerOutcome): Outcome {
	if (outcome === 'skipped') return 'accepted';
	return outcome === 'uncertain' ? 'unknown' : outcome;
}
