import type { Outcome } from './exchange';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What may be done after a request did not succeed. */
export interface RetryPolicy {
	method: Method;
	/** Repeats after a temporary failure. */
	maxRetries: number;
	/** Repeats after status 429; Infinity where the rate limit is documented and always waited out. */
	maxRateLimitRetries: number;
	/** Whether a write is repeated although the service may have acted on it already. */
	retryOnServerError: boolean;
}

export type Repeat =
	/** Success, or a failure that another try would not change. */
	| 'never'
	/** The request was certainly not accepted, or only reads. */
	| 'safe'
	/** The service may have acted on the request before it failed. */
	| 'uncertain';

// JavaScript takes nearly everything for a date, "-5" too.
const HTTP_DATE = /^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i;
const SHORTEST_DELAY = 100;
const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 30_000;
const LONGEST_RATE_LIMIT_DELAY = 10_000;
const LONGEST_RETRY_AFTER = 15 * 60_000;

/**
 * The one table of what may be repeated. What changes nothing the second time repeats after everything that
 * may pass by itself; any other write only when it certainly had no effect.
 *
 * | outcome                  | GET, DELETE | POST, PATCH |
 * |--------------------------|-------------|-------------|
 * | 429                      | safe        | safe        |
 * | not sent (refused, DNS)  | safe        | safe        |
 * | 502, 503, 504            | safe        | uncertain   |
 * | other 5xx                | never       | uncertain   |
 * | broken off, timed out    | safe        | uncertain   |
 * | everything else          | never       | never       |
 */
export function classify(method: Method, outcome: Outcome): Repeat {
	const harmless = isHarmlessTwice(method);
	if (outcome.kind === 'response') {
		if (outcome.status === 429) return 'safe';
		if ([502, 503, 504].includes(outcome.status)) return harmless ? 'safe' : 'uncertain';
		if (outcome.status >= 500) return harmless ? 'never' : 'uncertain';
		return 'never';
	}
	switch (outcome.reason) {
		case 'notSent':
			return 'safe';
		case 'broken':
		case 'timeout':
			return harmless ? 'safe' : 'uncertain';
		case 'cancelled':
		case 'notStarted':
		case 'insecure':
		case 'invalid':
			return 'never';
	}
}

/** Whether a request that is sent twice does the same as one that is sent once. */
export function isHarmlessTwice(method: Method): boolean {
	return method === 'GET' || method === 'DELETE';
}

/**
 * Decides about the next try.
 *
 * @param retries how often the request was repeated already
 * @returns Milliseconds to wait before the next try, or undefined when there is none.
 */
export function retryDelay(
	policy: RetryPolicy,
	outcome: Outcome,
	retries: number,
	random: () => number = Math.random,
): number | undefined {
	const repeat = classify(policy.method, outcome);
	if (repeat === 'never' || (repeat === 'uncertain' && !policy.retryOnServerError))
		return undefined;
	const rateLimited = isRateLimited(outcome);
	if (retries >= (rateLimited ? policy.maxRateLimitRetries : policy.maxRetries)) return undefined;
	const longest = rateLimited ? LONGEST_RATE_LIMIT_DELAY : LONGEST_DELAY;
	return readRetryAfter(outcome) ?? random() * Math.min(longest, FIRST_DELAY * 2 ** retries);
}

/** Whether the service said that too many requests came. */
export function isRateLimited(outcome: Outcome): boolean {
	return outcome.kind === 'response' && outcome.status === 429;
}

/**
 * Milliseconds from a Retry-After header in seconds or as an HTTP date. At least a tenth of a second,
 * so that "0" does not make a busy loop, and at most a quarter of an hour.
 */
export function readRetryAfter(outcome: Outcome, now = Date.now()): number | undefined {
	if (outcome.kind !== 'response') return undefined;
	const value = outcome.headers['retry-after']?.trim();
	if (!value) return undefined;
	const delay = readDelay(value, outcome.headers.date, now);
	if (delay === undefined) return undefined;
	return Math.min(Math.max(delay, SHORTEST_DELAY), LONGEST_RETRY_AFTER);
}

// The service's clock may differ from ours, so its own Date header is the better "now". Dates have no
// fractions of a second: one more second makes sure.
function readDelay(value: string, serviceNow: string | undefined, now: number): number | undefined {
	if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
	if (!HTTP_DATE.test(value)) return undefined;
	const from = serviceNow ? Date.parse(serviceNow) : NaN;
	const delay = Date.parse(value) + 1_000 - (Number.isNaN(from) ? now : from);
	return Number.isNaN(delay) ? undefined : delay;
}
