import type { IExecuteFunctions } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import { systemClock } from '../systemClock';
import { Batching } from './batching';
import { BoundedMap } from './boundedMap';
import { KeyMarks, type KeyState, type SharedMarks } from './keyMarks';
import { LookAhead, type SlowRow, withLookUp } from './lookAhead';

export type { KeyState } from './keyMarks';

/** Milliseconds until what was accepted is settled in the store, when no look-up comes that it can go with. */
const SETTLE_PAUSE = 100;
/** Calls of the store are put off until there is something to say of such a part of what is under way … */
const LEAST_PART = 1 / 4;
/** … or for so many times as long as the last ones took, and so many milliseconds at most. */
const GATHERING = 2;
const LONGEST_GATHERING = 100;
/** Milliseconds between re-reads at the end of a run, longer than a busy worker takes to write back what it read. */
const CONFIRMATION_PAUSES = [0, 300, 600, 1_200];

/** What the runs of a node in this process share while there are any. */
class Shared implements SharedMarks {
	isMade = false;
	readonly ofRuns = new Set<KeyMarks>();
	/** Keys under way, with what becomes of them. */
	readonly underWay = new Map<string, Promise<KeyState>>();
	/** Keys that were looked up ahead of their turn and are fresh, and by which run. */
	readonly reserved = new Map<string, OnceKeys>();
}

const shared = new Map<string, Shared>();
const slowRows = new BoundedMap<string, SlowRow>(1_000);

/** Forgets what this process knows, as a restart does. */
export function resetOnceKeys(): void {
	shared.clear();
	slowRows.clear();
}

/** When a key is begun that was sent before. */
interface Wishes {
	/** Whatever became of it in earlier runs. */
	forget?: boolean;
	/** When it is uncertain. */
	resend?: boolean;
}

/** What is to be told the store, or asked from it. */
type Job =
	| { key: string; wishes: Wishes; resolve(state: KeyState): void; reject(error: unknown): void }
	| { settled(): void };

/**
 * Remembers which keys were sent, over executions and restarts. What the store has to know of a key is told it with
 * the next look-up, so that there are few calls of the store.
 */
export class OnceKeys {
	private readonly owner: string;
	private readonly marks: KeyMarks;
	private readonly shared: Shared;
	private readonly width: number;
	private readonly ahead: (count: number) => Promise<string[]>;
	private readonly clock: Clock;
	private readonly lookAhead: LookAhead;
	private readonly jobs = new Batching<Job>(
		async (jobs) => await this.handle(jobs),
		async (count) => await this.gather(count),
	);
	/** What became of keys in this run: sent, found to be sent before, or left uncertain. */
	private readonly outcomes = new Map<string, 'sent' | 'old' | 'left'>();
	/** Uncertain from an earlier run, and being sent again. */
	private readonly resent = new Set<string>();
	/** Ends the wait of others in this process for a key: one that is begun, and not settled in the store. */
	private readonly ends = new Map<string, (state: KeyState) => void>();
	private isPlanned = false;
	/** Milliseconds that the last jobs took. */
	private jobsTook = 0;

	/**
	 * @param width how many keys may be begun and not settled in the store
	 * @param ahead gives so many keys of which the turn comes next, as far as there are any
	 */
	constructor(
		context: IExecuteFunctions,
		width: number,
		ahead: (count: number) => Promise<string[]> = async () => [],
		clock: Clock = systemClock,
	) {
		this.owner = `${context.getWorkflow().id}:${context.getNode().id}`;
		this.shared = shared.get(this.owner) ?? new Shared();
		this.marks = new KeyMarks(context, this.shared, clock);
		shared.set(this.owner, this.shared);
		this.width = width;
		this.ahead = ahead;
		this.clock = clock;
		this.lookAhead = new LookAhead(clock);
	}

	/**
	 * Begins a key. When this process has it under way already, that is waited for. A fresh key has to be ended with
	 * `accept`, `release` or `leave`.
	 */
	async begin(key: string, wishes: Wishes = {}): Promise<KeyState> {
		const { underWay, reserved } = this.shared;
		for (;;) {
			await this.makeRoom();
			const other = underWay.get(key);
			if (!other) break;
			const state = await other;
			if (state !== 'fresh') return state;
		}
		const outcome = this.outcomes.get(key);
		if (outcome === 'left') return 'uncertain';
		if (outcome === 'sent' || (outcome === 'old' && !wishes.forget)) return 'accepted';
		this.outcomes.delete(key);
		this.lookAhead.begin();
		this.hold(key);
		if (reserved.delete(key)) {
			this.marks.takeOver(key);
			return 'fresh';
		}
		const state = await new Promise<KeyState>((resolve, reject) => {
			this.jobs.add({ key, wishes, resolve, reject });
			void this.jobs.work();
		});
		if (state !== 'uncertain') return state;
		if (wishes.resend) this.resent.add(key);
		else this.leave(key);
		return wishes.resend ? 'fresh' : 'uncertain';
	}

	/** Says that the request of a begun key was accepted. Waits for the store only where more may not be open. */
	async accept(key: string): Promise<void> {
		this.outcomes.set(key, 'sent');
		this.ends.get(key)?.('accepted');
		const isFull = this.ends.size >= this.width;
		this.marks.accept(key);
		const settled = this.settle(key, 'accepted');
		if (!isFull) return void this.workSoon();
		void this.jobs.work();
		await settled;
	}

