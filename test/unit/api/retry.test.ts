import {
	type Answer,
	noResponse,
	type NoResponseReason,
	type Repeat,
} from '../../../nodes/MessagingService/api/request';
import {
	mayRepeat,
	outcomeOfAnswer,
	readRetryAfter,
	retryDelay,
} from '../../../nodes/MessagingService/api/retry';
import { response } from '../helpers/api';

const statuses = (...all: number[]) => all.map((status) => response(status));
const reasons = (...all: NoResponseReason[]) => all.map((reason) => noResponse(reason));
const UNEXPECTED: Answer = { ...response(200), kind: 'unexpected' };

const ALL: Repeat[] = ['idempotent', 'ifRefused', 'evenIfUnknown'];
const IF_TWICE_IS_FINE: Repeat[] = ['idempotent', 'evenIfUnknown'];
const GATEWAY_ERRORS = statuses(502, 503, 504, 520, 522, 527, 530);
const SERVER_ERRORS = statuses(500, 501, 505, 519, 528, 599);
const WILL_NOT_PASS = reasons('cancelled', 'stalled', 'outage', 'insecure', 'foreignLink');

/** Which requests are repeated, and what became of one that changes something. */
const TABLE: Array<[name: string, Answer[], Repeat[], 'refused' | 'unknown']> = [
	['429', statuses(429), ALL, 'refused'],
	['what was not sent', reasons('unreachable'), ALL, 'refused'],
	['a wait that was ended', statuses(408, 499), IF_TWICE_IS_FINE, 'unknown'],
	['silence', reasons('broken', 'timeout'), IF_TWICE_IS_FINE, 'unknown'],
	['a gateway error', GATEWAY_ERRORS, IF_TWICE_IS_FINE, 'unknown'],
	['a server error', SERVER_ERRORS, ['evenIfUnknown'], 'unknown'],
	['an answer without an end', reasons('tooLarge'), [], 'unknown'],
	['an answer that is not as promised', [UNEXPECTED], [], 'unknown'],
	['a redirect', statuses(300, 301, 302, 303, 304, 307, 308, 399), [], 'unknown'],
	['a refusal', statuses(400, 401, 403, 404, 409, 422, 425, 430, 498), [], 'refused'],
	['what will not pass', WILL_NOT_PASS, [], 'refused'],
];

test.each(TABLE)('%s', (_name, answers, repeated, outcome) => {
	for (const answer of answers) {
		for (const repeat of ALL) {
			expect(mayRepeat(repeat, answer)).toBe(repeated.includes(repeat));
			expect(outcomeOfAnswer(repeat, answer)).toBe(repeat === 'idempotent' ? 'refused' : outcome);
		}
	}
});

test('the next try waits at random, up to a bound that doubles, for ten seconds at most', () => {
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
	const delays = Array.from({ length: 7 }, (_, retries) => retryDelay(response(503), retries));
	expect(delays).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
	jest.restoreAllMocks();
});

test('what the service asks for is waited for, where that is longer', () => {
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
	const delays = ['0', '7', 'soon'].map((value) =>
		retryDelay(response(503, '', { 'retry-after': value }), 1),
	);
	expect(delays).toEqual([1_000, 7_000, 1_000]);
	jest.restoreAllMocks();
});

describe('Retry-After', () => {
	const NOW = Date.parse('2026-01-31T12:00:00Z');
	const asked = (headers: Record<string, string>) =>
		readRetryAfter({ ...response(429, '', headers), sentAt: new Date(NOW) });

	test.each<[string, number | undefined]>([
		[' 5 ', 5_000],
		['1.5', 1_500],
		['0', 0],
		['99999', 900_000],
		['Sat, 31 Jan 2026 12:00:30 GMT', 31_000],
		['Saturday, 31-Jan-26 12:00:30 GMT', 31_000],
		['Sat, 31 Jan 2026 11:00:00 GMT', 0],
		['Sun, 01 Feb 2026 12:00:00 GMT', 900_000],
		[String(NOW / 1_000 + 20), 20_000],
		[String(NOW + 20_000), 20_000],
		[String(NOW / 1_000 - 20), 0],
		...['', 'soon', 'NaN', '-5', '1, 5', 'May 5', '5 s'].map((text): [string, undefined] => [
			text,
			undefined,
		]),
	])('of %j asks for %j ms', (value, delay) => {
		expect(asked({ 'retry-after': value })).toBe(delay);
	});

	test.each(['Sat, 31 Jan 2026 12:01:00 GMT', String(NOW / 1_000 + 61)])(
		'is read by the clock of the service: %s',
		(value) => {
			const date = 'Sat, 31 Jan 2026 12:00:30 GMT';
			expect(asked({ 'retry-after': value, date })).toBe(31_000);
		},
	);
});
