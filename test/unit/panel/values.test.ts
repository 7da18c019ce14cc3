import { DateTime } from 'luxon';
import { readMessageFilters } from '../../../nodes/MessagingService/operations/message/filters';
import { type Ambiguous, readDate } from '../../../nodes/MessagingService/panel/date';
import { dropdown, type Field } from '../../../nodes/MessagingService/panel/field';
import { readId } from '../../../nodes/MessagingService/panel/ids';
import { readJsonObject } from '../../../nodes/MessagingService/panel/jsonField';
import type { PanelValues } from '../../../nodes/MessagingService/panel/values';
import { failureOf, parametersOf } from '../helpers/parameters';

const FIELD: Field = {
	displayName: 'Some Field',
	name: 'field',
	type: 'string',
	default: '',
	advice: 'Look it up.',
};
const CHOICE = dropdown({
	...FIELD,
	options: [
		{ name: 'To the East', value: 'goEast' },
		{ name: 'To the West', value: 'goWest' },
	],
	default: 'goWest',
});
const COUNT = { ...FIELD, default: 7, typeOptions: { minValue: 1 } };
const NUMBER = { ...FIELD, default: 7, typeOptions: { minValue: 0, maxValue: 9 } };
const ID = '123e4567-e89b-12d3-a456-426614174000';

const READERS = {
	text: (values: PanelValues) => values.text(FIELD),
	'required text': (values: PanelValues) => values.requiredText(FIELD),
	texts: (values: PanelValues) => values.texts(FIELD),
	uuid: (values: PanelValues) => readId(values, FIELD),
	count: (values: PanelValues) => values.integer(COUNT),
	integer: (values: PanelValues) => values.integer(NUMBER),
	switch: (values: PanelValues) => values.isOn({ ...FIELD, default: true }),
	choice: (values: PanelValues) => values.choice(CHOICE),
	object: (values: PanelValues) => readJsonObject(values, FIELD),
	date: (values: PanelValues) => readDate(values, FIELD),
};

type Reader = keyof typeof READERS;

const read = (reader: Reader, field: unknown) => READERS[reader](parametersOf({ field }));

const EMPTY = ['', '  ', null, undefined];

test.each<[Reader, unknown, unknown[]]>([
	['text', 'Ada', ['Ada', '  Ada \n', { __rl: true, mode: 'id', value: 'Ada ' }]],
	[
		'text',
		'ada@example.com',
		['ada@example\u200b.com', '\ufeffada@\u2060example.com\u202c\u200d '],
	],
	// What joins letters and signs is a part of them.
	[
		'text',
		'\u0646\u06cc\u200c\u0645 \u2764\ufe0f\u200d\ud83d\udd25',
		['\u0646\u06cc\u200c\u0645 \u2764\ufe0f\u200d\ud83d\udd25\u200b'],
	],
	['text', '5550100', [5550100]],
	['text', '0', [0]],
	['text', '', [...EMPTY, '\u200b \ufeff', { __rl: true, mode: 'list', value: '' }]],
	[
		'texts',
		['a', 'b', '5'],
		['a, b,5', 'a,\u200b b\u200b, 5', [' a', 'b ', 5], ['a,b', ' , ', '5']],
	],
	['texts', [], [...EMPTY, [], ',']],
	['uuid', ID.toUpperCase(), [ID.toUpperCase()]],
	['integer', 5, [5, '5', '5\u200b', ' 5 ']],
	['integer', 0, [0, '0']],
	['integer', 9, [9]],
	['integer', 7, EMPTY],
	['switch', true, [true, 'true', ' True ', ...EMPTY]],
	['switch', false, [false, 'FALSE']],
	['choice', 'goEast', ['goEast', 'go\u200bEast\u202c', ' GOEAST\n', 'to the east']],
	['choice', 'goWest', EMPTY],
	['object', {}, ['{}', '\ufeff{\u00a0}\u200b', ' {} ', {}]],
	['object', { 'a\u200b': '\u00a0' }, ['\ufeff{\u00a0"a\u200b"\u200b:\u2003"\u00a0"}']],
	['date', undefined, EMPTY],
])('%s: %j is read of %j', (reader, expected, values) => {
	for (const value of values) expect(read(reader, value)).toEqual(expected);
});

const NO_ID = ['42', `${ID}0`, ID.replaceAll('-', ''), `${ID}/..`, `${ID}\n${ID}`];
const CUT = [ID.slice(1), ID.slice(0, 20)];
const NO_INTEGER = [-1, '-1', 10, 1.5, '1.5', 'five', NaN, Infinity, 2 ** 53, true, {}, []];
// What n8n's parser of dates does not know goes to the one of JavaScript, which guesses.
const NO_DATE = [
	...['2026-11-02 25:00', '2026-11-02 9:60', '2026-11-02 9:30 AM', '11/2/2026 9:30:00'],
	...['2.11.2026', '9:30 AM', '2026-11/02', '46328.39', '20260131080000', 'yesterday', '5'],
	...['2026-13-01', '2026-02-30T00:00:00', 'order 2026', 'Jan 31, 2026 08:00'],
	...[new Date(NaN), DateTime.invalid('for the test'), NaN, Infinity, {}, true, [], [1, 2]],
];

