import fc from 'fast-check';
import { DateTime } from 'luxon';
import { failureOf, parametersOf } from '../helpers/parameters';

const WORDS = { label: 'Some Field', advice: 'Look it up.' };
const ID = '123e4567-e89b-12d3-a456-426614174000';
const LABELLED = /"Some Field"/;

describe('text', () => {
	test.each([
		['Ada', 'Ada'],
		['  Ada \n', 'Ada'],
		[5550100, '5550100'],
		[0, '0'],
		['', undefined],
		['   ', undefined],
		[null, undefined],
		[undefined, undefined],
	])('reads %j as %j', (value, expected) => {
		expect(parametersOf({ field: value }).text('field', WORDS)).toBe(expected);
	});

	test.each([[true], [NaN], [Infinity], [{}], [['a']], [new Date()]])('refuses %p', (value) => {
		const error = failureOf(() => parametersOf({ field: value }).text('field', WORDS));
		expect(error.message).toMatch(LABELLED);
	});

	test('is missed where it has to be there, and the user is told where to find it', () => {
		const error = failureOf(() => parametersOf({ field: ' ' }).requiredText('field', WORDS));
		expect(error.message).toBe('"Some Field" is empty');
		expect(error.description).toBe('Look it up.');
	});
});

describe('uuid', () => {
	test.each([[ID], [ID.toUpperCase()], [` ${ID} `]])('reads %j', (value) => {
		expect(parametersOf({ field: value }).uuid('field', WORDS)).toBe(value.trim());
	});

	test.each([[''], [null], [undefined]])('takes %j for no ID', (value) => {
		expect(parametersOf({ field: value }).uuid('field', WORDS)).toBeUndefined();
		expect(() => parametersOf({ field: value }).requiredUuid('field', WORDS)).toThrow(
			'"Some Field" is empty',
		);
	});

	test.each([
		['42'],
		[42],
		[`${ID}0`],
		[ID.replaceAll('-', '')],
		[`{${ID}}`],
		[`${ID}/..`],
		[ID.replace('1', 'g')],
		[`${ID}\n${ID}`],
	])('refuses %j and shows it', (value) => {
		const error = failureOf(() => parametersOf({ field: value }).requiredUuid('field', WORDS));
		expect(error.message).toBe('"Some Field" is not a valid ID');
		expect(error.description).toContain(String(value));
		expect(error.description).toContain('Look it up.');
	});

	test('reads every UUID and nothing that is longer', () => {
		fc.assert(
			fc.property(fc.uuid(), fc.string({ minLength: 1 }), (id, more) => {
				expect(parametersOf({ field: id }).requiredUuid('field', WORDS)).toBe(id);
				fc.pre(more.trim() !== '');
				expect(() => parametersOf({ field: id + more }).uuid('field', WORDS)).toThrow(LABELLED);
			}),
			{ numRuns: 300 },
		);
	});
});

describe('integer', () => {
	test.each([
		[5, 5],
		['5', 5],
		[' 5 ', 5],
		[0, 0],
		['0', 0],
		['', undefined],
		[null, undefined],
		[undefined, undefined],
	])('reads %j as %p', (value, expected) => {
		expect(parametersOf({ field: value }).integer('field', 0, WORDS)).toBe(expected);
	});

	test.each([
		[-1],
		['-1'],
		[1.5],
		['1.5'],
		['five'],
		[NaN],
		[Infinity],
		[2 ** 53],
		[true],
		[{}],
		[[]],
	])('refuses %p', (value) => {
		const error = failureOf(() => parametersOf({ field: value }).integer('field', 0, WORDS));
		expect(error.message).toBe('"Some Field" has to be a whole number of at least 0');
	});

	test('refuses what is below the least', () => {
		expect(() => parametersOf({ field: 0 }).integer('field', 1, WORDS)).toThrow('of at least 1');
		expect(parametersOf({ field: 1 }).integer('field', 1, WORDS)).toBe(1);
	});

	test('takes blanks for an empty field, as the other readers do', () => {
		expect(parametersOf({ field: ' ' }).integer('field', 0, WORDS)).toBeUndefined();
	});
});

describe('boolean', () => {
	test.each([
		[true, true],
		[false, false],
		['true', true],
		['FALSE', false],
		[' True ', true],
		['', undefined],
		[null, undefined],
		[undefined, undefined],
	])('reads %j as %p', (value, expected) => {
		expect(parametersOf({ field: value }).boolean('field', WORDS)).toBe(expected);
	});

	test.each([[1], [0], ['yes'], ['1'], [{}], [[]]])('refuses %j', (value) => {
		const error = failureOf(() => parametersOf({ field: value }).boolean('field', WORDS));
		expect(error.message).toBe('"Some Field" has to be true or false');
	});
});

describe('object', () => {
	test.each([
		['{"a":1}', { a: 1 }],
		[' {} ', {}],
		[{ a: [1] }, { a: [1] }],
	])('reads %j', (value, expected) => {
		expect(parametersOf({ field: value }).object('field', WORDS)).toEqual(expected);
	});

	test.each([
		['', 'is not valid JSON', /It is empty/],
		['  ', 'is not valid JSON', /It is empty/],
		['{a:1}', 'is not valid JSON', /double quotes/],
		['{"a":1,}', 'is not valid JSON', /no comma after the last/],
		['[1]', 'has to be a JSON object', /in braces/],
		['"text"', 'has to be a JSON object', /in braces/],
		['null', 'has to be a JSON object', /in braces/],
		[[1], 'has to be a JSON object', /in braces/],
		[5, 'has to be a JSON object', /This is 5/],
		[undefined, 'has to be a JSON object', /in braces/],
	])('refuses %j', (value, message, description) => {
		const error = failureOf(() => parametersOf({ field: value }).object('field', WORDS));
		expect(error.message).toBe(`"Some Field" ${message}`);
		expect(error.description).toMatch(description);
	});

	test('does not show all of a long value', () => {
		const value = JSON.stringify(['x'.repeat(5_000)]);
		const error = failureOf(() => parametersOf({ field: value }).object('field', WORDS));
		expect(String(error.description).length).toBeLessThan(300);
	});

	test('reads every object, as text or as itself', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
				const text = JSON.stringify(object);
				expect(parametersOf({ field: text }).object('field', WORDS)).toEqual(JSON.parse(text));
				expect(parametersOf({ field: object }).object('field', WORDS)).toBe(object);
			}),
			{ numRuns: 300 },
		);
	});
});

