import type { Clock } from './clock';

/** Counts what a run of a node sends and how long it waits for its turn. */
export class Traffic {
	/** Requests sent, repeats included. */
	sent = 0;
	accepted = 0;
	rateLimited = 0;
	/** How many items the run has; none when nobody knows. */
	items = 0;

	private readonly clock: Clock;
	private waiting = 0;
	private waitingSince = 0;
	private waitedBefore = 0;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** How many items of the run may not have been sent yet. */
	get unsent(): number {
		return Math.max(this.items - this.sent, 0);
	}

	get isWaiting(): boolean {
		return this.waiting > 0;
	}

	/** Milliseconds in which at least one request waited for its turn. */
	get waited(): number {
		return this.waitedBefore + (this.isWaiting ? this.clock.now() - this.waitingSince : 0);
	}

	/** Counts the time until the work settles as waiting. */
	async while<Result>(work: Promise<Result>): Promise<Result> {
		if (this.waiting++ === 0) this.waitingSince = this.clock.now();
		try {
			return await work;
		} finally {
			if (--this.waiting === 0) this.waitedBefore += this.clock.now() - this.waitingSince;
		}
	}
}
