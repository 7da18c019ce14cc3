import type {
	Answer,
	ApiResponse,
	CallResult,
	FailedOutcome,
	NoResponseReason,
	Repeat,
} from './request';
import { MINUTE_MS } from './time';

interface Rule {
	matches(answer: Answer): boolean;
	/** What became of a request that changes something. */
	outcome: FailedOutcome;
	/** The kinds of requests that are sent again. */
	repeats: readonly Repeat[];
}

const ALL: readonly Repeat[] = ['idempotent', 'ifRefused', 'evenIfUnknown'];
const IF_TWICE_IS_FINE: readonly Repeat[] = ['idempotent', 'evenIfUnknown'];

/** The one retry table; the first rule that matches applies. */
const RULES: readonly Rule[] = [
	{ matches: isRateLimited, outcome: 'refused', repeats: ALL },
	{ matches: hasReason('unreachable'), outcome: 'refused', repeats: ALL },
	{ matches: hasReason('broken', 'timeout'), outcome: 'unknown', repeats: IF_TWICE_IS_FINE },
	// Something on the way gave up waiting, and may have passed the request on before: 499 and 520 to 530 are such
	// statuses of gateways and content networks.
	{
		matches: hasStatus(408, 499, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530),
		outcome: 'unknown',
		repeats: IF_TWICE_IS_FINE,
	},
	// The service itself failed, and would most likely do so again. Only the user's wish is reason enough to repeat it.
	{ matches: isServerError, outcome: 'unknown', repeats: ['evenIfUnknown'] },
	// Redirects are not followed, and a service may redirect after it has processed a request.
	{ matches: isRedirect, outcome: 'unknown', repeats: [] },
	{ matches: hasReason('tooLarge'), outcome: 'unknown', repeats: [] },
	{ matches: ({ kind }) => kind === 'unexpected', outcome: 'unknown', repeats: [] },
];
/** Applies to all other answers. */
const FINAL: Rule = { matches: () => true, outcome: 'refused', repeats: [] };

const FIRST_DELAY = 1_000;
const MIN_DELAY = 100;
/** The longest pause before another call, unless the service asks for a longer one. */
const MAX_DELAY = 10_000;
const MAX_RETRY_AFTER = 15 * MINUTE_MS;
/** Milliseconds of nothing but 429s after which waiting is given up. */
export const MAX_STALL = 15 * MINUTE_MS;
// JavaScript takes nearly anything for a date, even "-5".
const HTTP_DATE = /^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i;

/** Whether the service answered that too many requests came. */
export function isRateLimited(result: CallResult<unknown>): result is ApiResponse {
	return result.kind === 'response' && result.status === 429;
}

/** What became of a request with this unsuccessful answer. An idempotent one leaves nothing unknown. */
export function outcomeOfAnswer(repeat: Repeat, answer: Answer): FailedOutcome {
	return repeat === 'idempotent' ? 'refused' : ruleOf(answer).outcome;
}

/** Whether a request may be sent again after this unsuccessful answer. */
export function mayRepeat(repeat: Repeat, answer: Answer): boolean {
	return ruleOf(answer).repeats.includes(repeat);
}

/** Milliseconds to wait before another call: what Retry-After says, else exponential backoff with full jitter. */
export function retryDelay(answer: Answer, retries: number): number {
	return readRetryAfter(answer) ?? backoff(retries);
}

/** Milliseconds of exponential backoff with full jitter. */
export function backoff(retries: number): number {
	return Math.random() * Math.min(MAX_DELAY, FIRST_DELAY * 2 ** retries);
}

/**
 * Milliseconds from a Retry-After header in seconds or as an HTTP date. At least a tenth of a second,
 * so that "0" does not make a busy loop, and at most a quarter of an hour.
 */
export function readRetryAfter(answer: Answer): number | undefined {
	if (answer.kind !== 'response') return undefined;
	const delay = readDelay(answer.headers['retry-after']?.trim() ?? '');
	return Number.isNaN(delay) ? undefined : Math.min(Math.max(delay, MIN_DELAY), MAX_RETRY_AFTER);
}

/** Milliseconds from now; NaN when it is neither seconds nor a date. */
function readDelay(value: string): number {
	if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
	// Dates have no fractions of a second, so wait one second more.
	return HTTP_DATE.test(value) ? Date.parse(value) + 1_000 - Date.now() : NaN;
}

function ruleOf(answer: Answer): Rule {
	return RULES.find(({ matches }) => matches(answer)) ?? FINAL;
}

function hasStatus(...statuses: number[]): Rule['matches'] {
	return (answer) => answer.kind === 'response' && statuses.includes(answer.status);
}

function isRedirect(answer: Answer): boolean {
	return answer.kind === 'response' && answer.status >= 300 && answer.status < 400;
}

function isServerError(answer: Answer): boolean {
	return answer.kind === 'response' && answer.status >= 500;
}

function hasReason(...reasons: NoResponseReason[]): Rule['matches'] {
	return (answer) => answer.kind === 'noResponse' && reasons.includes(answer.reason);
}