test.each<[Reader, unknown[], string, RegExp]>([
	['text', [true, NaN, Infinity, {}, ['a'], new Date()], 'has to be text', /The value is /],
	['text', [2 ** 53], 'is a number that is too long to be exact', /lost its last digits/],
	['required text', EMPTY, 'is empty', /^Look it up\.$/],
	['uuid', NO_ID, 'is not a valid ID', /^Look it up\. .*The value is ".*(42|123e4567)/],
	[
		'uuid',
		CUT,
		'is incomplete: a part of the ID is missing',
		/^Look it up\. An ID looks like 123e/,
	],
	['count', [0], 'has to be a whole number of at least 1', /^Look it up\. The value is 0\.$/],
	['integer', NO_INTEGER, 'has to be a whole number from 0 to 9', /^Look it up\. The value is /],
	['switch', [1, 0, 'yes', '1', {}, []], 'has to be true or false', /The value is /],
	['object', EMPTY, 'is empty', /^Look it up\.$/],
	['object', ['{a:1}', '{"a":1,}'], 'is not valid JSON', /double quotes.*no comma after the last/],
	[
		'object',
		['{"phone":"1","note":"","phone":"2"}'],
		'has the name "phone" twice',
		/JSON\.stringify/,
	],
	[
		'object',
		['{"a": 12345678901234567890}'],
		'has a number that is too long to be exact: 12345678901234567890',
		/in double quotes/,
	],
	['object', ['[1]', '"text"', 'null', [1], 5], 'has to be a JSON object', /in braces/],
	['date', NO_DATE, 'is not a valid date', /2026-01-31/],
])('%s: %j is refused, as it %s', (reader, values, message, description) => {
	for (const value of values) {
		const problem = failureOf(() => read(reader, value));
		expect(problem.message).toBe(`"Some Field" ${message}`);
		expect(problem.description).toMatch(description);
	}
});

test('JSON without an end is refused in a time that grows with its length, not with the square of it', () => {
	/** Microseconds of processor time for so many quotes. */
	const costOf = (quotes: number): number => {
		const before = process.cpuUsage();
		const problem = failureOf(() => read('object', `{"a":${'\\"'.repeat(quotes)}\\`));
		expect(problem.message).toBe('"Some Field" is not valid JSON');
		const { user, system } = process.cpuUsage(before);
		return user + system;
	};
	costOf(7_500);
	// Sixteen times as many take about sixteen times as long, and 256 times if each were tried as a beginning.
	expect(costOf(120_000)).toBeLessThan(70 * costOf(7_500));
});

test('a filter may be a date by expression', () => {
	const parameters = parametersOf({ filters: { after: DateTime.fromMillis(1_769_846_400_000) } });
	expect(readMessageFilters(parameters, {}).after?.getTime()).toBe(1_769_846_400_000);
});

test('an unknown choice is refused with those that are accepted', () => {
	const problem = failureOf(() => read('choice', 'north'));
	expect(problem.message).toBe('"Some Field" has an unknown value: "north"');
	expect(problem.description).toBe('Use one of these: To the East, To the West.');
});

describe('date', () => {
	const readIn = (timezone: string, field: unknown) =>
		readDate(parametersOf({ field }, { timezone }), FIELD)?.toISOString();

	test.each([
		['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.000Z'],
		['2026-01-31T08:00:00', '2026-01-31T07:00:00.000Z'],
		[' 2026-01-31 08:00:00 ', '2026-01-31T07:00:00.000Z'],
		['2026-01-31', '2026-01-30T23:00:00.000Z'],
		['2026-07-31', '2026-07-30T22:00:00.000Z'],
		[1_769_846_400, '2026-01-31T08:00:00.000Z'],
		['1769846400000', '2026-01-31T08:00:00.000Z'],
		[new Date(1_769_846_400_123), '2026-01-31T08:00:00.123Z'],
		[DateTime.fromISO('2026-01-31T08:00:00.123+02:00'), '2026-01-31T06:00:00.123Z'],
		// As sheets and databases write it.
		['2026-11-02 9:30:00', '2026-11-02T08:30:00.000Z'],
		['2026-11-02 09:30:00.123456+00', '2026-11-02T09:30:00.123Z'],
		['2026-11-02 09:30:00 +01:00', '2026-11-02T08:30:00.000Z'],
		// The hour that is missing when the clocks go forward.
		['2026-03-29T02:30:00', '2026-03-29T01:30:00.000Z'],
	])('in Berlin, %j is %s', (value, expected) => {
		expect(readIn('Europe/Berlin', value)).toEqual(expected);
	});

	test('of the hour that comes twice is its earlier moment or its later one, all year round', () => {
		const readIt = (field: string, twice: Ambiguous) => {
			const values = parametersOf({ field }, { timezone: 'America/New_York' });
			return readDate(values, FIELD, twice)?.toISOString();
		};
		jest.useFakeTimers();
		for (const today of ['2026-07-01', '2026-12-01']) {
			jest.setSystemTime(new Date(today));
			expect(readIt('2026-11-01T01:30', 'earlier')).toBe('2026-11-01T05:30:00.000Z');
			expect(readIt('2026-11-01T01:30', 'later')).toBe('2026-11-01T06:30:00.000Z');
			expect(readIt('2026-11-01T01:30-04:00', 'later')).toBe('2026-11-01T05:30:00.000Z');
		}
		jest.useRealTimers();
	});

	test('is read in a time that grows with its length, not with the square of it', () => {
		const blanks = ' '.repeat(2_000_000);
		expect(readIn('UTC', `2026-01-31${blanks}08:00${blanks}Z`)).toBe('2026-01-31T08:00:00.000Z');
		expect(failureOf(() => readIn('UTC', `2026-01-31 08:00${blanks}x`)).message).toContain('valid');
	});
});
