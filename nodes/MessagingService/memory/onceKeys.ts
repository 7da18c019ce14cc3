import { sleep } from 'n8n-workflow';
import type { ProcessedMarks } from './processed';

/** What is known of a key before its item is sent. */
export type KeyState =
	/** Not sent before; it counts as begun now. */
	| 'fresh'
	/** Accepted by an earlier run. */
	| 'accepted'
	/** An earlier run sent it, but never learned what became of it. */
	| 'uncertain';

const LONGEST_LOOK_AHEAD = 500;
/** So many keys are confirmed by one change of the store. */
const CONFIRMED_AT_ONCE = 500;
/** Milliseconds before another look, longer than a busy worker takes to write back what it read. */
const CONFIRMATION_PAUSES = [300, 600, 1_200];

const taken = (key: string) => `taken:${key}`;
const open = (key: string) => `open:${key}`;

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
 */
export class OnceKeys {
	private readonly marks: ProcessedMarks;
	private readonly ahead: string[];
	private lookAhead = 0;
	/** What looking ahead found to be accepted. */
	private readonly accepted = new Set<string>();
	private readonly begun = new Set<string>();
	/** What was accepted in this run. */
	private readonly sent: string[] = [];
	private begins = new Map<string, Waiting<KeyState>>();
	private settles: Array<{ marks: string[]; waiting: Waiting<void> }> = [];
	private busy = false;

	/** @param keys the keys of all items, in their order, of which some may be looked up ahead */
	constructor(marks: ProcessedMarks, keys: readonly string[]) {
		this.marks = marks;
		this.ahead = [...new Set(keys)];
	}

	/** Begins a key, unless it was begun before. Each key may be begun once. */
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
		this.sent.push(key);
		await this.settle([open(key)]);
	}

	/** Says that the request of a begun key certainly had no effect, so that it is free again. */
	async release(key: string): Promise<void> {
		await this.settle([open(key), taken(key)]);
	}

	/**
	 * Sees to it, at the end of a run, that the store knows what this run has sent. It forgets that when a
	 * run on another worker writes back what it read before, or when it failed for a moment.
	 */
	async confirm(): Promise<void> {
		for (let start = 0; start < this.sent.length; start += CONFIRMED_AT_ONCE) {
			const keys = this.sent.slice(start, start + CONFIRMED_AT_ONCE);
			const pauses = CONFIRMATION_PAUSES.values();
			while (!(await this.areStored(keys))) {
				const { value: pause } = pauses.next();
				if (pause === undefined) break;
				await sleep(pause);
			}
		}
	}

	/** Whether the store knew these keys as accepted; now it does. */
	private async areStored(keys: string[]): Promise<boolean> {
		const stored = await this.marks.exclusively(async () => {
			await this.marks.unset(keys.map(open));
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
				const states = await this.marks.exclusively(async () => {
					await this.marks.unset(settles.flatMap(({ marks }) => marks));
					return await this.lookUp([...begins.keys()]);
				});
				for (const { waiting } of settles) waiting.resolve();
				for (const [key, waiting] of begins) waiting.resolve(states.get(key) ?? 'uncertain');
			} catch (error) {
				for (const { waiting } of settles) waiting.reject(error);
				for (const waiting of begins.values()) waiting.reject(error);
			}
		}
		this.busy = false;
	}

	private async lookUp(wanted: string[]): Promise<Map<string, KeyState>> {
		if (wanted.length === 0) return new Map();
		const extra = this.nextKeys();
		const keys = [...wanted, ...extra];
		const before = await this.marks.set(keys.flatMap((key) => [taken(key), open(key)]));
		const states = new Map(keys.map((key) => [key, stateOf(key, before)]));
		const surplus = extra.filter((key) => states.get(key) === 'fresh');
		await this.marks.unset([
			...surplus.flatMap((key) => [taken(key), open(key)]),
			...keys.filter((key) => states.get(key) === 'accepted').map(open),
		]);
		// Only that stays as it is: another execution may have an uncertain key under way.
		for (const key of extra) if (states.get(key) === 'accepted') this.accepted.add(key);
		// Where all keys are old ones, as in a list that is sent again every night, they are looked up in
		// ever larger groups. A new one among them ends that: no more may be open than are under way.
		const allOld = [...states.values()].every((state) => state !== 'fresh');
		this.lookAhead = allOld
			? Math.min(LONGEST_LOOK_AHEAD, Math.max(2 * this.lookAhead, 2 * wanted.length))
			: 0;
		return states;
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
