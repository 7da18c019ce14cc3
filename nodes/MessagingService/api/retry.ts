import type { Answer, FailureReason, Outcome, Repeat, Response } from './request';

interface Rule {
	matches(answer: Answer): boolean;
	/** What became of a request that changes something. */
	outcome: Exclude<Outcome, 'accepted'>;
	/** The requests that are sent again. */
	repeats: readonly Repeat[];
}

const ALL: readonly Repeat[] = ['idempotent', 'ifRefused', 'evenIfUnknown'];
const IF_TWICE_IS_FINE: readonly Repeat[] = ['idempotent', 'evenIfUnknown'];

/** The one retry table; the first rule that matches applies. What no rule matches was refused, and is final. */
const RULES: readonly Rule[] = [
	{ matches: isRateLimited, outcome: 'refused', repeats: ALL },
	{ matches: reason('notSent'), outcome: 'refused', repeats: ALL },
	{ matches: reason('broken', 'timeout'), outcome: 'unknown', repeats: IF_TWICE_IS_FINE },
	// Something on the way gave up waiting (499 is what some gateways say), and may have handed the request on before.
	{ matches: status(408, 499, 502, 503, 504), outcome: 'unknown', repeats: IF_TWICE_IS_FINE },
	{ matches: isServerError, outcome: 'unknown', repeats: ['evenIfUnknown'] },
	// "See Other" is the answer to a write that was done.
	{ matches: status(303), outcome: 'unknown', repeats: [] },
	{ matches: reason('tooLarge', 'cancelled'), outcome: 'unknown', repeats: [] },
	{ matches: ({ kind }) => kind === 'unexpected', outcome: 'unknown', repeats: [] },
];

const SHORTEST_DELAY = 100;
const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 30_000;
const LONGEST_RATE_LIMIT_DELAY = 10_000;
const LONGEST_RETRY_AFTER = 15 * 60_000;
// JavaScript takes nearly everything for a date, "-5" too.
const HTTP_DATE = /^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i;

/** Whether the service answered that too many requests came. */
export function isRateLimited(answer: Answer): answer is Response {
	return answer.kind === 'response' && answer.status === 429;
}

/** Whether what failed may succeed later: the service, or the way to it, could not take the request just then. */
export function isTemporary(answer: Answer): boolean {
	return mayRepeat('evenIfUnknown', answer);
}

/** What became of a request with this unsuccessful answer. One that may always be repeated has no effect to ask for. */
export function outcomeOf(repeat: Repeat, answer: Answer): Rule['outcome'] {
	return repeat === 'idempotent' ? 'refused' : (ruleOf(answer)?.outcome ?? 'refused');
}

/** Whether a request with this answer may be sent again. */
export function mayRepeat(repeat: Repeat, answer: Answer): boolean {
	return ruleOf(answer)?.repeats.includes(repeat) ?? false;
}

/** How often a request may be repeated: after 429s, and after other failures. */
export interface MostRetries {
	rateLimited: number;
	failed: number;
}

/** The tries of one request: whether there is another one, and what became of the request so far. */
export class Tries {
	/** `unknown` as soon as that of one try was. */
	outcome: Rule['outcome'] = 'refused';
	private readonly repeat: Repeat;
	private readonly most: MostRetries;
	private readonly retries: MostRetries = { rateLimited: 0, failed: 0 };

	constructor(repeat: Repeat, most: MostRetries) {
		this.repeat = repeat;
		this.most = most;
	}

	/** Notes an unsuccessful answer: whether it is the last one, and in how many milliseconds another try may follow. */
	note(answer: Answer): { isLast: boolean; delay: number } {
		if (outcomeOf(this.repeat, answer) === 'unknown') this.outcome = 'unknown';
		const kind = isRateLimited(answer) ? 'rateLimited' : 'failed';
		const retries = this.retries[kind]++;
		const isLast = !mayRepeat(this.repeat, answer) || retries >= this.most[kind];
		return { isLast, delay: retryDelay(answer, retries) };
	}
}

/**
 * Milliseconds to wait before the next try: what Retry-After says, else exponential backoff with full jitter.
 *
 * @param retries how often the request was repeated already: after 429s for a 429, after other failures for another one
 */
export function retryDelay(
	answer: Answer,
	retries: number,
	random: () => number = Math.random,
): number {
	const longest = isRateLimited(answer) ? LONGEST_RATE_LIMIT_DELAY : LONGEST_DELAY;
	return readRetryAfter(answer) ?? random() * Math.min(longest, FIRST_DELAY * 2 ** retries);
}

/**
 * Milliseconds from a Retry-After header in seconds or as an HTTP date. At least a tenth of a second,
 * so that "0" does not make a busy loop, and at most a quarter of an hour.
 */
export function readRetryAfter(answer: Answer, now = Date.now()): number | undefined {
	if (answer.kind !== 'response') return undefined;
	const value = answer.headers['retry-after']?.trim();
	if (!value) return undefined;
	const delay = readDelay(value, answer.headers.date, now);
	if (delay === undefined) return undefined;
	return Math.min(Math.max(delay, SHORTEST_DELAY), LONGEST_RETRY_AFTER);
}

function ruleOf(answer: Answer): Rule | undefined {
	return RULES.find(({ matches }) => matches(answer));
}

function status(...statuses: number[]): Rule['matches'] {
	return (answer) => answer.kind === 'response' && statuses.includes(answer.status);
}

function isServerError(answer: Answer): boolean {
	return answer.kind === 'response' && answer.status >= 500;
}

function reason(...reasons: FailureReason[]): Rule['matches'] {
	return (answer) => answer.kind === 'failure' && reasons.includes(answer.reason);
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
