import { type Answer, type CallResult, noResponse, type Repeat } from './request';
import { isRateLimited, readRetryAfter } from './rateLimit';
import { outcomeOfAnswer } from './retry';
import { type Clock, MINUTE_MS } from './time';

/** The most calls of a run that are under way or have an unknown outcome, counted together. */
const MAX_UNKNOWN = 100;
/** Milliseconds from a failed call to the next probe. */
const PROBE_INTERVAL = 10_000;
/** Milliseconds of nothing but failures after which no more calls are made. */
const MAX_OUTAGE = 2 * MINUTE_MS;

/**
 * Holds back the calls of one run while none gets through, so that an outage leaves few of them unknown, and a run of
 * thousands of items ends within minutes, not days. A call gets through when the service handles it, even if it refuses
 * it. A 429 may come from a gateway in front of the service, so it tells nothing about an outage.
 *
 * At most 100 calls are under way or have an unknown outcome. Beyond that, single probes go out, ten seconds after the
 * latest failure, until one gets through. When calls have failed for two minutes, counted from the beginning of the
 * first one, or from the end of the pause that the service asked for, no more are made. Reads leave nothing unknown, so
 * only these two minutes apply to them.
 */
export class Breaker {
	/** Aborts when no more calls are made. Its reason is the failure that all remaining calls get. */
	readonly signal: AbortSignal;
	private readonly verdict = new AbortController();
	private readonly clock: Clock;
	/** How many calls ended with an unknown outcome since the last one that got through. */
	private unknown = 0;
	/** The failures since a call last got through: since when they count, when the latest ended, and the words for it. */
	private failing?: { since: number; latest: number; words: string };

	constructor(clock: Clock) {
		this.clock = clock;
		this.signal = this.verdict.signal;
	}

	/**
	 * Milliseconds until the next call may begin; Infinity if one of those under way has to end first.
	 *
	 * @param underWay how many calls are under way
	 */
	delay(underWay: number): number {
		this.judge();
		if (underWay + this.unknown < MAX_UNKNOWN) return 0;
		if (underWay > 0) return Infinity;
		return Math.max((this.failing?.latest ?? 0) + PROBE_INTERVAL - this.clock.now(), 0);
	}

	/** Milliseconds until no more calls are made if none gets through; Infinity while none has failed. */
	get untilVerdict(): number {
		return (this.failing?.since ?? Infinity) + MAX_OUTAGE - this.clock.now();
	}

	/**
	 * Learns from the result of a call.
	 *
	 * @param repeat when its request may be sent again
	 * @param beganAt when the call began, by the clock
	 */
	learn(result: CallResult<unknown>, repeat: Repeat, beganAt: number): void {
		if (isRateLimited(result)) return;
		if (result.kind === 'success' || !isFailure(result)) {
			this.unknown = 0;
			this.failing = undefined;
			return;
		}
		if (outcomeOfAnswer(repeat, result) === 'unknown') this.unknown++;
		const words =
			result.kind === 'noResponse' ? result.detail || result.reason : `status ${result.status}`;
		const now = this.clock.now();
		const pause = readRetryAfter(result);
		const since = Math.min(this.failing?.since ?? Infinity, pause ? now + pause : beganAt);
		this.failing = { since, latest: now, words };
		this.judge();
	}

	/** Ends all calls when they have failed for too long. */
	private judge(): void {
		if (this.untilVerdict > 0) return;
		this.verdict.abort(noResponse('outage', this.failing?.words));
	}
}

/** Whether the service did not handle a call: no response came, or one that would leave a write unknown. */
function isFailure(answer: Answer): boolean {
	return answer.kind === 'noResponse' || outcomeOfAnswer('ifRefused', answer) === 'unknown';
}
