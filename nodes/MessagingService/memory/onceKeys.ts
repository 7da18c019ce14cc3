import type { IExecuteFunctions } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import { systemClock } from '../systemClock';
import { BoundedMap } from './boundedMap';
import { ProcessedMarks } from './processed';
import { type Announcement, SealedMarks } from './seals';

/** What is known of a key before its item is sent. */
export type KeyState =
	/** Not sent before; it counts as begun now. */
	| 'fresh'
	/** Accepted before. */
	| 'accepted'
	/** Sent before, and nobody knows what became of it. */
	| 'uncertain';

/** How many keys a node remembers, the latest. */
const MOST_KEYS = 5_000_000;
/** Claims that take more milliseconds than this are made for keys ahead of their turn too. */
const SLOW_CLAIM = 50;
/** So many times as long as a claim takes, its keys are to last. */
const KEYS_PER_CLAIM = 10;
const MOST_AHEAD = 10_000;
/** As long as all keys are old ones, so many at most are looked up ahead of their turn. */
const MOST_OLD_AHEAD = 500;
/** What was sent is looked up again at the end of each run, unless a claim takes more milliseconds than this. */
const QUICK_CONFIRMATION = 250;
/** Milliseconds until what was accepted is settled in the store, when no claim comes that it can go with. */
const SETTLE_PAUSE = 100;
/** Milliseconds between re-reads at the end of a run, longer than a busy worker takes to write back what it read. */
const CONFIRMATION_PAUSES = [0, 300, 600, 1_200];

/** What the runs of a node in this process share while there are any. */
class Shared implements Announcement {
	runs = 0;
	isMade = false;
	/** Keys under way, with what becomes of them. */
	readonly underWay = new Map<string, Promise<KeyState>>();
	/** Keys that were claimed ahead of their turn. */
	readonly reserved = new Map<string, OnceKeys>();
}

const shared = new Map<string, Shared>();
/** How long the last claim of a node took. */
const durations = new BoundedMap<string, number>(1_000);

/** Forgets what this process knows, as a restart does. */
export function resetOnceKeys(): void {
	shared.clear();
	durations.clear();
}

/** When a key is begun that was sent before. */
interface Wishes {
	/** Whatever became of it in earlier runs. */
	forget?: boolean;
	/** When it is uncertain. */
	resend?: boolean;
}

interface Waiting {
	resolve(state: KeyState): void;
	reject(error: unknown): void;
}

const open = (node: string, key: string) => `${node}:open:${key}`;
const free = (node: string, key: string) => `${node}:free:${key}`;

/**
 * Remembers which keys were sent, over executions and restarts.
 *
 * A call of n8n's store costs in proportion to all marks that are kept together, so there are two sets. That of the
 * node, `known`, has one mark for each key that was ever claimed. It only grows, and is asked for so many keys at
 * once that it takes a small part of the time. That of the workflow, `pending`, has marks only of keys that are not
 * known to be accepted, so it stays small and quick. A claim sets both of these before it looks into `known`:
 * - `open`: under way. It goes when the outcome is known; what a process that dies leaves is uncertain.
 * - `free`: not accepted so far. Alone it says that the last call certainly failed.
 *
 * The store can be read only by setting marks. Whatever is interrupted leaves `open`, so that the key is not sent.
 */