	/** Says that the request of a begun key certainly had no effect. It is free again, unless it was in doubt before. */
	async release(key: string): Promise<void> {
		if (this.resent.has(key)) return this.leave(key);
		this.marks.release(key);
		const settled = this.settle(key, 'fresh');
		void this.jobs.work();
		await settled;
	}

	/** Says that nobody knows what became of the request of a begun key. */
	leave(key: string): void {
		this.outcomes.set(key, 'left');
		this.end(key, 'uncertain');
	}

	/**
	 * Sees to it, at the end of a run, that the store knows what this run has sent. It forgets that when another worker
	 * writes back what it read before, or when it failed for a moment.
	 */
	async finish(): Promise<void> {
		try {
			await this.confirm();
		} finally {
			for (const key of [...this.ends.keys()]) this.end(key, 'uncertain');
			this.marks.end();
			if (this.shared.ofRuns.size === 0) shared.delete(this.owner);
		}
	}

	private async confirm(): Promise<void> {
		const unused = [...this.shared.reserved].filter(([, run]) => run === this);
		const freed = unused.map(async ([key]) => {
			this.shared.reserved.delete(key);
			this.hold(key);
			await this.release(key);
		});
		await Promise.all(freed);
		let failure: unknown;
		for (const pause of CONFIRMATION_PAUSES) {
			await this.clock.wait(pause);
			try {
				if (await this.marks.confirm()) return;
			} catch (error) {
				failure = error;
			}
		}
		if (failure !== undefined) throw failure;
	}

	/** Where no more keys may be open, waits until the store knows which of them were accepted. */
	private async makeRoom(): Promise<void> {
		if (this.ends.size < this.width) return;
		const told = this.untilTold();
		void this.jobs.work();
		await told;
	}

	/** Lets others in this process wait for a key. */
	private hold(key: string): void {
		this.shared.underWay.set(key, new Promise((resolve) => this.ends.set(key, resolve)));
	}

	private end(key: string, state: KeyState): void {
		const end = this.ends.get(key);
		// It may be under way in another run by now.
		if (!end) return;
		this.shared.underWay.delete(key);
		this.ends.delete(key);
		end(state);
	}

	/** Ends a key when the store was told. If that fails, the next change or the end of the run makes up for it. */
	private async settle(key: string, state: KeyState): Promise<void> {
		await this.untilTold();
		this.end(key, state);
	}

	/** Waits until the store was told what is settled by now. */
	private async untilTold(): Promise<void> {
		await new Promise<void>((settled) => this.jobs.add({ settled }));
	}

	/** Tells the store with the next look-up, or after a while when there is none. */
	private async workSoon(): Promise<void> {
		if (this.isPlanned) return;
		this.isPlanned = true;
		await this.clock.wait(SETTLE_PAUSE);
		this.isPlanned = false;
		await this.jobs.work();
	}

	private async gather(count: number): Promise<void> {
		if (count >= LEAST_PART * this.ends.size) return;
		await this.clock.wait(Math.min(GATHERING * this.jobsTook, LONGEST_GATHERING));
	}

	private async handle(jobs: Job[]): Promise<void> {
		const began = this.clock.now();
		const begins = jobs.filter((job) => 'key' in job);
		const settles = jobs.filter((job) => 'settled' in job);
		try {
			const states = await this.lookUp(begins);
			for (const { key, resolve } of begins) resolve(states.get(key) ?? 'uncertain');
		} catch (error) {
			for (const { key, reject } of begins) {
				this.end(key, 'uncertain');
				reject(error);
			}
		}
		if (settles.length > 0) await this.marks.clear().catch(() => undefined);
		this.jobsTook = this.clock.now() - began;
		for (const { settled } of settles) settled();
	}

	/** Looks up keys whose turn it is, and others ahead of their turn. */
	private async lookUp(
		begins: ReadonlyArray<{ key: string; wishes: Wishes }>,
	): Promise<Map<string, KeyState>> {
		if (begins.length === 0) return new Map();
		const wanted = begins.map(({ key }) => key);
		const keysWith = (wish: keyof Wishes) =>
			new Set(begins.filter(({ wishes }) => wishes[wish]).map(({ key }) => key));
		const exceptions = { forgotten: keysWith('forget'), resent: keysWith('resend') };
		const extra = await this.holdNext(wanted.length);
		let states = new Map<string, KeyState>();
		try {
			states = await this.marks.lookUp([...wanted, ...extra], exceptions);
		} finally {
			for (const key of extra) {
				const state = states.get(key);
				if (state === 'fresh') this.shared.reserved.set(key, this);
				if (state === 'accepted') this.outcomes.set(key, 'old');
				// Whoever waits for it may wish it sent in any state, so that asks again.
				this.end(key, state === undefined ? 'uncertain' : 'fresh');
			}
		}
		for (const key of wanted) if (states.get(key) === 'accepted') this.end(key, 'accepted');
		const { took } = this.marks;
		slowRows.set(this.owner, withLookUp(slowRows.get(this.owner) ?? [], took));
		const areOld = [...states.values()].every((state) => state === 'accepted');
		this.lookAhead.note(took, states.size, areOld);
		return states;
	}

	/** Holds keys to be looked up ahead of their turn. */
	private async holdNext(wanted: number): Promise<string[]> {
		const count = this.lookAhead.size(wanted, slowRows.get(this.owner) ?? []);
		if (count <= 0) return [];
		const { underWay, reserved } = this.shared;
		const isTaken = (key: string) =>
			underWay.has(key) || reserved.has(key) || this.outcomes.has(key);
		const next = [...new Set(await this.ahead(count))].filter((key) => !isTaken(key));
		for (const key of next) this.hold(key);
		return next;
	}
}
