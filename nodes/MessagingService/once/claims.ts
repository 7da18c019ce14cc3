import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { BoundedMap } from '../api/boundedMap';
import type { Clock } from '../api/time';
import type { ItemOutcome, SendAgain, Unsent } from '../operations/operation';
import { Marks, PAUSE } from './marks';

/** A key that identifies a write in all runs of the node. */
export interface WriteKey {
	key: string;
	/** What to send again although it was sent in an earlier run, or may have been. */
	sendAgain: SendAgain;
}

/** What became of a key. */
export type KeyOutcome = Exclude<ItemOutcome, 'preview'>;

/** What an earlier try has left of a write. */
export type NotedOutcome = Extract<KeyOutcome, 'accepted' | 'unknown'>;

/** The most keys that a process remembers of executions that send again. */
const MAX_SENT_AGAIN = 50_000;

/** What the runs in one process of n8n tell each other about keys. */
export class SharedKeys {
	/** Keys that are under way, with a promise of what becomes of each. */
	readonly underWay = new Map<string, Promise<KeyOutcome>>();
	/** What became of keys that were sent again on purpose, by execution: each is sent again only once in an execution. */
	readonly sentAgain = new BoundedMap<string, KeyOutcome>(MAX_SENT_AGAIN);
	/** The last call on each row of n8n's store, for the next one to wait for: each call rewrites its row. */
	readonly lastCalls = new Map<string, Promise<unknown>>();
}

/** Keys that were claimed together. */
export interface Claim {
	/** What became of the keys in earlier runs; without those that are new or were refused. */
	before: ReadonlyMap<string, Unsent>;
	/** The keys whose writes are not to be made, and why. */
	unsent: ReadonlyMap<string, Unsent>;
	/** Marks that no other claim has. The last one shows whether the claim is in the store. */
	tokens: readonly string[];
	/** The clock time from which on a check shows whether another process has overwritten the look-up. */
	stableAt: number;
}

/** How often marks are set at most while other processes keep removing them. */
const MAX_ROUNDS = 20;
/** The most checks of whether removed marks stay removed. */
const MAX_LOOKS = 6;
/** Milliseconds from which on a call is slow, since its row holds a great many marks. */
const SLOW = 250;
const OVERWRITTEN = 'Other executions keep overwriting it';

/**
 * What n8n's store, which all processes share, knows about the keys of a node.
 *
 * The node's known row has a mark for each key that was ever claimed; only refused keys may leave it again. The
 * workflow's pending row has the marks "open" and "free" of keys that are under way, unknown or refused.
 *
 * | known | open | free | the key                              | a later run      |
 * | ----- | ---- | ---- | ------------------------------------ | ---------------- |
 * | no    | no   | no   | is new                               | sends it         |
 * | any   | yes  | any  | is under way, or its outcome unknown | says `unknown`   |
 * | any   | no   | yes  | was refused                          | sends it         |
 * | yes   | no   | no   | was accepted                         | says `skipped`   |
 *
 * A claim is made, then settled, and then the marks that it removed are kept removed. If anything interrupts it, its keys
 * stay open, so they are not sent again.
 *
 * The store has no locks: a process may store a row that it read before, and so undo what another one has changed
 * meanwhile. So a claim has a token of its own, and important changes are checked again after a pause. A process that
 * takes longer than the pause to store a row may still undo a claim without being noticed.
 */
export class Claims {
	private readonly node: string;
	private readonly knownRow: Marks;
	private readonly pendingRow: Marks;
	private readonly clock: Clock;
	private readonly logger: IExecuteFunctions['logger'];
	/** Keys that were accepted in this run. */
	private readonly accepted: string[] = [];

	constructor(context: IExecuteFunctions, clock: Clock, shared: SharedKeys) {
		this.node = context.getNode().id;
		this.knownRow = new Marks(context, 'node', clock, shared.lastCalls);
		this.pendingRow = new Marks(context, 'workflow', clock, shared.lastCalls);
		this.clock = clock;
		this.logger = context.logger;
	}

	/** How long the latest call on the known row took, in milliseconds. */
	get callTime(): number {
		return this.knownRow.callTime;
	}

	/**
	 * Claims keys, so that no other process sends them, and tells what was known about them.
	 *
	 * @throws when the store fails. Then no write may be made, and some of the keys may stay open.
	 */
	async claim(keys: readonly WriteKey[]): Promise<Claim> {
		const marks = keys.flatMap(({ key }) => this.marksOf(key));
		const tokens: string[] = [];
		for (let round = 0; round < MAX_ROUNDS; round++) {
			const token = `claim:${randomUUID()}`;
			tokens.push(token);
			const { before, stableAt } = await this.pendingRow.set([...marks, token]);
			await this.waitUntil(stableAt);
			// If the token is gone, another process has overwritten the claim.
			const isClaimed = (await this.pendingRow.set([token])).before.has(token);
			if (isClaimed) return { tokens, ...(await this.lookUp(keys, before)) };
			// The pause grows, so that processes that keep overwriting each other fall out of step.
			await this.clock.wait(PAUSE * round);
		}
		throw new Error(OVERWRITTEN);
	}

