import type { Clock } from './clock';

const SLICE = 10;

/** Divides long work into slices, so that everything else in the process gets its turn in between. */
export class TimeSlices {
	private readonly clock: Clock;
	private readonly length: number;
	private end: number;

	/** @param length milliseconds of work at a stretch */
	constructor(clock: Clock, length = SLICE) {
		this.clock = clock;
		this.length = length;
		this.end = clock.now() + length;
	}

	/** To be awaited between two pieces of work: others get their turn when the slice is over. */
	next(): Promise<void> | undefined {
		return this.clock.now() < this.end ? undefined : this.yield();
	}

	private async yield(): Promise<void> {
		// A timer, since promises alone never let the event loop go on.
		await this.clock.wait(0);
		this.end = this.clock.now() + this.length;
	}
}
