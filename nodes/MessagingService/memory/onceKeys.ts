import type { Clock } from '../api/clock';
import { systemClock } from '../systemClock';
import type { ProcessedMarks } from './processed';
import { Seals } from './seals';

/** What is known of a key before its item is sent. */
export type KeyState =
	/** Not sent before; it counts as begun now. */
	| 'fresh'
	/** Accepted by an earlier run. */
	| 'accepted'
	/** An earlier run sent it, but never learned what became of it. */
	| 'uncertain';

const LONGEST_LOOK_AHEAD = 500;
/** Keys confirmed by one call of the store. */
const CONFIRMED_AT_ONCE = 500;
/** Milliseconds between re-reads, longer than a busy worker takes to write back what it read. */
const CONFIRMATION_PAUSES = [300, 600, 1_200];
/** Rounds in which claims are verified after another run was noticed. */
const CAREFUL_ROUNDS = 8;
/** Maximum claim attempts; after that, send unverified so that competing runs cannot block each other. */
const MOST_CLAIMS = 10;

const taken = (key: string) => `taken:${key}`;
const open = (key: string) => `open:${key}`;

/** Keys that were claimed together, and the seal that was set with them. */
interface Claim {
	keys: string[];
	seal: string;
}

interface LookUp {
	states: Map<string, KeyState>;
	/** Fresh keys that are going to be sent. */
	claimed: string[];
	/** Fresh keys that were only looked at. */
	surplus: string[];
	/** Whether another run is processing the same keys. */
	hasConcurrentRun: boolean;
}

interface Waiting<Value> {
	resolve(value: Value): void;
	reject(error: unknown): void;
}

/**
 * Remembers which keys were sent, over executions and restarts.
 *
 * Each key has two marks: `taken` from the moment it is begun, and `open` until its outcome is known. So
 * `taken` alone means accepted, both mean that nobody knows. Both are set before the request is sent, and
 * `open` goes when it was accepted. A process that dies leaves `open` on what was under way, no more: a
 * caller does not begin another key before the last one is settled in the store. The store can be read
 * only by setting marks, and the marks that a look leaves behind if the process dies right then err on the
 * safe side: the key counts as uncertain, and is not sent.
 *
 * What comes in while the store is busy is handled together, by one change of the store.
 *
 * Runs on two workers may find the same key fresh, when both change the store at the same moment. Therefore
 * keys are set together with a seal. Before the first keys are sent, and for some rounds after anything showed
 * another run, the seal has to last for a moment. Otherwise the next round looks whether it did, and sets
 * again what was overwritten.
 */
export class OnceKeys {
	private readonly marks: ProcessedMarks;
	private readonly clock: Clock;
	private readonly seals: Seals;
	private readonly ahead: string[];
	private lookAhead = 0;
	/** What looking ahead found to be accepted. */
	private readonly accepted = new Set<string>();
	private readonly begun = new Set<string>();
	/** Claimed by this run, and not settled so far. */
	private readonly underWay = new Set<string>();
	/** What was accepted in this run. */
	private readonly sent = new Set<string>();
	private begins = new Map<string, Waiting<KeyState>>();
	private settles: Array<{ marks: string[]; waiting: Waiting<void> }> = [];
	private busy = false;
	/** In so many rounds to come, keys are sent only when their seal has lasted. */
	private carefulRounds = 1;
	private lastClaim?: Claim;

	/** @param keys the keys of all items, in their order, of which some may be looked up ahead */
	constructor(marks: ProcessedMarks, keys: readonly string[], clock: Clock = systemClock) {
		this.marks = marks;
		this.clock = clock;
		this.seals = new Seals(marks, clock);
		this.ahead = [...new Set(keys)];
	}

	/** Begins a key, unless it was begun before. */
	async begin(key: string): Promise<KeyState> {
		if (this.accepted.has(key)) return 'accepted';
		this.begun.add(key);
		return await new Promise<KeyState>((resolve, reject) => {
			this.begins.set(key, { resolve, reject });
			void this.work();
		});
	}