	/** Looks claimed keys up in the known row, and adds those that are not open. */
	private async lookUp(
		keys: readonly WriteKey[],
		pending: ReadonlySet<string>,
	): Promise<Omit<Claim, 'tokens'>> {
		const isOpen = ({ key }: WriteKey) => pending.has(this.mark('open', key));
		// An open key may be new, and another process may be about to look it up: adding it to the known row here would
		// make it "skipped" there.
		const asked = keys.filter((each) => !isOpen(each)).map(({ key }) => key);
		const { before: known, stableAt } = await this.knownRow.set(asked);
		const before = new Map<string, Unsent>();
		const unsent = new Map<string, Unsent>();
		for (const each of keys) {
			const { key, sendAgain } = each;
			const wasAccepted = known.has(key) && !pending.has(this.mark('free', key));
			const was = isOpen(each) ? 'unknown' : wasAccepted ? 'skipped' : undefined;
			if (!was) continue;
			before.set(key, was);
			const isWanted = sendAgain === 'everybody' || (sendAgain === 'unknown' && was === 'unknown');
			if (!isWanted) unsent.set(key, was);
		}
		const skipped = [...unsent.keys()].filter((key) => unsent.get(key) === 'skipped');
		// This is done now, so that a crash while others are sent does not leave them unknown.
		await this.pendingRow.remove(skipped.flatMap((key) => this.marksOf(key))).catch(this.warn);
		return { before, unsent, stableAt };
	}

	/**
	 * Records the outcomes of claimed keys in the store. The marks of unknown keys stay. Never rejects.
	 *
	 * @returns A function that does it again if another process undoes it, and never rejects either.
	 */
	async settle(
		{ before, tokens, stableAt }: Claim,
		outcomes: ReadonlyMap<string, KeyOutcome>,
	): Promise<() => Promise<void>> {
		const keysOf = (...wanted: KeyOutcome[]) =>
			[...outcomes].flatMap(([key, outcome]) => {
				// A write that was refused leaves its key as it was.
				const became = outcome === 'refused' ? (before.get(key) ?? outcome) : outcome;
				return wanted.includes(became) ? [key] : [];
			});
		const accepted = keysOf('accepted');
		const refused = keysOf('refused');
		const marks = [
			...keysOf('accepted', 'skipped').flatMap((key) => this.marksOf(key)),
			...refused.map((key) => this.mark('open', key)),
		];
		try {
			await this.confirm(accepted, stableAt);
			this.accepted.push(...accepted);
			// A Remove Duplicates node may drop the mark "free", and so may another process where the store is slow, so a
			// refused key also leaves the known row. Where only that row is slow, since it is large, it would take too long.
			const isLarge = this.callTime >= SLOW && this.pendingRow.callTime <= PAUSE;
			if (!isLarge) await this.knownRow.remove(refused);
			await this.pendingRow.remove([...marks, ...tokens]);
		} catch (error) {
			this.warn(error);
			return async () => {};
		}
		return async () => await this.keepRemoved(tokens, marks).catch(this.warn);
	}

	/** Sets accepted keys once more, as another process may have overwritten them since they were looked up. */
	private async confirm(accepted: string[], stableAt: number): Promise<void> {
		if (accepted.length === 0) return;
		let nextLook = stableAt;
		for (let round = 0; round < MAX_ROUNDS; round++) {
			await this.waitUntil(nextLook);
			const look = await this.knownRow.set(accepted);
			if (accepted.every((key) => look.before.has(key))) return;
			nextLook = look.stableAt;
		}
		throw new Error(OVERWRITTEN);
	}

	/** Removes marks again as long as other processes restore them, which the token of the claim shows. */
	private async keepRemoved(tokens: readonly string[], marks: readonly string[]): Promise<void> {
		const token = tokens.slice(-1);
		for (let look = 0; look < MAX_LOOKS; look++) {
			// The pause doubles each time, so that processes that do the same come to an end. Their calls take about as long.
			await this.clock.wait(PAUSE * 2 ** look + 2 * this.pendingRow.callTime);
			const { before } = await this.pendingRow.set(token);
			if (before.size === 0) break;
			// If this fails, the next look tells whether the marks are gone nevertheless.
			await this.pendingRow.remove([...marks, ...tokens]).catch(this.warn);
		}
		await this.pendingRow.remove(token);
	}

	/**
	 * Makes sure, at the end of a run, that its keys are known for what they are. Never rejects.
	 *
	 * @param noted what became, in earlier tries, of keys that were not claimed then
	 */
	async finish(noted: ReadonlyMap<string, NotedOutcome>): Promise<void> {
		const notedAs = (wanted: NotedOutcome) =>
			[...noted].flatMap(([key, outcome]) => (outcome === wanted ? [key] : []));
		const [accepted, unknown] = [notedAs('accepted'), notedAs('unknown')];
		const open = unknown.map((key) => this.mark('open', key));
		await this.pendingRow.set(open).catch(this.warn);
		await this.confirm([...this.accepted, ...accepted], this.clock.now()).catch(this.warn);
		// One that was refused before is accepted now.
		await this.pendingRow.remove(accepted.map((key) => this.mark('free', key))).catch(this.warn);
	}

	private async waitUntil(time: number): Promise<void> {
		await this.clock.wait(Math.max(time - this.clock.now(), 0));
	}

	private readonly warn = (error: unknown) => {
		// Without a note in the store, a key counts as unknown, which is no reason to fail the item.
		this.logger.warn('What became of calls could not be stored', { error });
	};

	private marksOf(key: string): string[] {
		return [this.mark('open', key), this.mark('free', key)];
	}

	private mark(state: 'open' | 'free', key: string): string {
		return `${this.node}:${state}:${key}`;
	}
}
