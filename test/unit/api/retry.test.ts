import { type Answer, failure, type Repeat } from '../../../nodes/MessagingService/api/request';
import {
	mayRepeat,
	outcomeOf,
	readRetryAfter,
	retryDelay,
} from '../../../nodes/MessagingService/api/retry';
import { response } from '../helpers/api';

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
			expect(mayRepeat(repeat, answer)).toBe(repeated.includes(repeat));
			expect(outcomeOf(repeat, answer)).toBe(repeat === 'idempotent' ? 'refused' : outcome);
		}
	}
});

test.each([
	['half a minute', response(503), 30_000],
	['ten seconds after 429', response(429), 10_000],
])('waits at random up to a bound that doubles, at most %s', (_name, answer, longest) => {
	for (let retries = 0; retries < 60; retries++) {
		expect(retryDelay(answer, retries, () => 0.5)).toBe(
			0.5 * Math.min(longest, 1_000 * 2 ** retries),
		);
	}
});

test('waits as long as the service asks for', () => {
	const answer = response(503, '', { 'retry-after': '7' });
	expect(retryDelay(answer, 0, () => 0.5)).toBe(7_000);
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
});