	/** Says that the request of a begun key was accepted. */
	async accept(key: string): Promise<void> {
		this.underWay.delete(key);
		this.sent.add(key);
		await this.settle([open(key)]);
	}

	/** Says that the request of a begun key certainly had no effect, so that it is free again. */
	async release(key: string): Promise<void> {
		this.underWay.delete(key);
		await this.settle([open(key), taken(key)]);
	}

	/**
	 * Sees to it, at the end of a run, that the store knows what this run has sent. It forgets that when a
	 * run on another worker writes back what it read before, or when it failed for a moment.
	 */
	async confirm(): Promise<void> {
		this.discardLastSeal();
		const sent = [...this.sent];
		for (let start = 0; start < sent.length; start += CONFIRMED_AT_ONCE) {
			const keys = sent.slice(start, start + CONFIRMED_AT_ONCE);
			const pauses = CONFIRMATION_PAUSES.values();
			while (!(await this.areStored(keys))) {
				const { value: pause } = pauses.next();
				if (pause === undefined) break;
				await this.clock.wait(pause);
			}
		}
		// Where nothing was accepted, no change took these away.
		const seals = this.seals.takeDiscarded();
		await this.marks.exclusively(async () => await this.marks.unset(seals));
	}

	/** Whether the store knew these keys as accepted; now it does. */
	private async areStored(keys: string[]): Promise<boolean> {
		const stored = await this.marks.exclusively(async () => {
			await this.marks.unset([...keys.map(open), ...this.seals.takeDiscarded()]);
			return await this.marks.set(keys.map(taken));
		});
		return stored.size === keys.length;
	}

