/** The service tells its time in whole seconds. */
const SECOND = 1_000;
/** Milliseconds that an answer takes at most from the service to here. */
const LONGEST_LATENCY = 500;
/** The largest clock skew between the service and this machine. */
const LARGEST_SKEW = 24 * 60 * 60_000;

/** How far the service's clock is ahead of this machine's, as far as its answers tell. */
export class ServiceClock {
	/** At most; Infinity until the service has told its time. */
	private most = Infinity;
	private least = -Infinity;

	/**
	 * Notes the time that an answer told.
	 *
	 * @param sentAt when the request was sent, by this machine's clock
	 * @param now when the answer was there
	 */
	note(told: Date | undefined, sentAt: number, now: number): void {
		// A slow service tells the time at which it answers.
		const toldAt = Math.max(sentAt, now - LONGEST_LATENCY);
		const time = told?.getTime() ?? Infinity;
		if (Math.abs(time - toldAt) >= LARGEST_SKEW) return;
		this.most = Math.min(this.most, time + SECOND - toldAt);
		this.least = Math.max(this.least, time - now);
	}

	/** The service's time at a moment of this machine, at the latest; that of this machine until more is known. */
	latest(time: number): number {
		return this.most === Infinity ? time : time + this.most;
	}

	/** The same at the earliest. */
	earliest(time: number): number {
		return time + this.least;
	}
}
