/** Ends requests: when their time is up, and when the run is cancelled. */
export interface Deadline {
	/** Aborts for either reason. */
	end: AbortSignal;
	/** Aborts when the time is up. */
	timeout: AbortSignal;
}

/** The longest time that timers of JavaScript can take. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;
/** How much later than due a request may be ended, as a part of its time. */
const TOLERANCE = 1 / 32;

/**
 * Deadlines that requests share when they begin at about the same moment. Thousands of signals of their own would
 * hold up the event loop when they are collected.
 */
export class Deadlines {
	private latest?: Deadline & { milliseconds: number; signal?: AbortSignal; sharedUntil: number };

	/**
	 * The deadline of a request that begins now. It comes when the time is up, or a little later.
	 *
	 * @param milliseconds how long the request may take
	 * @param signal ends it sooner when it aborts
	 */
	after(milliseconds: number, signal?: AbortSignal): Deadline {
		const now = performance.now();
		const { latest } = this;
		const isShared =
			latest?.milliseconds === milliseconds &&
			latest.signal === signal &&
			now <= latest.sharedUntil;
		if (isShared) return latest;
		const tolerance = milliseconds * TOLERANCE;
		const wait = Math.min(Math.ceil(milliseconds + tolerance), LONGEST_TIMEOUT);
		const timeout = AbortSignal.timeout(wait);
		const end = signal ? AbortSignal.any([signal, timeout]) : timeout;
		this.latest = { end, timeout, milliseconds, signal, sharedUntil: now + tolerance };
		return this.latest;
	}
}