	private async settle(marks: string[]): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			this.settles.push({ marks, waiting: { resolve, reject } });
			void this.work();
		});
	}

	private async work(): Promise<void> {
		if (this.busy) return;
		this.busy = true;
		while (this.begins.size > 0 || this.settles.length > 0) {
			// Requests that end together are handled together.
			await Promise.resolve();
			const { begins, settles } = this;
			this.begins = new Map();
			this.settles = [];
			try {
				const settled = settles.flatMap(({ marks }) => marks);
				const states = await this.claim([...begins.keys()], settled);
				for (const { waiting } of settles) waiting.resolve();
				for (const [key, waiting] of begins) waiting.resolve(states.get(key) ?? 'uncertain');
			} catch (error) {
				for (const { waiting } of settles) waiting.reject(error);
				for (const waiting of begins.values()) waiting.reject(error);
			}
		}
		this.busy = false;
	}

	/** Takes marks away, and looks keys up until those that are fresh are this run's. */
	private async claim(wanted: string[], settled: string[]): Promise<Map<string, KeyState>> {
		let outdated = settled;
		for (let claims = 1; ; claims++) {
			const seal = this.seals.create();
			const { states, claimed, hasConcurrentRun, took, lasted } = await this.marks.exclusively(
				async () => {
					const began = this.clock.now();
					await this.marks.unset([...outdated, ...this.seals.takeDiscarded()]);
					const { surplus, ...found } = await this.lookUp(wanted, seal);
					const took = this.clock.now() - began;
					return { ...found, took, lasted: await this.drop(surplus, seal, took) };
				},
			);
			outdated = [];
			if (hasConcurrentRun) this.carefulRounds = CAREFUL_ROUNDS;
			if (claimed.length === 0) {
				if (lasted) this.seals.discard(seal);
				return states;
			}
			const isCareful = this.carefulRounds > 0;
			const isSure = lasted ?? (!isCareful || (await this.lastsOn(seal, took)));
			if (!isSure) this.carefulRounds = CAREFUL_ROUNDS;
			else if (isCareful && !hasConcurrentRun) this.carefulRounds--;
			if (isSure || claims === MOST_CLAIMS) {
				for (const key of claimed) this.underWay.add(key);
				this.lastClaim = { keys: claimed, seal };
				return states;
			}
			this.seals.discard(seal);
		}
	}

	/**
	 * Takes away what was only looked at, once it is sure that these marks are not another run's. For that
	 * time no other run in this process may see them. Tells whether the seal lasted, if it mattered.
	 */
	private async drop(keys: string[], seal: string, took: number): Promise<boolean | undefined> {
		if (keys.length === 0) return undefined;
		await this.seals.wait(took);
		const isThere = await this.seals.isThere(seal);
		if (isThere) await this.marks.unset(keys.flatMap((key) => [taken(key), open(key)]));
		return isThere;
	}

	/** Whether a seal is still there when every other worker has written back what it read before it. */
	private async lastsOn(seal: string, took: number): Promise<boolean> {
		await this.seals.wait(took);
		return await this.marks.exclusively(async () => await this.seals.isThere(seal));
	}

	/** Looks keys up, and whether what was claimed last is still there. */
	private async lookUp(wanted: string[], seal: string): Promise<LookUp> {
		if (wanted.length === 0) {
			return { states: new Map(), claimed: [], surplus: [], hasConcurrentRun: false };
		}
		const extra = this.nextKeys();
		const keys = [...wanted, ...extra];
		const { lastClaim } = this;
		const before = await this.marks.set([
			...keys.flatMap((key) => [taken(key), open(key)]),
			seal,
			...(lastClaim ? [lastClaim.seal] : []),
		]);
		const isOverwritten = lastClaim !== undefined && !before.has(lastClaim.seal);
		if (isOverwritten) await this.setAgain(lastClaim.keys);
		this.discardLastSeal();
		const states = new Map(keys.map((key) => [key, stateOf(key, before)]));
		const isFresh = (key: string) => states.get(key) === 'fresh';
		const claimed = wanted.filter(isFresh);
		const surplus = extra.filter(isFresh);
		await this.marks.unset([
			...keys.filter((key) => states.get(key) === 'accepted').map(open),
			...(claimed.length + surplus.length === 0 ? [seal] : []),
		]);
		// Only that stays as it is: another execution may have an uncertain key under way.
		for (const key of extra) if (states.get(key) === 'accepted') this.accepted.add(key);
		// Where all keys are old ones, as in a list that is sent again every night, they are looked up in
		// ever larger groups. Another one among them ends that: no more may be open than are under way.
		const allOld = [...states.values()].every((state) => state === 'accepted');
		this.lookAhead = allOld
			? Math.min(LONGEST_LOOK_AHEAD, Math.max(2 * this.lookAhead, 2 * wanted.length))
			: 0;
		const hasConcurrentRun = isOverwritten || [...states.values()].includes('uncertain');
		return { states, claimed, surplus, hasConcurrentRun };
	}

	/** Sets the marks of claimed keys again, as far as they are settled or under way. */
	private async setAgain(keys: string[]): Promise<void> {
		const going = keys.filter((key) => this.underWay.has(key));
		const done = keys.filter((key) => this.sent.has(key));
		await this.marks.set([...done.map(taken), ...going.flatMap((key) => [taken(key), open(key)])]);
	}

	private discardLastSeal(): void {
		if (this.lastClaim) this.seals.discard(this.lastClaim.seal);
		this.lastClaim = undefined;
	}

	private nextKeys(): string[] {
		const next: string[] = [];
		while (next.length < this.lookAhead && this.ahead.length > 0) {
			const key = this.ahead.shift();
			if (key !== undefined && !this.begun.has(key)) next.push(key);
		}
		return next;
	}
}

function stateOf(key: string, before: ReadonlySet<string>): KeyState {
	if (!before.has(taken(key)) && !before.has(open(key))) return 'fresh';
	return before.has(open(key)) ? 'uncertain' : 'accepted';
}
