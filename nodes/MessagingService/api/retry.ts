import { isRateLimited, isTimedOut, type FailureReason, type Outcome } from './outcome';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** How often a request may be repeated. */
export interface RetryPolicy {
	/** Repeats after a temporary failure. */
	maxRetries: number;
	/** Repeats after status 429; Infinity where the rate limit is documented and always waited out. */
	maxRateLimitRetries: number;
	/** Whether a write is repeated although the service may have acted on it already. */
	retryOnServerError: boolean;
}

/** What an unsuccessful outcome allows, and what it leaves open. */
interface Verdict {
	retry: 'always' | 'ifAllowed' | 'never';
	mayHaveBeenAccepted: boolean;
}

interface Rule {
	matches(outcome: Outcome): boolean;
	idempotent: Verdict;
	write: Verdict;
}

const RETRY: Verdict = { retry: 'always', mayHaveBeenAccepted: false };
const GIVE_UP: Verdict = { retry: 'never', mayHaveBeenAccepted: false };
const RETRY_IF_ALLOWED: Verdict = { retry: 'ifAllowed', mayHaveBeenAccepted: true };
const GIVE_UP_IN_DOUBT: Verdict = { retry: 'never', mayHaveBeenAccepted: true };

/**
 * The one retry table; the first rule that matches applies. Idempotent requests are repeated after whatever
 * may pass by itself, writes only when they certainly had no effect. What no rule matches is final.
 */
const RULES: readonly Rule[] = [
	{ matches: isRateLimited, idempotent: RETRY, write: RETRY },
	{ matches: reason('notSent'), idempotent: RETRY, write: RETRY },
	{ matches: isTimedOut, idempotent: RETRY, write: RETRY_IF_ALLOWED },
	{ matches: status(502, 504), idempotent: RETRY, write: RETRY_IF_ALLOWED },
	{ matches: status(500, 599), idempotent: GIVE_UP, write: RETRY_IF_ALLOWED },
	// "See Other" is the answer to a write that was done.
	{ matches: status(303, 303), idempotent: GIVE_UP, write: GIVE_UP_IN_DOUBT },
	{ matches: reason('broken', 'timeout'), idempotent: RETRY, write: RETRY_IF_ALLOWED },
	{ matches: reason('tooSlow', 'tooLarge'), idempotent: GIVE_UP, write: GIVE_UP_IN_DOUBT },
	{ matches: reason('cancelled'), idempotent: GIVE_UP, write: GIVE_UP_IN_DOUBT },
	{ matches: ({ kind }) => kind === 'unexpected', idempotent: GIVE_UP, write: GIVE_UP_IN_DOUBT },
];

const SHORTEST_DELAY = 100;
const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 30_000;
const LONGEST_RATE_LIMIT_DELAY = 10_000;
const LONGEST_RETRY_AFTER = 15 * 60_000;
// JavaScript takes nearly everything for a date, "-5" too.
const HTTP_DATE = /^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i;

/** Whether a request that is sent twice does the same as one that is sent once. */
export function isIdempotent(method: Method): boolean {
	return method === 'GET' || method === 'DELETE';
}

/** Whether the service may have acted on a request with this unsuccessful outcome. */
export function mayHaveAccepted(method: Method, outcome: Outcome): boolean {
	return judge(method, outcome).mayHaveBeenAccepted;
}

/**
 * Decides about the next try: what Retry-After says, else exponential backoff with full jitter.
 *
 * @param retries how often the request was repeated already
 * @returns Milliseconds to wait before the next try, or undefined when there is none.
 */
export function retryDelay(
	method: Method,
	policy: RetryPolicy,
	outcome: Outcome,
	retries: number,
	random: () => number = Math.random,
): number | undefined {
	const { retry } = judge(method, outcome);
	if (retry === 'never' || (retry === 'ifAllowed' && !policy.retryOnServerError)) return undefined;
	const rateLimited = isRateLimited(outcome);
	if (retries >= (rateLimited ? policy.maxRateLimitRetries : policy.maxRetries)) return undefined;
	const longest = rateLimited ? LONGEST_RATE_LIMIT_DELAY : LONGEST_DELAY;
	return readRetryAfter(outcome) ?? random() * Math.min(longest, FIRST_DELAY * 2 ** retries);
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

function judge(method: Method, outcome: Outcome): Verdict {
	const rule = RULES.find(({ matches }) => matches(outcome));
	if (!rule) return GIVE_UP;
	return isIdempotent(method) ? rule.idempotent : rule.write;
}

function status(from: number, to: number): Rule['matches'] {
	return (outcome) => outcome.kind === 'response' && outcome.status >= from && outcome.status <= to;
}

function reason(...reasons: FailureReason[]): Rule['matches'] {
	return (outcome) => outcome.kind === 'failure' && reasons.includes(outcome.reason);
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
