import type { Answer, ApiResponse, CallResult } from './request';
import { type Clock, MINUTE_MS } from './time';

const SECOND = 1_000;
/** The longest pause that the service may ask for, and how long nothing but 429 is waited out, in milliseconds. */
const MAX_WAIT = 15 * MINUTE_MS;
/** The longest pause that nobody has asked for. */
const MAX_OWN_PAUSE = 10 * SECOND;
/** Pauses differ by so much, so that processes that wait for the same limit do not all come back at the same moment. */
const JITTER = SECOND;
/** When nobody has tried for so long, the wait begins anew. */
const IDLE = 2 * MINUTE_MS;
/** From when on a number of seconds can only be a moment since 1970, as can one a thousand times as large. */
const FIRST_MOMENT = 1_000_000_000;
/** Milliseconds after which somebody who waits for another call looks again. */
export const LOOK_AGAIN = 50;

// JavaScript takes nearly anything for a date, even "-5".
const HTTP_DATE = /^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i;

/** Whether the service answered that too many requests came. */
export function isRateLimited(result: CallResult<unknown>): result is ApiResponse {
	return result.kind === 'response' && result.status === 429;
}

/**
 * Waits out the status 429: for all webhook calls of a team, and for all lists of a run.
 *
 * A 429 holds back every call, for as long as the service asks, for a second at least, and longer each time that this did
 * not help. Then a single call goes first, and the others follow when it gets any other answer. When there was nothing
 * but 429 for fifteen minutes, waiting is of no use any more.
 */
export class RateLimit {
	private readonly clock: Clock;
	private pausedUntil = 0;
	/** Since when 429 has been the only answer, and how often it came; undefined while calls get through. */
	private refused?: { since: number; times: number };
	private isProbing = false;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** Milliseconds until a call may begin, as far as can be told now. */
	get delay(): number {
		const pause = Math.max(this.pausedUntil - this.clock.now(), 0);
		return pause === 0 && this.isProbing ? LOOK_AGAIN : pause;
	}

	/** Whether waiting for the end of the pause is of no use any more. */
	get isGivenUp(): boolean {
		if (!this.refused || this.isProbing) return false;
		return this.delay > 0 && this.clock.now() - this.refused.since >= MAX_WAIT;
	}

	/**
	 * Notes that a call begins.
	 *
	 * @returns What learns of its end: of its answer, or of none when it was not sent.
	 */
	begin(): (result?: CallResult<unknown>) => void {
		const now = this.clock.now();
		if (this.refused && now - this.pausedUntil > IDLE) this.refused = { since: now, times: 0 };
		const isProbe = this.refused !== undefined;
		if (isProbe) this.isProbing = true;
		return (result) => {
			if (isProbe) this.isProbing = false;
			if (result) this.learnFrom(result, isProbe);
		};
	}

	private learnFrom(result: CallResult<unknown>, isProbe: boolean): void {
		if (!isRateLimited(result)) {
			// A call that got no answer says nothing of the limit, and one that began before the pause nothing of its end.
			if (isProbe && result.kind !== 'noResponse') this.refused = undefined;
			return;
		}
		const now = this.clock.now();
		this.refused ??= { since: now, times: 0 };
		// Calls that were under way together are refused together.
		if (isProbe) this.refused.times++;
		const ownPause = Math.min(SECOND * 2 ** this.refused.times, MAX_OWN_PAUSE);
		const pause = Math.max(readRetryAfter(result) ?? 0, ownPause) + Math.random() * JITTER;
		this.pausedUntil = Math.max(this.pausedUntil, now + Math.min(pause, MAX_WAIT));
	}
}

/**
 * Milliseconds that the service asks to wait: from a Retry-After header in seconds, as a date or as a moment in Unix time,
 * a quarter of an hour at most. Dates are compared with the service's own clock, where it tells what time it is.
 */
export function readRetryAfter(answer: Answer): number | undefined {
	if (answer.kind !== 'response') return undefined;
	const { 'retry-after': hint = '', date = '' } = answer.headers;
	const now = HTTP_DATE.test(date) ? Date.parse(date) : Date.now();
	const delay = readDelay(hint.trim(), now);
	return Number.isNaN(delay) ? undefined : Math.min(Math.max(delay, 0), MAX_WAIT);
}

/** Milliseconds from now; NaN when it is neither seconds nor a moment. */
function readDelay(hint: string, now: number): number {
	if (/^\d+(\.\d+)?$/.test(hint)) {
		const number = Number(hint);
		if (number < FIRST_MOMENT) return number * SECOND;
		return (number < FIRST_MOMENT * SECOND ? number * SECOND : number) - now;
	}
	// Dates have no fractions of a second, so wait one second more.
	return HTTP_DATE.test(hint) ? Date.parse(hint) + SECOND - now : NaN;
}
