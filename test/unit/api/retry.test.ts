import fc from 'fast-check';
import type { Answer } from '../../../nodes/MessagingService/api/answer';
import {
	outcomeOf,
	readRetryAfter,
	type Repeat,
	retryDelay,
	type RetryPolicy,
} from '../../../nodes/MessagingService/api/retry';
import { failure, FAILURE_REASONS, response } from '../helpers/api';

const POLICY: RetryPolicy = { repeat: 'idempotent', maxRetries: 5, maxRateLimitRetries: 10 };
const PACED: RetryPolicy = { ...POLICY, maxRateLimitRetries: Infinity };

const statuses = (...all: number[]) => all.map((status) => response(status));
const UNEXPECTED: Answer = { ...response(200), kind: 'unexpected' };

/** Which requests are repeated, and what became of one that changes something. */
const TABLE: Array<[name: string, Answer[], Repeat[], 'refused' | 'unknown']> = [
	['429', statuses(429), ['idempotent', 'ifRefused', 'evenIfUnknown'], 'refused'],
	[
		'what was not sent',
		[failure('notSent')],
		['idempotent', 'ifRefused', 'evenIfUnknown'],
		'refused',
	],
	['a wait that was ended', statuses(408, 499), ['idempotent', 'evenIfUnknown'], 'unknown'],
	['silence', [failure('broken'), failure('timeout')], ['idempotent', 'evenIfUnknown'], 'unknown'],
	['a gateway error', statuses(502, 503, 504), ['idempotent', 'evenIfUnknown'], 'unknown'],
	['a server error', statuses(500, 501, 505, 520, 599), ['evenIfUnknown'], 'unknown'],
	['a redirect to what was done', statuses(303), [], 'unknown'],
	['an answer without an end', [failure('tooLarge')], [], 'unknown'],
	['a cancelled request', [failure('cancelled')], [], 'unknown'],
	['an answer that is not as promised', [UNEXPECTED], [], 'unknown'],
	['a redirect', statuses(300, 301, 302, 304, 307, 399), [], 'refused'],
	['a refusal', statuses(400, 401, 403, 404, 409, 422, 425, 430, 498), [], 'refused'],
	[
		'what will not pass',
		(['notStarted', 'heldBack', 'stalled', 'insecure', 'invalid', 'foreignLink'] as const).map(
			(reason) => failure(reason),
		),
		[],
		'refused',
	],
];

test.each(TABLE)('%s', (_name, answers, repeated, outcome) => {
	for (const answer of answers) {
		for (const repeat of ['idempotent', 'ifRefused', 'evenIfUnknown'] as const) {
			expect(retryDelay({ ...POLICY, repeat }, answer, 0) !== undefined).toBe(
				repeated.includes(repeat),
			);
			expect(outcomeOf(repeat, answer)).toBe(repeat === 'idempotent' ? 'refused' : outcome);
		}
	}
});

test('the table covers every reason', () => {
	const covered = TABLE.flatMap(([, answers]) => answers).map((each) => Object(each).reason);
	expect(covered).toEqual(expect.arrayContaining([...FAILURE_REASONS]));
});

test.each([
	['the retries are used up', POLICY, response(503), 5, false],
	['one retry is left', POLICY, response(503), 4, true],
	['no retries are wanted', { ...POLICY, maxRetries: 0 }, response(503), 0, false],
	['429 is waited out all the same', { ...PACED, maxRetries: 0 }, response(429), 1_000_000, true],
	['429 has a budget of its own', POLICY, response(429), 9, true],
	['the budget for 429 is used up', POLICY, response(429), 10, false],
] satisfies Array<[string, RetryPolicy, Answer, number, boolean]>)(
	'a repeat when %s',
	(_name, policy, answer, retries, repeats) => {
		expect(retryDelay(policy, answer, retries) !== undefined).toBe(repeats);
	},
);

test.each([
	['half a minute', response(503), 30_000],
	['ten seconds after 429', response(429), 10_000],
])('waits at random up to a bound that doubles, at most %s', (_name, answer, longest) => {
	const policy = { ...PACED, maxRetries: Infinity };
	for (let retries = 0; retries < 60; retries++) {
		expect(retryDelay(policy, answer, retries, () => 0.5)).toBe(
			0.5 * Math.min(longest, 1_000 * 2 ** retries),
		);
	}
});

test('waits as long as the service asks for', () => {
	const answer = response(503, '', { 'retry-after': '7' });
	expect(retryDelay(POLICY, answer, 0, () => 0.5)).toBe(7_000);
});

describe('readRetryAfter', () => {
	const now = Date.parse('2026-01-31T12:00:00Z');
	const read = (value: string, date?: string) =>
		readRetryAfter(
			response(429, '', { 'retry-after': value, ...(date === undefined ? {} : { date }) }),
			now,
		);

	test.each([
		['5', 5_000],
		[' 5 ', 5_000],
		['1.5', 1_500],
		['0', 100],
		['900', 900_000],
		['99999999999999999999999', 900_000],
	])('reads %j seconds', (value, delay) => {
		expect(read(value)).toBe(delay);
	});

	test.each([
		['Sat, 31 Jan 2026 12:00:30 GMT', undefined, 31_000],
		['Sat, 31 Jan 2026 12:00:30 GMT', 'Sat, 31 Jan 2026 12:00:10 GMT', 21_000],
		['Sat, 31 Jan 2026 12:00:30 GMT', 'not a date', 31_000],
		['Saturday, 31-Jan-26 12:00:30 GMT', undefined, 31_000],
		['Sat, 31 Jan 2026 11:00:00 GMT', undefined, 100],
		['Sun, 01 Feb 2026 12:00:00 GMT', undefined, 900_000],
	])('reads the date %j, with %j as the time at the service', (value, date, delay) => {
		expect(read(value, date)).toBe(delay);
	});

	test.each(['', '  ', 'soon', 'NaN', 'Infinity', '-5', '1, 5', 'May 5', '5 s', 'x5'])(
		'takes %j for nothing',
		(value) => expect(read(value)).toBeUndefined(),
	);

	test('takes a date that does not exist for nothing', () => {
		expect(read('Sat, 99 Jan 2026 12:00:30 GMT')).toBeUndefined();
	});

	test('says nothing without the header or without a response', () => {
		expect(readRetryAfter(response(429))).toBeUndefined();
		expect(readRetryAfter(failure('timeout'))).toBeUndefined();
	});

	test('is never shorter than a tenth of a second nor longer than a quarter of an hour', () => {
		const anyDate = fc.date({ noInvalidDate: true }).map((date) => date.toUTCString());
		fc.assert(
			fc.property(fc.oneof(fc.string(), anyDate, fc.double().map(String)), (value) => {
				const delay = read(value) ?? 100;
				expect(delay).toBeGreaterThanOrEqual(100);
				expect(delay).toBeLessThanOrEqual(900_000);
			}),
			{ numRuns: 500 },
		);
	});
});
