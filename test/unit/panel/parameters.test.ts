import { DateTime } from 'luxon';
import { requireFilterValues } from '../../../nodes/MessagingService/panel/filterFields';
import { readJsonObject } from '../../../nodes/MessagingService/panel/jsonField';
import type { ItemParameters } from '../../../nodes/MessagingService/panel/parameters';
import { MESSAGE_FILTERS } from '../../../nodes/MessagingService/operations/message/filters';
import { failureOf, parametersOf } from '../helpers/parameters';

const WORDS = { label: 'Some Field', advice: 'Look it up.' };
const ID = '123e4567-e89b-12d3-a456-426614174000';

const READERS = {
	text: (parameters: ItemParameters) => parameters.text('field', WORDS),
	'required text': (parameters: ItemParameters) => parameters.requiredText('field', WORDS),
	uuid: (parameters: ItemParameters) => parameters.toUuid(String(parameters.value('field')), WORDS),
	integer: (parameters: ItemParameters) => parameters.integer('field', 0, WORDS),
	boolean: (parameters: ItemParameters) => parameters.boolean('field', WORDS),
	object: (parameters: ItemParameters) => readJsonObject(parameters, 'field', WORDS),
	date: (parameters: ItemParameters) => parameters.date('field', WORDS),
};

type Reader = keyof typeof READERS;

const read = (reader: Reader, field: unknown) => READERS[reader](parametersOf({ field }));

const EMPTY = ['', '  ', null, undefined];

test.each<[Reader, unknown, unknown[]]>([
	['text', 'Ada', ['Ada', '  Ada \n', { __rl: true, mode: 'id', value: 'Ada ' }]],
	['text', '5550100', [5550100]],
	['text', '0', [0]],
	['text', undefined, [...EMPTY, { __rl: true, mode: 'list', value: '' }]],
	['uuid', ID.toUpperCase(), [ID.toUpperCase()]],
	['integer', 5, [5, '5', ' 5 ']],
	['integer', 0, [0, '0']],
	['integer', undefined, EMPTY],
	['boolean', true, [true, 'true', ' True ']],
	['boolean', false, [false, 'FALSE']],
	['boolean', undefined, EMPTY],
	['object', {}, ['{}', ' {} ', {}]],
	['date', undefined, EMPTY],
])('%s: %j is read of %j', (reader, expected, values) => {
	for (const value of values) expect(read(reader, value)).toEqual(expected);
});

const NO_ID = ['42', `${ID}0`, ID.replaceAll('-', ''), `${ID}/..`, `${ID}\n${ID}`];
const NO_INTEGER = [-1, '-1', 1.5, '1.5', 'five', NaN, Infinity, 2 ** 53, true, {}, []];
// What n8n's parser of dates does not know goes to the one of JavaScript, which guesses.
const NO_DATE = [
	...['2026-11-02 25:00', '2026-11-02 9:60', '2026-11-02 9:30 AM', '11/2/2026 9:30:00'],
	...['2.11.2026', '9:30 AM', '2026-11/02', '46328.39', '20260131080000', 'yesterday', '5'],
	...['2026-13-01', '2026-02-30T00:00:00', 'order 2026', 'Jan 31, 2026 08:00'],
	...[new Date(NaN), DateTime.invalid('for the test'), NaN, Infinity, {}, true, [], [1, 2]],
];

test.each<[Reader, unknown[], string, RegExp]>([
	['text', [true, NaN, Infinity, {}, ['a'], new Date()], 'has to be text', /^The value is /],
	['required text', EMPTY, 'is empty', /^Look it up\.$/],
	['uuid', NO_ID, 'is not a valid ID', /^Look it up\. .*The value is ".*(42|123e4567)/],
	['integer', NO_INTEGER, 'has to be a whole number of at least 0', /^The value is /],
	['boolean', [1, 0, 'yes', '1', {}, []], 'has to be true or false', /^The value is /],
	['object', EMPTY, 'is empty', /^Look it up\.$/],
	['object', ['{a:1}', '{"a":1,}'], 'is not valid JSON', /double quotes.*no comma after the last/],
	[
		'object',
		['{"phone":"1","note":"","phone":"2"}'],
		'has the name "phone" twice',
		/JSON\.stringify/,
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

test('a filter may be a date by expression', () => {
	const parameters = parametersOf({ filters: { after: DateTime.now() } });
	requireFilterValues(parameters, MESSAGE_FILTERS, {});
	expect(parameters.date('filters.after', WORDS)).toBeInstanceOf(Date);
});

describe('date', () => {
	const readIn = (timezone: string, field: unknown) =>
		parametersOf({ field }, { timezone }).date('field', WORDS)?.toISOString();

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
		const readIt = (text: string, twice: 'earlier' | 'later') =>
			parametersOf({ field: text }, { timezone: 'America/New_York' })
				.date('field', WORDS, twice)
				?.toISOString();
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
