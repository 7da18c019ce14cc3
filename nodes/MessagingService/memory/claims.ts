import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import { Problem } from '../problem';
import type { KeyedCall, LedgerOutcome, Unsent } from './keyedCall';
import { Marks, PAUSE } from './marks';
import type { NodeState } from './nodeState';

/** Keys that were claimed together. */
export interface Claim {
	/** A mark of this claim alone. */
	token: string;
	keys: ClaimedKey[];
	/** By when the look-up can no longer be undone unseen, by the clock. */
	stableAt: number;
}

/** A key of a claim, with what earlier runs made of it. */
interface ClaimedKey {
	call: KeyedCall;
	/** Whether the outcome of an earlier call was unknown. */
	wasUnknown: boolean;
	/** Why its call is not to be made; undefined when it is. */
	unsent?: Unsent;
}

/** A key whose call was made, or is not going to be. */
export interface SettledKey extends ClaimedKey {
	outcome: LedgerOutcome;
}

/** Marks of a claim that were taken away, with its token. */
export interface RemovedMarks {
	token: string;
	marks: readonly string[];
}

/** How often to try what other processes may undo. */
const MAX_ATTEMPTS = 20;
/** How often to look whether marks that were removed stay away. */
const MAX_LOOKS = 6;

/**
 * What n8n's store knows of the keys of a node, for all processes that use it.
 *
 * The known row, of the node, has a mark for each key that was ever claimed, and only grows. The pending row, of the
 * workflow, has the marks "open" and "free" of keys that are under way, unknown or refused.
 *
 * | known | open | free | the key                              | a later run      |
 * | ----- | ---- | ---- | ------------------------------------ | ---------------- |
 * | no    | no   | no   | is new                               | sends it         |
 * | any   | yes  | any  | is under way, or its outcome unknown | says `uncertain` |
 * | any   | no   | yes  | was refused                          | sends it         |
 * | yes   | no   | no   | was accepted                         | says `skipped`   |
 *
 * A claim is made, settled, and looked after. Whatever interrupts it leaves its keys open, so they are not sent again.
 *
 * The store has no locks: a process may write back a row that it read before, and so undo what another one has written
 * meanwhile. So a claim has a token of its own, and what matters is looked at again after a pause. A process that takes
 * longer than the pause to write may still undo a claim unseen.
 */
export class Claims {
	private readonly node: string;
	private readonly state: NodeState;
	private readonly knownRow: Marks;
	private readonly pendingRow: Marks;
	private readonly clock: Clock;
	private readonly logger: IExecuteFunctions['logger'];
	/** Keys that were accepted in this run. */
	private readonly accepted: string[] = [];
	/** Tokens that are not needed any more, to be taken away with the next marks. */
	private readonly strays: string[] = [];

	constructor(context: IExecuteFunctions, state: NodeState, clock: Clock) {
		this.node = context.getNode().id;
		this.state = state;
		this.knownRow = new Marks(context, 'node');
		this.pendingRow = new Marks(context, 'workflow');
		this.clock = clock;
		this.logger = context.logger;
	}

