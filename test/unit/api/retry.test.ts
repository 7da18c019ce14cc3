import fc from 'fast-check';
import type { Outcome } from '../../../nodes/MessagingService/api/outcome';
import {
	mayHaveAccepted,
	readRetryAfter,
	retryDelay,
	type RetryPolicy,
} from '../../../nodes/MessagingService/api/retry';
import { failure, FAILURE_REASONS, response } from '../helpers/api';

const POLICY: RetryPolicy = { maxRetries: 5, maxRateLimitRetries: 10, retryOnServerError: false };
const BRAVE: RetryPolicy = { ...POLICY, retryOnServerError: true };
const PACED: RetryPolicy = { ...POLICY, maxRateLimitRetries: Infinity };

/** Whether it is repeated: always, if the user allows it, or never; "?" when the service may have acted. */
type Verdict = 'always' | 'allowed?' | 'never' | 'never?';

const UNEXPECTED: Outcome = { ...response(200), kind: 'unexpected' };

const TABLE: Array<[name: string, outcomes: Outcome[], idempotent: Verdict, write: Verdict]> = [
	['a success', [200, 202, 204].map((status) => response(status)), 'never', 'never'],
	[
		'a redirect',
		[300, 301, 302, 304, 307, 399].map((status) => response(status)),
		'never',
		'never',
	],
	[
		'a refusal',
		[400, 401, 403, 404, 407, 409, 422, 425, 428, 430, 498].map((status) => response(status)),
		'never',
		'never',
	],
	['a redirect to what was done', [response(303)], 'never', 'never?'],
	['a wait that was ended', [408, 499].map((status) => response(status)), 'always', 'allowed?'],
	['429', [response(429)], 'always', 'always'],
	['a gateway error', [502, 503, 504].map((status) => response(status)), 'always', 'allowed?'],
	[
		'a server error',
		[500, 501, 505, 520, 599].map((status) => response(status)),
		'never',
		'allowed?',
	],
	['what was not sent', [failure('notSent')], 'always', 'always'],
	['silence', [failure('broken'), failure('timeout')], 'always', 'allowed?'],
	['a cancelled request', [failure('cancelled')], 'never', 'never?'],
	['an answer that is not as promised', [UNEXPECTED], 'never', 'never?'],
	[
		'an answer without an end',
		[failure('tooSlow', ''), failure('tooLarge', '10 MB')],
		'never',
		'never?',
	],
	[
		'what will not pass',
		(['notStarted', 'heldBack', 'insecure', 'invalid', 'foreignLink'] as const).map((reason) =>
			failure(reason),
		),
		'never',
		'never',
	],
];

test.each(TABLE)('%s', (_name, outcomes, idempotent, write) => {
	for (const [methods, verdict] of [
		[['GET', 'DELETE'], idempotent],
		[['POST', 'PATCH'], write],
	] as const) {
		for (const method of methods) {
			for (const outcome of outcomes) {
				expect({
					repeated: retryDelay(method, POLICY, outcome, 0) !== undefined,
					repeatedIfAllowed: retryDelay(method, BRAVE, outcome, 0) !== undefined,
					mayHaveBeenAccepted: mayHaveAccepted(method, outcome),
				}).toEqual({
					repeated: verdict === 'always',
					repeatedIfAllowed: !verdict.startsWith('never'),
					mayHaveBeenAccepted: verdict.endsWith('?'),
				});
			}
		}
	}
});

test('the table covers every reason', () => {
	const covered = TABLE.flatMap(([, outcomes]) => outcomes).map((each) => Object(each).reason);
	expect(covered).toEqual(expect.arrayContaining([...FAILURE_REASONS]));
});

test.each([
	['the retries are used up', POLICY, response(503), 5, false],
	['one retry is left', POLICY, response(503), 4, true],
	['no retries are wanted', { ...POLICY, maxRetries: 0 }, response(503), 0, false],
	['no retries are wanted, not sent', { ...PACED, maxRetries: 0 }, failure('notSent'), 0, false],
	[
		'no retries are wanted, but 429 is waited out',
		{ ...PACED, maxRetries: 0 },
		response(429),
		0,
		true,
	],
	['429 came a million times', PACED, response(429), 1_000_000, true],
	['429 has a budget of its own', POLICY, response(429), 9, true],
	['the budget for 429 is used up', POLICY, response(429), 10, false],
] satisfies Array<[string, RetryPolicy, Outcome, number, boolean]>)(
	'when %s',
	(_name, policy, outcome, retries, repeats) => {
		expect(retryDelay('GET', policy, outcome, retries) !== undefined).toBe(repeats);
	},
);

test.each([
	['half a minute', response(503), 30_000],
	['ten seconds after 429', response(429), 10_000],
])('waits at random up to a bound that doubles, at most %s', (_name, outcome, longest) => {
	const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
	const policy = { ...PACED, maxRetries: Infinity };
	fc.assert(
		fc.property(fc.nat({ max: 60 }), anyRandom, (retries, random) => {
			const delay = retryDelay('GET', policy, outcome, retries, () => random);
			expect(delay).toBe(random * Math.min(longest, 1_000 * 2 ** retries));
		}),
		{ numRuns: 300 },
	);
});

test('waits as long as the service asks for', () => {
	const outcome = response(503, '', { 'retry-after': '7' });
	expect(retryDelay('GET', POLICY, outcome, 0, () => 0.5)).toBe(7_000);
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
		['0.01', 100],
		['900', 900_000],
		['901', 900_000],
		['99999999999999999999999', 900_000],
	])('reads %j seconds', (value, delay) => {
		expect(read(value)).toBe(delay);
	});

	test.each([
		['Sat, 31 Jan 2026 12:00:30 GMT', undefined, 31_000],
		['Sat, 31 Jan 2026 12:00:30 GMT', 'Sat, 31 Jan 2026 12:00:10 GMT', 21_000],
		['Sat, 31 Jan 2026 12:00:30 GMT', 'not a date', 31_000],
		['Saturday, 31-Jan-26 12:00:30 GMT', undefined, 31_000],
		['Sat Jan 31 12:00:30 2026 GMT', undefined, 31_000],
		['Sat, 31 Jan 2026 11:00:00 GMT', undefined, 100],
		['Sat, 31 Jan 2026 11:00:00 GMT', 'Sat, 31 Jan 2026 10:59:00 GMT', 61_000],
		['Sun, 01 Feb 2026 12:00:00 GMT', undefined, 900_000],
	])('reads the date %j, with %j as the time at the service', (value, date, delay) => {
		expect(read(value, date)).toBe(delay);
	});

	test.each([
		'',
		'  ',
		'soon',
		'NaN',
		'Infinity',
		'null',
		'-5',
		'-1',
		'1, 5',
		'about 5',
		'May 5',
		'5 s',
		'x5',
		'Sat, 99 Jan 2026 12:00:30 GMT',
		'x Sat, 31 Jan 2026 12:00:30 GMT',
	])('takes %j for nothing', (value) => expect(read(value)).toBeUndefined());

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
			{ numRuns: 1_000 },
		);
	});
});
