import type { Answer, ApiResponse, CallResult } from './request';
import { type Clock, MINUTE_MS } from './time';

const SECOND = 1_000;
/** The longest pause that the service may ask for, and how long 429 may be the only answer, in milliseconds. */
const MAX_WAIT = 15 * MINUTE_MS;
/** The longest pause that the service has not asked for. */
const MAX_OWN_PAUSE = 10 * SECOND;
/** Pauses vary by up to this much, so that processes that wait for the same limit do not all return at one moment. */
const JITTER = SECOND;
/** After this long without a call, the time with 429 as the only answer is counted anew. */
const IDLE = 2 * MINUTE_MS;
/** A Retry-After from this number on is a moment in Unix time, and from 1,000 times this number on in milliseconds. */
const FIRST_MOMENT = 1_000_000_000;
/** Milliseconds after which a call that waits for another one looks again. */
export const LOOK_AGAIN = 50;

// JavaScript takes nearly anything for a date, even "-5".
const HTTP_DATE = /^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i;

/** Whether the service answered that it got too many requests. */
export function isRateLimited(result: CallResult<unknown>): result is ApiResponse {
	return result.kind === 'response' && result.status === 429;
}

/**
 * Waits out the status 429: for all webhook calls of a team, or for all other requests of a run.
 *
 * A 429 holds back every call for as long as the service asks, but at least a second, and longer each time this did not
 * help. Then a single call goes first as a probe, and the others follow once it gets any other answer. After fifteen
 * minutes with 429 as the only answer, waiting is given up.
 */
export class RateLimit {
	private readonly clock: Clock;
	private pausedUntil = 0;
	/** Since when 429 has been the only answer, and how many probes got it; undefined while calls get through. */
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

	/** Whether there is no point in waiting for the end of the pause. */
	get isGivenUp(): boolean {
		if (!this.refused || this.isProbing) return false;
		return this.delay > 0 && this.clock.now() - this.refused.since >= MAX_WAIT;
	}

	/**
	 * Notes that a call begins.
	 *
	 * @returns A function that takes its result when it ends, or none if it was not sent.
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
			// A call without a response tells nothing about the limit, and one from before the pause nothing about its end.
			if (isProbe && result.kind !== 'noResponse') this.refused = undefined;
			return;
		}
		const now = this.clock.now();
		this.refused ??= { since: now, times: 0 };
		// Calls that were under way together get 429 together, so only a probe counts.
		if (isProbe) this.refused.times++;
		const ownPause = Math.min(SECOND * 2 ** this.refused.times, MAX_OWN_PAUSE);
		const pause = Math.max(readRetryAfter(result) ?? 0, ownPause) + Math.random() * JITTER;
		this.pausedUntil = Math.max(this.pausedUntil, now + Math.min(pause, MAX_WAIT));
	}
}

/**
 * Milliseconds that the service asks to wait, at most a quarter of an hour; undefined when it does not say. Retry-After
 * may give seconds, a date or Unix time. The latter two are compared with the service's own clock, if that is known.
 */
export function readRetryAfter(answer: Answer): number | undefined {
	if (answer.kind !== 'response') return undefined;
	const { 'retry-after': hint = '', date = '' } = answer.headers;
	const now = HTTP_DATE.test(date) ? Date.parse(date) : Date.now();
	const delay = readDelay(hint.trim(), now);
	return Number.isNaN(delay) ? undefined : Math.min(Math.max(delay, 0), MAX_WAIT);
}

/** Milliseconds from now that a header asks for; NaN when it gives neither seconds nor a moment. */
function readDelay(hint: string, now: number): number {
	if (/^\d+(\.\d+)?$/.test(hint)) {
		const number = Number(hint);
		if (number < FIRST_MOMENT) return number * SECOND;
		return (number < FIRST_MOMENT * SECOND ? number * SECOND : number) - now;
	}
	// Dates have no fractions of a second, so one second is added.
	return HTTP_DATE.test(hint) ? Date.parse(hint) + SECOND - now : NaN;
}