	/**
	 * Claims keys, so that no other process sends them, and tells what was known of them.
	 *
	 * @throws when the store fails. Then none of the calls may be made, and their keys may stay open.
	 */
	async claim(calls: readonly KeyedCall[]): Promise<Claim> {
		const marks = calls.flatMap(({ key }) => this.marksOf(key));
		for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
			const token = `claim:${randomUUID()}`;
			const { before, stableAt } = await this.set(this.pendingRow, [...marks, token]);
			await this.waitUntil(stableAt);
			// Without the token, another process has overwritten the claim.
			const isClaimed = (await this.pendingRow.set([token])).has(token);
			if (isClaimed) {
				const claim = { token, ...(await this.lookUp(calls, before)) };
				await this.release(claim).catch(this.warn);
				return claim;
			}
			this.strays.push(token);
		}
		throw new Problem(
			'Other executions of this workflow keep changing what n8n remembers of it',
			'So this item was not sent. Run it again when fewer executions of the workflow are under way.',
		);
	}

	/** Looks claimed keys up among all that were ever claimed. */
	private async lookUp(
		calls: readonly KeyedCall[],
		pending: ReadonlySet<string>,
	): Promise<Pick<Claim, 'keys' | 'stableAt'>> {
		const isOpen = ({ key }: KeyedCall) => pending.has(this.openMark(key));
		// An open key may be new, and claimed by another process that is about to look it up: to be known here would make
		// it "skipped" there.
		const asked = calls.filter((call) => !isOpen(call)).map(({ key }) => key);
		const { before: known, took, stableAt } = await this.set(this.knownRow, asked);
		if (asked.length > 0) this.state.noteCall(took);
		const unsentOf = (call: KeyedCall): Unsent | undefined => {
			const { key, forget, resend } = call;
			if (forget) return undefined;
			if (isOpen(call)) return resend ? undefined : 'uncertain';
			return known.has(key) && !pending.has(this.freeMark(key)) ? 'skipped' : undefined;
		};
		const keys = calls.map((call) => ({
			call,
			wasUnknown: isOpen(call),
			unsent: unsentOf(call),
		}));
		return { keys, stableAt };
	}

	/** Lets go of the keys that are skipped, so that a crash while others are sent makes none of them uncertain. */
	private async release({ keys }: Claim): Promise<void> {
		// With nothing to send, they are settled at once.
		if (keys.every(({ unsent }) => unsent)) return;
		const skipped = keys.filter(({ unsent }) => unsent === 'skipped');
		await this.pendingRow.unset(skipped.flatMap(({ call }) => this.marksOf(call.key)));
	}

	/**
	 * Tells the store what became of claimed keys. Of what is unknown or uncertain, the marks stay. Never rejects.
	 *
	 * @returns What was removed; undefined when the store failed.
	 */
	async settle(
		{ token, stableAt }: Claim,
		settled: readonly SettledKey[],
	): Promise<RemovedMarks | undefined> {
		const keysOf = (wanted: LedgerOutcome) =>
			settled.filter(({ outcome }) => outcome === wanted).map(({ call }) => call.key);
		const accepted = keysOf('accepted');
		// What was uncertain stays so, unless the user wants to start over.
		const refused = settled
			.filter(
				({ outcome, wasUnknown, call }) => outcome === 'refused' && (!wasUnknown || call.forget),
			)
			.map(({ call }) => call.key);
		try {
			await this.confirm(accepted, stableAt);
			this.accepted.push(...accepted);
			// A Remove Duplicates node may drop the mark "free", so a refused key is also made unknown. In a large row, this
			// takes too long.
			if (this.state.isQuick) await this.knownRow.unset(refused);
		} catch (error) {
			this.warn(error);
			return undefined;
		}
		const marks = [
			...[...accepted, ...keysOf('skipped')].flatMap((key) => this.marksOf(key)),
			...refused.map((key) => this.openMark(key)),
		];
		// When this fails, the token tells whether they are gone all the same.
		await this.pendingRow.unset([...marks, token, ...this.strays.splice(0)]).catch(this.warn);
		return { token, marks };
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

	/** Keeps removed marks away: where the token that went with them is back, so are they. Never rejects. */
	async lookAfter({ token, marks }: RemovedMarks): Promise<void> {
		try {
			for (let look = 0; look < MAX_LOOKS; look++) {
				// Ever later, so that processes that do the same come to an end.
				await this.clock.wait(PAUSE * 2 ** look);
				if (!(await this.pendingRow.set([token])).has(token)) break;
				await this.pendingRow.unset([...marks, token]);
			}
		} catch (error) {
			this.warn(error);
		}
		this.strays.push(token);
	}

	/** Looks at the end of a run whether all of its accepted keys are known. Never rejects. */
	async finish(): Promise<void> {
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