export class OnceKeys {
	private readonly node: string;
	private readonly owner: string;
	private readonly known: ProcessedMarks;
	private readonly pending: SealedMarks;
	private readonly shared: Shared;
	private readonly width: number;
	private readonly ahead: (count: number) => Promise<string[]>;
	private readonly clock: Clock;
	private readonly began: number;
	/** Claimed, and not settled in the store; also what nobody knows of. */
	private readonly open = new Set<string>();
	/** Accepted in this run, as the store is going to know. */
	private readonly sent = new Set<string>();
	/** Certainly not accepted in this run. */
	private readonly released = new Set<string>();
	/** What looking ahead found to be accepted. */
	private readonly old = new Set<string>();
	private readonly forgotten = new Set<string>();
	/** To be sent again when they are uncertain; later only those that are. */
	private readonly resent = new Set<string>();
	/** Uncertain at the end of their turn in this run. */
	private readonly left = new Set<string>();
	/** Ends the wait of others in this process for a key: one that is begun, and not settled in the store. */
	private readonly ends = new Map<string, (state: KeyState) => void>();
	private begins = new Map<string, Waiting>();
	private settles: Array<() => void> = [];
	private isBusy = false;
	private isPlanned = false;
	private count = 0;
	private inStore = 0;
	private oldAhead = 0;

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
		this.node = context.getNode().id;
		this.owner = `${context.getWorkflow().id}:${this.node}`;
		this.known = new ProcessedMarks(context);
		this.shared = shared.get(this.owner) ?? new Shared();
		const needed = () => [
			...this.claimed.flatMap((key) => this.pendingMarks(key)),
			...[...this.released].map((key) => free(this.node, key)),
		];
		const pending = new ProcessedMarks(context, 'workflow');
		this.pending = new SealedMarks(pending, this.node, this.shared, needed, clock);
		shared.set(this.owner, this.shared);
		this.shared.runs++;
		this.width = width;
		this.ahead = ahead;
		this.clock = clock;
		this.began = clock.now();
	}

	/**
	 * Begins a key. When this process has it under way already, that is waited for. A fresh key has to be ended with
	 * `accept`, `release` or `leave`.
	 */
	async begin(key: string, { forget, resend }: Wishes = {}): Promise<KeyState> {
		const { underWay, reserved } = this.shared;
		for (let other = underWay.get(key); other; other = underWay.get(key)) {
			const state = await other;
			if (state !== 'fresh') return state;
		}
		if (this.sent.has(key) || (this.old.has(key) && !forget)) return 'accepted';
		if (this.left.has(key)) return 'uncertain';
		this.count++;
		this.hold(key);
		this.released.delete(key);
		if (reserved.delete(key)) {
			this.open.add(key);
			return 'fresh';
		}
		if (forget) this.forgotten.add(key);
		if (resend) this.resent.add(key);
		const state = await new Promise<KeyState>((resolve, reject) => {
			this.begins.set(key, { resolve, reject });
			void this.work();
		});
		if (state !== 'uncertain') this.resent.delete(key);
		else if (!resend) this.leave(key);
		return state === 'uncertain' && resend ? 'fresh' : state;
	}

	/** Says that the request of a begun key was accepted. Waits for the store only where more may not be open. */
	async accept(key: string): Promise<void> {
		this.sent.add(key);
		this.ends.get(key)?.('accepted');
		const isFull = this.ends.size >= this.width;
		const settled = this.settle(key, 'accepted', this.pendingMarks(key));
		if (!isFull) return void this.workSoon();
		void this.work();
		await settled;
	}

	/** Says that the request of a begun key certainly had no effect. It is free again, unless it was in doubt before. */
	async release(key: string): Promise<void> {
		if (this.resent.has(key)) return this.leave(key);
		this.released.add(key);
		const settled = this.settle(key, 'fresh', [open(this.node, key)]);
		void this.work();
		await settled;
	}

	/** Says that nobody knows what became of the request of a begun key. */
	leave(key: string): void {
		this.left.add(key);
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
			this.shared.runs--;
			if (this.shared.runs === 0) shared.delete(this.owner);
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
				if (await this.isStored()) return;
			} catch (error) {
				failure = error;
			}
		}
		if (failure !== undefined) throw failure;
	}

	/** Brings the store up to date. Tells whether it was; where that takes long, only if somebody was there to change it. */
	private async isStored(): Promise<boolean> {
		await this.pending.finish(this.shared.runs === 1);
		const sent = [...this.sent];
		const isTrusted =
			!this.pending.hasCompany && (durations.get(this.owner) ?? 0) > QUICK_CONFIRMATION;
		if (!isTrusted) this.pending.outdate(...sent.flatMap((key) => this.pendingMarks(key)));
		await this.pending.clear();
		if (isTrusted) return true;
		return (await this.known.set(sent, MOST_KEYS)).size === sent.length;
	}

	/** Keys of which this run has set the marks in `pending`. */
	private get claimed(): string[] {
		const reserved = [...this.shared.reserved].filter(([, run]) => run === this);
		return [...this.open, ...reserved.map(([key]) => key)];
	}

	private pendingMarks(key: string): string[] {
		return [open(this.node, key), free(this.node, key)];
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

	private async settle(key: string, state: KeyState, marks: string[]): Promise<void> {
		this.pending.outdate(...marks);
		// When the store fails, the next change or the end of the run makes up for it.
		await new Promise<void>((resolve) => this.settles.push(resolve));
		this.open.delete(key);
		this.end(key, state);
	}

	/** Changes the store with the next claim, or after a while when there is none. */
	private async workSoon(): Promise<void> {
		if (this.isPlanned) return;
		this.isPlanned = true;
		await this.clock.wait(SETTLE_PAUSE);
		this.isPlanned = false;
		await this.work();
	}

	/** Changes the store as long as there is something to do. What comes in meanwhile is handled together. */
	private async work(): Promise<void> {
		if (this.isBusy) return;
		this.isBusy = true;
		while (this.begins.size > 0 || this.settles.length > 0) {
			// Requests that end together are handled together.
			await Promise.resolve();
			const { begins, settles } = this;
			this.begins = new Map();
			this.settles = [];
			try {
				const states = await this.claim([...begins.keys()]);
				for (const [key, { resolve }] of begins) resolve(states.get(key) ?? 'uncertain');
			} catch (error) {
				for (const [key, { reject }] of begins) {
					this.end(key, 'uncertain');
					reject(error);
				}
			}
			if (settles.length > 0) await this.pending.clear().catch(() => undefined);
			for (const resolve of settles) resolve();
		}
		this.isBusy = false;
	}

	/** Looks keys up, and makes those that are fresh this run's. */
	private async claim(wanted: readonly string[]): Promise<Map<string, KeyState>> {
		if (wanted.length === 0) return new Map();
		const extra = await this.nextKeys(wanted);
		let states = new Map<string, KeyState>();
		try {
			states = await this.lookUp([...wanted, ...extra]);
		} finally {
			for (const key of extra) {
				const state = states.get(key) ?? 'uncertain';
				if (state === 'fresh') this.shared.reserved.set(key, this);
				if (state === 'accepted') this.old.add(key);
				this.end(key, state);
			}
		}
		for (const key of wanted) {
			if (states.get(key) === 'accepted') this.end(key, 'accepted');
			else this.open.add(key);
		}
		const areOld = [...states.values()].every((state) => state === 'accepted');
		this.oldAhead = areOld ? Math.min(MOST_OLD_AHEAD, 2 * states.size) : 0;
		return states;
	}

	private async lookUp(keys: readonly string[]): Promise<Map<string, KeyState>> {
		const pending = await this.pending.set(keys.flatMap((key) => this.pendingMarks(key)));
		const isOpen = (key: string) => pending.has(open(this.node, key));
		if (keys.some(isOpen)) this.pending.beCareful();
		// Who has a key under way asks for it too, and must not find it there.
		const asked = keys.filter(
			(key) => !isOpen(key) || this.forgotten.has(key) || this.resent.has(key),
		);
		// What this run has sent may have been overwritten.
		const sent = this.pending.hasCompany ? this.sent : [];
		const began = this.clock.now();
		const known = await this.known.set([...asked, ...sent], MOST_KEYS);
		const took = this.clock.now() - began;
		this.inStore += took;
		durations.set(this.owner, took);
		const stateOf = (key: string): KeyState => {
			if (this.forgotten.has(key)) return 'fresh';
			if (isOpen(key)) return 'uncertain';
			return pending.has(free(this.node, key)) || !known.has(key) ? 'fresh' : 'accepted';
		};
		const states = new Map(keys.map((key) => [key, stateOf(key)]));
		const accepted = keys.filter((key) => states.get(key) === 'accepted');
		if (accepted.length > 0) {
			this.pending.outdate(...accepted.flatMap((key) => this.pendingMarks(key)));
			await this.pending.clear();
		}
		return states;
	}

	/** Holds keys to be looked up ahead of their turn: where the store is slow, or all keys are old ones. */
	private async nextKeys(wanted: readonly string[]): Promise<string[]> {
		const took = durations.get(this.owner) ?? 0;
		const perKey = (this.clock.now() - this.began - this.inStore) / this.count;
		const wish = took > SLOW_CLAIM ? (KEYS_PER_CLAIM * took) / Math.max(perKey, 1) : 0;
		const count = Math.min(MOST_AHEAD, Math.max(this.oldAhead, Math.ceil(wish) - wanted.length));
		if (count <= 0) return [];
		const { underWay, reserved } = this.shared;
		const isTaken = (key: string) =>
			underWay.has(key) || reserved.has(key) || this.sent.has(key) || this.old.has(key);
		const next = [...new Set(await this.ahead(count))].filter((key) => !isTaken(key));
		for (const key of next) this.hold(key);
		return next;
	}
}
