import { randomUUID } from 'crypto';
import type { Clock } from '../api/clock';
import type { ProcessedMarks } from './processed';

/** Milliseconds that another worker may take from reading the store to writing it. */
const LEAST_PAUSE = 30;
/** The larger the record, the longer that is: so many times as long as a change took here. */
const CHANGES_PER_PAUSE = 2;

/**
 * Marks that show whether a change of the store has lasted. Of two workers that change it at the same
 * moment, the one that writes last overwrites what the other one has set, its seal included.
 */
export class Seals {
	private readonly marks: ProcessedMarks;
	private readonly clock: Clock;
	private readonly discarded: string[] = [];

	constructor(marks: ProcessedMarks, clock: Clock) {
		this.marks = marks;
		this.clock = clock;
	}

	/** A seal, to be set together with other marks. */
	create(): string {
		return `seal:${randomUUID()}`;
	}

	/**
	 * Waits until every other worker has written back what it read before a change.
	 *
	 * @param changeTook the milliseconds that this change took
	 */
	async wait(changeTook: number): Promise<void> {
		await this.clock.wait(Math.max(LEAST_PAUSE, CHANGES_PER_PAUSE * changeTook));
	}

	/** Whether a seal is still there, and with it all that was set together with it. */
	async isThere(seal: string): Promise<boolean> {
		return (await this.marks.set([seal])).has(seal);
	}

	/** Says that a seal has served. */
	discard(seal: string): void {
		this.discarded.push(seal);
	}

	/** Hands over the seals that have served, to be taken away with another change. */
	takeDiscarded(): string[] {
		return this.discarded.splice(0);
	}
}