describe('date', () => {
	const read = (value: unknown, timezone?: string) =>
		parametersOf({ field: value }, { timezone }).date('field', WORDS)?.toISOString();

	test.each([
		['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.000Z'],
		['2026-01-31T08:00:00.123+02:00', '2026-01-31T06:00:00.123Z'],
		['2026-01-31T08:00:00', '2026-01-31T07:00:00.000Z'],
		['2026-01-31 08:00:00', '2026-01-31T07:00:00.000Z'],
		[' 2026-01-31T08:00:00 ', '2026-01-31T07:00:00.000Z'],
		['2026-01-31', '2026-01-30T23:00:00.000Z'],
		['2026-07-31', '2026-07-30T22:00:00.000Z'],
		['Sat, 31 Jan 2026 08:00:00 GMT', '2026-01-31T08:00:00.000Z'],
		['Sat, 31 Jan 2026 08:00:00 +0100', '2026-01-31T07:00:00.000Z'],
	])('reads the text %j in Berlin', (value, expected) => {
		expect(read(value)).toBe(expected);
	});

	test.each([
		['UTC', '2026-03-29T02:30:00', '2026-03-29T02:30:00.000Z'],
		['America/New_York', '2026-01-31T08:00:00', '2026-01-31T13:00:00.000Z'],
		['Asia/Kolkata', '2026-01-31T08:00:00', '2026-01-31T02:30:00.000Z'],
		['Pacific/Kiritimati', '2026-01-31', '2026-01-30T10:00:00.000Z'],
		// The day on which the clocks go forward, and the hour that is missing from it.
		['Europe/Berlin', '2026-03-29T01:59:59', '2026-03-29T00:59:59.000Z'],
		['Europe/Berlin', '2026-03-29T03:00:00', '2026-03-29T01:00:00.000Z'],
		['Europe/Berlin', '2026-03-29T02:30:00', '2026-03-29T01:30:00.000Z'],
		// The day on which they go back, around the hour that comes twice.
		['Europe/Berlin', '2026-10-25T01:59:59', '2026-10-24T23:59:59.000Z'],
		['Europe/Berlin', '2026-10-25T03:00:00', '2026-10-25T02:00:00.000Z'],
	])('reads a text without a zone in %s: %s', (timezone, value, expected) => {
		expect(read(value, timezone)).toBe(expected);
	});

	test('reads an hour that comes twice as one of the two', () => {
		expect(['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']).toContain(
			read('2026-10-25T02:30:00'),
		);
	});

	test('reads what expressions give', () => {
		const moment = DateTime.fromISO('2026-01-31T08:00:00', { zone: 'Asia/Tokyo' });
		expect(read(moment)).toBe('2026-01-30T23:00:00.000Z');
		expect(read(moment.toJSDate())).toBe('2026-01-30T23:00:00.000Z');
		expect(read(moment.toMillis())).toBe('2026-01-30T23:00:00.000Z');
	});

	test.each([[''], [null], [undefined]])('takes %j for no date', (value) => {
		expect(read(value)).toBeUndefined();
	});

	test.each([
		['yesterday'],
		['5'],
		['2026-13-01'],
		[new Date(NaN)],
		[DateTime.invalid('for the test')],
		[NaN],
		[Infinity],
		[{}],
		[true],
		[[]],
	])('refuses %p', (value) => {
		const error = failureOf(() => read(value));
		expect(error.message).toBe('"Some Field" is not a valid date');
		expect(error.description).toMatch(/2026-01-31/);
	});

	// What n8n's parser does not know goes to the one of JavaScript, which guesses.
	test.each([['2026-02-30T00:00:00'], ['order 2026']])('refuses %p, which is no date', (value) => {
		expect(() => read(value)).toThrow('"Some Field" is not a valid date');
	});

	test('refuses a written-out date without a zone, which cannot be read for certain', () => {
		expect(() => read('Jan 31, 2026 08:00')).toThrow('"Some Field" is not a valid date');
	});

	test('reads Unix time in seconds too', () => {
		expect(read(1_769_846_400)).toBe('2026-01-31T08:00:00.000Z');
		expect(read('1769846400')).toBe('2026-01-31T08:00:00.000Z');
		expect(read('1769846400000')).toBe('2026-01-31T08:00:00.000Z');
	});

	test('reads every moment as itself, in whichever zone', () => {
		const zones = fc.constantFrom(
			'UTC',
			'Europe/Berlin',
			'America/St_Johns',
			'Australia/Lord_Howe',
		);
		const dates = fc.date({
			min: new Date('1975-01-01'),
			max: new Date('2099-12-31'),
			noInvalidDate: true,
		});
		fc.assert(
			fc.property(dates, zones, zones, (date, zone, timezone) => {
				const moment = DateTime.fromJSDate(date, { zone });
				for (const value of [date, date.getTime(), date.toISOString(), moment, moment.toISO()]) {
					expect(read(value, timezone)).toBe(date.toISOString());
				}
			}),
			{ numRuns: 300 },
		);
	});
});
