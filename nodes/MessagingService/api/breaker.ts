import { type Answer, type CallResult, noResponse, type Repeat } from './request';
import { isRateLimited } from './rateLimit';
import { outcomeOfAnswer } from './retry';
import { type Clock, MINUTE_MS } from './time';

/** The most calls of a run whose outcome nobody knows: those that are under way, and those that were lost. */
const MAX_UNKNOWN = 100;
/** Milliseconds from a call that failed to the next probe. */
const PROBE_INTERVAL = 10_000;
/** Milliseconds of nothing but failures after which no call is made any more. */
const MAX_OUTAGE = 2 * MINUTE_MS;

/**
 * Holds back the calls of one run while none gets through, so that an outage leaves few of them unknown, and a run of
 * thousands of items ends after minutes, not after days. A call gets through when the service deals with it, also by a
 * refusal. A 429 may come from in front of the service, so it says nothing of an outage.
 *
 * Calls under way and those with an unknown outcome are 100 at most. Then only a probe goes out now and then, until one
 * gets through. When calls have failed for two minutes, counted from the beginning of the first of them, none is made any
 * more. A read leaves nothing unknown, so only the time counts for it.
 */
export class Breaker {
	/** Aborts when no call is made any more. Its reason is the failure that all of them get. */
	readonly signal: AbortSignal;
	private readonly verdict = new AbortController();
	private readonly clock: Clock;
	/** How many calls have an unknown outcome since the last one that got through. */
	private unknown = 0;
	/** What failed since the last call that got through: since when, the end of the latest, and what came of it. */
	private failing?: { since: number; latest: number; words: string };

	constructor(clock: Clock) {
		this.clock = clock;
		this.signal = this.verdict.signal;
	}

	/**
	 * Milliseconds until the next call may begin; Infinity until one of those under way has ended.
	 *
	 * @param underWay how many calls are under way
	 */
	delay(underWay: number): number {
		this.judge();
		if (underWay + this.unknown < MAX_UNKNOWN) return 0;
		if (underWay > 0) return Infinity;
		return Math.max((this.failing?.latest ?? 0) + PROBE_INTERVAL - this.clock.now(), 0);
	}

	/** Milliseconds until all calls end if none gets through; Infinity while none has failed. */
	get untilVerdict(): number {
		return (this.failing?.since ?? Infinity) + MAX_OUTAGE - this.clock.now();
	}

	/**
	 * Learns from what came of a call.
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
		const since = Math.min(this.failing?.since ?? beganAt, beganAt);
		this.failing = { since, latest: this.clock.now(), words };
		this.judge();
	}

	/** Ends all calls when they have failed for too long. */
	private judge(): void {
		if (this.untilVerdict > 0) return;
		this.verdict.abort(noResponse('outage', this.failing?.words));
	}
}

/** Whether the service did not deal with a call: nothing came back, or nothing that says what became of a write. */
function isFailure(answer: Answer): boolean {
	return answer.kind === 'noResponse' || outcomeOfAnswer('ifRefused', answer) === 'unknown';
}
