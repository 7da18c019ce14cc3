import type {
	Answer,
	ApiResponse,
	CallResult,
	FailedOutcome,
	NoResponseReason,
	Repeat,
} from './request';
import { MINUTE_MS, readTime } from './time';

/** What follows from an answer. */
interface Consequence {
	/** What became of a request that changes something. */
	outcome: FailedOutcome;
	/** The kinds of requests that are sent again. */
	repeats: readonly Repeat[];
}

interface Rule extends Consequence {
	matches(response: ApiResponse): boolean;
}

const ALL: readonly Repeat[] = ['idempotent', 'ifRefused', 'evenIfUnknown'];
const IF_TWICE_IS_FINE: readonly Repeat[] = ['idempotent', 'evenIfUnknown'];

/** Applies where nothing was sent, or the service has answered that it did nothing. */
const FINAL: Consequence = { outcome: 'refused', repeats: [] };

/** The retry table where no response came. */
const WITHOUT_RESPONSE: Readonly<Record<NoResponseReason, Consequence>> = {
	unreachable: { outcome: 'refused', repeats: ALL },
	broken: { outcome: 'unknown', repeats: IF_TWICE_IS_FINE },
	timeout: { outcome: 'unknown', repeats: IF_TWICE_IS_FINE },
	tooLarge: { outcome: 'unknown', repeats: [] },
	cancelled: FINAL,
	stalled: FINAL,
	outage: FINAL,
	insecure: FINAL,
	blocked: FINAL,
	foreignLink: FINAL,
};

/** The retry table for responses; the first rule that matches applies, and to all others `FINAL`. */
const RULES: readonly Rule[] = [
	{ matches: isRateLimited, outcome: 'refused', repeats: ALL },
	// A gateway gave up waiting, and may have passed the request on before. 499 and 520 to 530 come from gateways and
	// content delivery networks.
	{
		matches: hasStatus(408, 499, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530),
		outcome: 'unknown',
		repeats: IF_TWICE_IS_FINE,
	},
	// The service itself failed, and would most likely fail again, so only the user's wish is a reason to repeat it.
	{ matches: isServerError, outcome: 'unknown', repeats: ['evenIfUnknown'] },
	// Redirects are not followed, and a service may redirect after it has processed a request.
	{ matches: isRedirect, outcome: 'unknown', repeats: [] },
	{ matches: ({ kind }) => kind === 'unexpected', outcome: 'unknown', repeats: [] },
];

const FIRST_DELAY = 1_000;
/** The longest pause before another call, unless the service asks for a longer one. */
export const MAX_DELAY = 10_000;
/** The longest pause that the service may ask for. */
export const MAX_PAUSE = 15 * MINUTE_MS;

/** A Retry-After from this number on is a moment in Unix time. */
const FIRST_MOMENT = 1_000_000_000;
// JavaScript takes nearly anything for a date, even "-5".
const HTTP_DATE = /^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i;

/** Whether the service answered that it got too many requests. */
export function isRateLimited(
	result: CallResult<unknown>,
): result is ApiResponse & { status: 429 } {
	return result.kind === 'response' && result.status === 429;
}

/** What became of a request with this unsuccessful answer. An idempotent request leaves nothing unknown. */
export function outcomeOfAnswer(repeat: Repeat, answer: Answer): FailedOutcome {
	return repeat === 'idempotent' ? 'refused' : consequenceOf(answer).outcome;
}

/** Whether a request may be sent again after this unsuccessful answer. */
export function mayRepeat(repeat: Repeat, answer: Answer): boolean {
	return consequenceOf(answer).repeats.includes(repeat);
}

/**
 * Milliseconds to wait before another call: what the service asks for or exponential backoff with full jitter, whichever
 * is longer.
 */
export function retryDelay(answer: Answer, retries: number): number {
	const backoff = Math.random() * Math.min(MAX_DELAY, FIRST_DELAY * 2 ** retries);
	return Math.max(readRetryAfter(answer) ?? 0, backoff);
}

/**
 * Milliseconds that the service asks to wait, at most a quarter of an hour; undefined when it does not say. Retry-After
 * may give seconds, a date or Unix time. The latter two are compared with the service's own clock, if that is known.
 */
export function readRetryAfter(answer: Answer): number | undefined {
	if (answer.kind !== 'response') return undefined;
	const { 'retry-after': hint = '', date = '' } = answer.headers;
	const now = HTTP_DATE.test(date) ? Date.parse(date) : answer.sentAt.getTime();
	const delay = readDelay(hint.trim(), now);
	return Number.isNaN(delay) ? undefined : Math.min(Math.max(delay, 0), MAX_PAUSE);
}

/** Milliseconds from now that a header asks for; NaN when it gives neither seconds nor a moment. */
function readDelay(hint: string, now: number): number {
	if (/^\d+(\.\d+)?$/.test(hint)) {
		return Number(hint) < FIRST_MOMENT ? Number(hint) * 1_000 : readTime(hint) - now;
	}
	// Dates have no fractions of a second, so one second is added.
	return HTTP_DATE.test(hint) ? Date.parse(hint) + 1_000 - now : NaN;
}

function consequenceOf(answer: Answer): Consequence {
	if (answer.kind === 'noResponse') return WITHOUT_RESPONSE[answer.reason];
	return RULES.find(({ matches }) => matches(answer)) ?? FINAL;
}

function hasStatus(...statuses: number[]): Rule['matches'] {
	return ({ kind, status }) => kind === 'response' && statuses.includes(status);
}

function isRedirect({ kind, status }: ApiResponse): boolean {
	return kind === 'response' && status >= 300 && status < 400;
}

function isServerError({ kind, status }: ApiResponse): boolean {
	return kind === 'response' && status >= 500;
}
