import type { IExecuteFunctions } from 'n8n-workflow';
import type { Clock } from '../api/clock';
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
/** What was sent is looked up again at the end of each run, unless a look-up takes more milliseconds than this. */
const QUICK_LOOK_UP = 250;

/** What the runs of a node in this process share. */
export interface SharedMarks extends Announcement {
	/** Those of each run that has not ended. */
	readonly ofRuns: Set<KeyMarks>;
}

/** Keys that are not taken as the store has them. */
export interface Exceptions {
	/** These count as fresh, whatever became of them. */
	forgotten: ReadonlySet<string>;
	/** These are going to be sent when they are uncertain. */
	resent: ReadonlySet<string>;
}

/**
 * The marks of keys in n8n's store, as one run sets them.
 *
 * A call of the store costs in proportion to all marks that are kept together, so there are two sets. That of the
 * node, `known`, has one mark for each key that was ever looked up to be sent. It only grows, and is asked for so many
 * keys at once that it takes a small part of the time. That of the workflow, `pending`, has marks only of keys that are
 * not known to be accepted, so it stays small and quick. A look-up sets both of these before it looks into `known`:
 * - `open`: under way. It goes when the outcome is known; what a process that dies leaves is uncertain.
 * - `free`: not accepted so far. Alone it says that the last call certainly failed.
 *
 * The store can be read only by setting marks. Whatever is interrupted leaves `open`, so that the key is not sent.
 */
export class KeyMarks {
	/** Milliseconds that the last look-up took in `known`. */
	took = 0;
	private readonly node: string;
	private readonly clock: Clock;
	private readonly shared: SharedMarks;
	private readonly known: ProcessedMarks;
	private readonly pending: SealedMarks;
	/** Looked up to be sent, and not settled in the store. */
	private readonly open = new Set<string>();
	/** Accepted in this run. */
	private readonly accepted = new Set<string>();
	/** Certainly not accepted in this run. */
	private readonly released = new Set<string>();
	/** Accepted or released, and the store was not told yet. */
	private readonly unsettled = new Set<string>();

	constructor(context: IExecuteFunctions, shared: SharedMarks, clock: Clock) {
		this.node = context.getNode().id;
		this.clock = clock;
		this.shared = shared;
		this.known = new ProcessedMarks(context);
		const pending = new ProcessedMarks(context, 'workflow');
		const needed = () => [
			...[...this.open].flatMap((key) => this.pendingMarks(key)),
			...[...this.released].map((key) => this.freeMark(key)),
		];
		this.pending = new SealedMarks(pending, this.node, shared, needed, clock);
		shared.ofRuns.add(this);
	}

	/** Looks keys up, and marks those that are not accepted as under way. */
	async lookUp(keys: readonly string[], { forgotten, resent }: Exceptions) {
		// Another run must not settle at its end what it had accepted of them before.
		for (const other of this.others()) for (const key of forgotten) other.disown(key);
		const pending = await this.pending.set(keys.flatMap((key) => this.pendingMarks(key)));
		const isOpen = (key: string) => pending.has(this.openMark(key));
		if (keys.some(isOpen)) this.pending.noteConcurrentWriter();
		// Who has a key under way asks for it too, and must not find it there.
		const asked = keys.filter((key) => !isOpen(key) || forgotten.has(key) || resent.has(key));
		// What this run has sent may have been overwritten.
		const accepted = this.pending.hasConcurrentWriter ? this.accepted : [];
		const began = this.clock.now();
		const known = await this.known.set([...asked, ...accepted], MOST_KEYS);
		this.took = this.clock.now() - began;
		const stateOf = (key: string): KeyState => {
			if (forgotten.has(key)) return 'fresh';
			if (isOpen(key)) return 'uncertain';
			return pending.has(this.freeMark(key)) || !known.has(key) ? 'fresh' : 'accepted';
		};
		const states = new Map(keys.map((key) => [key, stateOf(key)]));
		const isAccepted = (key: string) => states.get(key) === 'accepted';
		for (const key of keys.filter((each) => !isAccepted(each))) this.takeOver(key);
		const old = keys.filter(isAccepted);
		this.pending.outdate(...old.flatMap((key) => this.pendingMarks(key)));
		if (old.length > 0) await this.pending.clear();
		return states;
	}

	/** Says that a key was accepted. The store is told with the next `clear`. */
	accept(key: string): void {
		this.accepted.add(key);
		this.unsettled.add(key);
		this.pending.outdate(...this.pendingMarks(key));
	}

	/** Says that a key was certainly not accepted. The store is told with the next `clear`. */
	release(key: string): void {
		this.released.add(key);
		this.unsettled.add(key);
		this.pending.outdate(this.openMark(key));
	}

	/** Tells the store what is settled. When it fails, the next time makes up for it. */
	async clear(): Promise<void> {
		const settled = [...this.unsettled];
		await this.pending.clear();
		for (const key of settled) {
			this.open.delete(key);
			this.unsettled.delete(key);
		}
	}

	/**
	 * Brings the store up to date at the end of a run.
	 *
	 * @returns Whether it was up to date. Where a look-up takes long, it is looked at only if another process was there
	 * to change it.
	 */
	async confirm(): Promise<boolean> {
		await this.pending.finish(this.others().length === 0);
		const accepted = [...this.accepted];
		const isTrusted = !this.pending.hasConcurrentWriter && this.took > QUICK_LOOK_UP;
		if (!isTrusted) this.pending.outdate(...accepted.flatMap((key) => this.pendingMarks(key)));
		await this.pending.clear();
		if (isTrusted) return true;
		return (await this.known.set(accepted, MOST_KEYS)).size === accepted.length;
	}

	/** To be called when the run has ended. */
	end(): void {
		this.shared.ofRuns.delete(this);
	}

	/** Notes that a key is under way in this run, whatever became of it before, in this run or in another one. */
	takeOver(key: string): void {
		for (const other of this.others()) other.disown(key);
		this.open.add(key);
		this.released.delete(key);
		this.unsettled.delete(key);
	}

	/** Leaves it to another run what the store has to know of a key. */
	private disown(key: string): void {
		this.open.delete(key);
		this.accepted.delete(key);
		this.released.delete(key);
		this.pending.keep(...this.pendingMarks(key));
	}

	/** Those of the other runs of this process. */
	private others(): KeyMarks[] {
		return [...this.shared.ofRuns].filter((each) => each !== this);
	}

	private pendingMarks(key: string): string[] {
		return [this.openMark(key), this.freeMark(key)];
	}

	private openMark(key: string): string {
		return `${this.node}:open:${key}`;
	}

	private freeMark(key: string): string {
		return `${this.node}:free:${key}`;
	}
}
