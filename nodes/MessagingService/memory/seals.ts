import { randomUUID } from 'crypto';
import type { Clock } from '../api/clock';
import type { ProcessedMarks } from './processed';

/** Milliseconds that another worker may take from reading the marks to writing them back. */
const LEAST_PAUSE = 30;
/** The more marks, the longer that is: so many times as long as a change took here. */
const CHANGES_PER_PAUSE = 2;
/** Changes that are verified after another worker was noticed. */
const VERIFIED_CHANGES = 8;
/** Maximum attempts at a change; after that it counts as made, so that competing runs cannot block each other. */
const MOST_ATTEMPTS = 10;

/** Whether this process has set the mark that says that one is at work. Shared by its runs of a node. */
export interface Announcement {
	isMade: boolean;
}

/**
 * Marks that are set so that changes of other workers are noticed. Of two workers that change marks at the same
 * moment, the one that writes last overwrites what the other one has set.
 *
 * Each change sets a mark of its own, a seal. The next change looks whether it is still there, and sets again what
 * was overwritten. The first one, and some after anything showed another worker, wait until it must have lasted.
 * Besides, each change sets a mark that says that a process is at work, and a process that finds that of another
 * one takes it away, so that both know.
 */
export class SealedMarks {
	/** Whether another process worked with the marks during this run. */
	hasConcurrentWriter = false;
	private readonly marks: ProcessedMarks;
	private readonly clock: Clock;
	private readonly announcement: Announcement;
	private readonly atWork: string;
	private readonly needed: () => string[];
	private readonly outdated = new Set<string>();
	/** How many of the next changes are verified: the first one, and some after another writer was noticed. */
	private changesToVerify = 1;
	private seal?: string;

	/** @param needed the marks that have to be there, to be set again when they were overwritten */
	constructor(
		marks: ProcessedMarks,
		node: string,
		announcement: Announcement,
		needed: () => string[],
		clock: Clock,
	) {
		this.marks = marks;
		this.atWork = `${node}:atWork`;
		this.announcement = announcement;
		this.needed = needed;
		this.clock = clock;
	}

	/** Sets marks and returns those that were set before. */
	async set(marks: readonly string[]): Promise<Set<string>> {
		this.keep(...marks);
		for (let attempt = 1; ; attempt++) {
			const began = this.clock.now();
			const seal = `seal:${randomUUID()}`;
			const last = this.seal;
			const before = await this.marks.set([...marks, seal, this.atWork, ...(last ? [last] : [])]);
			// At once, so that the other one notices before it ends.
			if (this.findsAnother(before.has(this.atWork))) await this.marks.unset([this.atWork]);
			if (last !== undefined) {
				this.outdated.add(last);
				if (!before.has(last)) {
					this.noteConcurrentWriter();
					await this.marks.set(this.needed());
				}
			}
			this.seal = seal;
			if (this.changesToVerify === 0 || attempt === MOST_ATTEMPTS) return before;
			await this.clock.wait(Math.max(LEAST_PAUSE, CHANGES_PER_PAUSE * (this.clock.now() - began)));
			if ((await this.marks.set([seal])).has(seal)) {
				this.changesToVerify--;
				return before;
			}
			this.noteConcurrentWriter();
			await this.marks.set(this.needed());
		}
	}

	/** Says that marks may go, with the next change that takes marks away. */
	outdate(...marks: string[]): void {
		for (const mark of marks) this.outdated.add(mark);
	}

	/** Takes that back, of marks that somebody else has set again. */
	keep(...marks: string[]): void {
		for (const mark of marks) this.outdated.delete(mark);
	}

	/** Takes away what is outdated. */
	async clear(): Promise<void> {
		const marks = [...this.outdated];
		await this.marks.unset(marks);
		for (const mark of marks) this.outdated.delete(mark);
	}

	/** To be called when anything else shows another worker. */
	noteConcurrentWriter(): void {
		this.hasConcurrentWriter = true;
		this.changesToVerify = VERIFIED_CHANGES;
	}

	/** At the end of a run: looks once more for other workers, and takes the last seal away with the next change. */
	async finish(isLast: boolean): Promise<void> {
		if (this.seal === undefined) return;
		this.changesToVerify = 0;
		await this.set([]);
		this.outdate(this.seal);
		this.seal = undefined;
		if (isLast && this.announcement.isMade) {
			this.outdate(this.atWork);
			this.announcement.isMade = false;
		}
	}

	/** Whether another process has set the mark that says that one is at work. */
	private findsAnother(isAnnounced: boolean): boolean {
		if (isAnnounced !== this.announcement.isMade) this.hasConcurrentWriter = true;
		const isOfAnother = isAnnounced && !this.announcement.isMade;
		this.announcement.isMade = !isOfAnother;
		return isOfAnother;
	}
}
