import fc from 'fast-check';
import type { Outcome } from '../../../nodes/MessagingService/transport/exchange';
import {
	classify,
	isRateLimited,
	readRetryAfter,
	type Repeat,
	retryDelay,
	type RetryPolicy,
} from '../../../nodes/MessagingService/transport/retry';
import { failure, FAILURE_REASONS, response } from '../helpers/outcomes';

type Row = [outcome: string, GET: Repeat, write: Repeat];

const STATUS_ROWS: Row[] = [
	['200', 'never', 'never'],
	['202', 'never', 'never'],
	['204', 'never', 'never'],
	['301', 'never', 'never'],
	['307', 'never', 'never'],
	['400', 'never', 'never'],
	['401', 'never', 'never'],
	['403', 'never', 'never'],
	['404', 'never', 'never'],
	['408', 'never', 'never'],
	['409', 'never', 'never'],
	['422', 'never', 'never'],
	['429', 'safe', 'safe'],
	['500', 'never', 'uncertain'],
	['501', 'never', 'uncertain'],
	['502', 'safe', 'uncertain'],
	['503', 'safe', 'uncertain'],
	['504', 'safe', 'uncertain'],
	['505', 'never', 'uncertain'],
	['520', 'never', 'uncertain'],
	['599', 'never', 'uncertain'],
];

const FAILURE_ROWS: Row[] = [
	['notSent', 'safe', 'safe'],
	['broken', 'safe', 'uncertain'],
	['timeout', 'safe', 'uncertain'],
	['cancelled', 'never', 'never'],
	['notStarted', 'never', 'never'],
	['insecure', 'never', 'never'],
	['invalid', 'never', 'never'],
];

describe('classify', () => {
	test.each(STATUS_ROWS)('status %s: GET %s, POST and PATCH %s', (status, read, write) => {
		const outcome = response(Number(status));
		expect(classify('GET', outcome)).toBe(read);
		expect(classify('POST', outcome)).toBe(write);
		expect(classify('PATCH', outcome)).toBe(write);
	});

	test.each(FAILURE_ROWS)('%s: GET %s, POST and PATCH %s', (reason, read, write) => {
		const outcome = FAILURE_REASONS.filter((each) => each === reason).map((each) => failure(each));
		expect(outcome).toHaveLength(1);
		expect(outcome.map((each) => classify('GET', each))).toEqual([read]);
		expect(outcome.map((each) => classify('POST', each))).toEqual([write]);
		expect(outcome.map((each) => classify('PATCH', each))).toEqual([write]);
	});

	test('the table covers every reason', () => {
		expect(FAILURE_ROWS.map(([reason]) => reason).sort()).toEqual([...FAILURE_REASONS].sort());
	});
});

const anyOutcome: fc.Arbitrary<Outcome> = fc.oneof(
	fc.integer({ min: 100, max: 599 }).map((status) => response(status)),
	fc.constantFrom(...FAILURE_REASONS).map((reason) => failure(reason)),
);

const READ: RetryPolicy = {
	method: 'GET',
	maxRetries: 5,
	maxRateLimitRetries: 10,
	retryOnServerError: false,
};
const WEBHOOK: RetryPolicy = { ...READ, method: 'POST', maxRateLimitRetries: Infinity };

describe('retryDelay', () => {
	test('a write is sent again only when it certainly had no effect', () => {
		fc.assert(
			fc.property(
				anyOutcome,
				fc.constantFrom('POST' as const, 'PATCH' as const),
				fc.nat({ max: 4 }),
				(outcome, method, retries) => {
					const certain =
						(outcome.kind === 'response' && outcome.status === 429) ||
						(outcome.kind === 'failure' && outcome.reason === 'notSent');
					const delay = retryDelay({ ...READ, method }, outcome, retries);
					expect(delay !== undefined).toBe(certain);
				},
			),
			{ numRuns: 1_000 },
		);
	});

	test('waits at random up to a bound that doubles, at most half a minute', () => {
		fc.assert(
			fc.property(
				fc.nat({ max: 60 }),
				fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
				(retries, random) => {
					const policy = { ...READ, maxRetries: 100 };
					const delay = retryDelay(policy, response(503), retries, () => random);
					expect(delay).toBe(random * Math.min(30_000, 1_000 * 2 ** retries));
				},
			),
			{ numRuns: 500 },
		);
	});

	test('waits ten seconds at most between tries against a rate limit', () => {
		fc.assert(
			fc.property(
				fc.nat({ max: 100_000 }),
				fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
				(retries, random) => {
					const delay = retryDelay(WEBHOOK, response(429), retries, () => random);
					expect(delay).toBe(random * Math.min(10_000, 1_000 * 2 ** retries));
				},
			),
			{ numRuns: 500 },
		);
	});

	test('waits as long as the service asks for', () => {
		const outcome = response(503, '', { 'retry-after': '7' });
		expect(retryDelay(READ, outcome, 0, () => 0.5)).toBe(7_000);
	});

	test.each([
		['the retries are used up', READ, response(503), 5, false],
		['one retry is left', READ, response(503), 4, true],
		['no retries are wanted', { ...READ, maxRetries: 0 }, response(503), 0, false],
		[
			'no retries are wanted, not sent',
			{ ...WEBHOOK, maxRetries: 0 },
			failure('notSent'),
			0,
			false,
		],
		[
			'no retries are wanted, but 429 is waited out',
			{ ...WEBHOOK, maxRetries: 0 },
			response(429),
			0,
			true,
		],
		['429 came a million times', WEBHOOK, response(429), 1_000_000, true],
		['429 has a budget of its own', READ, response(429), 9, true],
		['the budget for 429 is used up', READ, response(429), 10, false],
		[
			'the user accepts a second run',
			{ ...WEBHOOK, retryOnServerError: true },
			response(500),
			0,
			true,
		],
		[
			'the user accepts a second run, time-out',
			{ ...WEBHOOK, retryOnServerError: true },
			failure('timeout'),
			0,
			true,
		],
		[
			'the request itself is wrong',
			{ ...WEBHOOK, retryOnServerError: true },
			response(400),
			0,
			false,
		],
		[
			'the execution was cancelled',
			{ ...WEBHOOK, retryOnServerError: true },
			failure('cancelled'),
			0,
			false,
		],
	] satisfies Array<[string, RetryPolicy, Outcome, number, boolean]>)(
		'when %s',
		(_name, policy, outcome, retries, repeats) => {
			expect(retryDelay(policy, outcome, retries) !== undefined).toBe(repeats);
		},
	);
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
		['Sat, 31 Jan 2026 11:00:00 GMT', undefined, 100],
		['Sat, 31 Jan 2026 11:00:00 GMT', 'Sat, 31 Jan 2026 10:59:00 GMT', 61_000],
		['Sun, 01 Feb 2026 12:00:00 GMT', undefined, 900_000],
	])('reads the date %j, with %j as the time at the service', (value, date, delay) => {
		expect(read(value, date)).toBe(delay);
	});

	test.each([[''], ['  '], ['soon'], ['NaN'], ['Infinity'], ['null']])(
		'takes %j for nothing',
		(value) => {
			expect(read(value)).toBeUndefined();
		},
	);

	test.each([['-5'], ['-1'], ['1, 5'], ['about 5']])('takes %j for nothing, too', (value) => {
		expect(read(value)).toBeUndefined();
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
			{ numRuns: 1_000 },
		);
	});
});

test('only status 429 says that too many requests came', () => {
	expect(isRateLimited(response(429))).toBe(true);
	expect(isRateLimited(response(503))).toBe(false);
	expect(isRateLimited(failure('broken'))).toBe(false);
});
