import { type Answer, type CallResult, type NoResponse, noResponse, type Repeat } from './request';
import { isRateLimited, MAX_PAUSE, outcomeOfAnswer, readRetryAfter } from './retry';
import { type Clock, MINUTE_MS } from './time';

/** The most calls of a run that are under way or have an unknown outcome, counted together. */
const MAX_UNKNOWN = 100;
/** Milliseconds from a failed call to the next probe. */
const PROBE_INTERVAL = 10_000;
/** Milliseconds of nothing but failures after which no more calls are made. */
const MAX_OUTAGE = 2 * MINUTE_MS;

/** A call that has ended. */
interface Ended {
	/** When its request may be sent again. */
	repeat: Repeat;
	/** When it began, by the clock. */
	beganAt: number;
	/** The milliseconds for which it holds back the next call, if it got a 429. */
	pause: number;
}

/** The failures since a call last got through. */
interface Failing {
	/** From when on the first one counted. */
	first: number;
	/** Since when they count. */
	since: number;
	/** When the latest one ended, and the words for it. */
	latest: number;
	words: string;
}

/**
 * Holds back the calls of one run while none gets through, so that an outage leaves few of them unknown, and a run of
 * thousands of items ends within minutes, not days. A call gets through when the service handles it, even if it refuses
 * it. A 429 may come from a gateway in front of the service, so it tells nothing about an outage.
 *
 * At most 100 calls are under way or have an unknown outcome. Beyond that, single probes go out, ten seconds after the
 * latest failure, until one gets through. When calls have failed for two minutes, no more are made. These count from the
 * beginning of the first call that failed, but not from before a call got through, nor from before the end of a pause that
 * the service asked for. Pauses after a 429 do not count either, up to 15 minutes of them. Reads leave nothing unknown, so
 * only these two minutes apply to them.
 */
export class Breaker {
	private readonly clock: Clock;
	/** How many calls ended with an unknown outcome since the last one that got through. */
	private unknown = 0;
	private failing?: Failing;
	/** When a call last got through. */
	private throughAt = 0;
	/** The end of the pause after a 429. */
	private pausedUntil = 0;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/**
	 * Milliseconds until the next call may begin; Infinity if one of those under way has to end first.
	 *
	 * @param underWay how many calls are under way
	 */
	delay(underWay: number): number {
		if (underWay + this.unknown < MAX_UNKNOWN) return 0;
		if (underWay > 0) return Infinity;
		return Math.max((this.failing?.latest ?? 0) + PROBE_INTERVAL - this.clock.now(), 0);
	}

	/** Milliseconds until no more calls are made if none gets through; Infinity while none has failed. */
	get untilVerdict(): number {
		if (!this.failing) return Infinity;
		const { first, since } = this.failing;
		return Math.min(since, first + MAX_PAUSE) + MAX_OUTAGE - this.clock.now();
	}

	/** The failure that all remaining calls get, once no more are made. */
	get verdict(): NoResponse | undefined {
		return this.untilVerdict > 0 ? undefined : noResponse('outage', this.failing?.words);
	}

	/** Learns from the result of a call. */
	learn(result: CallResult<unknown>, { repeat, beganAt, pause }: Ended): void {
		const now = this.clock.now();
		if (isRateLimited(result)) {
			const more = now + pause - Math.max(this.pausedUntil, now);
			if (more <= 0) return;
			this.pausedUntil = now + pause;
			if (this.failing) this.failing.since += more;
			return;
		}
		if (result.kind === 'success' || !isFailure(result)) {
			this.unknown = 0;
			this.failing = undefined;
			this.throughAt = now;
			return;
		}
		if (outcomeOfAnswer(repeat, result) === 'unknown') this.unknown++;
		const words =
			result.kind === 'noResponse' ? result.detail || result.reason : `status ${result.status}`;
		const asked = readRetryAfter(result);
		const start = Math.max(asked ? now + asked : beganAt, this.throughAt, this.pausedUntil);
		const { first = start, since = Infinity } = this.failing ?? {};
		this.failing = { first, since: Math.min(since, start), latest: now, words };
	}
}

/** Whether the service did not handle a call: no response came, or one that would leave a write unknown. */
function isFailure(answer: Answer): boolean {
	return answer.kind === 'noResponse' || outcomeOfAnswer('ifRefused', answer) === 'unknown';
}
