import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	conditions as field,
	describeCondition,
	holds as holdsFor,
	readConditions,
} from '../../../../nodes/MessagingService/trigger/filters/conditions';
import { problemOf } from '../panel';

const COMPARISONS = [
	'contains',
	'notContains',
	'notEquals',
	'notExists',
	'equals',
	'exists',
	'greaterThan',
	'lessThan',
	'startsWith',
];

const hold = (body: unknown, values: IDataObject[]) =>
	readConditions({ values }).every((condition) => holdsFor(body, condition));

/** What stands in the value of a condition that needs none does not matter. */
const holds = (actual: unknown, comparison: string, value: string) =>
	hold({ field: actual }, [{ field: 'field', comparison, value: value.trim() || 'x' }]);

test.each<[unknown, string, string, boolean]>([
	['delivered', 'equals', 'delivered', true],
	['delivered', 'equals', 'Delivered', false],
	[5, 'equals', '5', true],
	[true, 'equals', 'true', true],
	[['a', 'b'], 'equals', 'b', true],
	[undefined, 'equals', 'undefined', false],
	[{ a: 1 }, 'equals', '{"a":1}', true],
	['delivered', 'notEquals', 'sent', true],
	['sent', 'notEquals', 'sent', false],
	[undefined, 'notEquals', 'sent', false],
	[null, 'notEquals', 'sent', false],
	['', 'notEquals', 'sent', true],
	[[], 'notEquals', 'sent', true],
	[['a', 'b'], 'notEquals', 'b', false],
	['call me back', 'contains', 'back', true],
	['call me back', 'contains', 'Back', false],
	[['+15550100', '+15550101'], 'contains', '0101', true],
	[undefined, 'contains', 'u', false],
	[undefined, 'notContains', 'back', false],
	[null, 'notContains', 'back', false],
	[[], 'notContains', 'back', true],
	['call me', 'notContains', 'back', true],
	['call me back', 'notContains', 'back', false],
	['+15550100', 'startsWith', '+1', true],
	['x+1', 'startsWith', '+1', false],
	['x', 'exists', '', true],
	[0, 'exists', '', true],
	[false, 'exists', '', true],
	[[], 'exists', '', true],
	['', 'exists', '', false],
	[null, 'exists', '', false],
	[undefined, 'exists', '', false],
	[undefined, 'notExists', '', true],
	['x', 'notExists', '', false],
	[10, 'greaterThan', '9', true],
	['10', 'greaterThan', '9', true],
	[9, 'greaterThan', '9', false],
	[8.5, 'lessThan', '9', true],
	[-1, 'lessThan', '0', true],
	['2026-03-01T12:00:00Z', 'greaterThan', '2026-03-01', true],
	['2026-03-01T12:00:00Z', 'lessThan', '2026-03-01T13:00:00+00:00', true],
	['2026-03-01T12:00:00Z', 'lessThan', '2026-03-01T12:30:00+01:00', false],
	['step 5', 'greaterThan', '2000-01-01', false],
	['5', 'lessThan', '2026-01-01', false],
	['x', 'greaterThan', '1', false],
	['x', 'lessThan', '1', false],
	['', 'lessThan', '1', false],
	[null, 'lessThan', '1', false],
	[undefined, 'greaterThan', '-1', false],
	[[5], 'greaterThan', '1', false],
])('%j %s "%s": %s', (actual, comparison, value, expected) => {
	expect(holds(actual, comparison, value)).toBe(expected);
});

test('have to hold all', () => {
	const conditions = [
		{ field: 'status', comparison: 'equals', value: 'failed' },
		{ field: 'data.code', comparison: 'greaterThan', value: '30000' },
	];
	expect(hold({ status: 'failed', data: { code: 30_007 } }, conditions)).toBe(true);
	expect(hold({ status: 'failed', data: { code: 1 } }, conditions)).toBe(false);
	expect(hold({ data: { code: 30_007 } }, conditions)).toBe(false);
});

test('compare any two JSON values without failing', () => {
	const comparison = fc.constantFrom(...COMPARISONS);
	fc.assert(
		fc.property(fc.jsonValue(), comparison, fc.string(), (actual, each, value) => {
			expect(typeof holds(actual, each, value)).toBe('boolean');
		}),
	);
});

test('are what the panel offers, each of which is read, and nothing else is', () => {
	const [row] = field.options ?? [];
	const offered = JSON.stringify(row);
	for (const comparison of COMPARISONS) {
		expect(offered).toContain(`"value":"${comparison}"`);
		expect(readConditions({ values: [{ field: 'x', comparison, value: 'y' }] })).toMatchObject([
			{ field: 'x', comparison: { value: comparison }, value: 'y' },
		]);
	}
	expect(offered).toContain('"hide":{"comparison":["notExists","exists"]}');
	for (const comparison of ['regex', 'Equals', '', 5, '__proto__']) {
		const { message } = problemOf(() => readConditions({ values: [{ field: 'x', comparison }] }));
		expect(message).toContain('"Comparison" has an unknown value');
	}
});

test('are read without white space', () => {
	const values = [
		{ field: ' status ', comparison: 'notEquals', value: ' sent ' },
		{ field: 'code', value: 5 },
		{ field: 'code', comparison: 'exists' },
	];
	expect(readConditions({ values })).toMatchObject([
		{ field: 'status', comparison: { value: 'notEquals' }, value: 'sent' },
		{ field: 'code', comparison: { value: 'equals' }, value: '5' },
		{ field: 'code', comparison: { value: 'exists' }, value: '' },
	]);
	expect(readConditions(undefined)).toEqual([]);
});

test.each<[unknown, string]>([
	[{}, '"Conditions" has no condition'],
	[{ values: [] }, '"Conditions" has no condition'],
	[{ values: 5 }, '"Conditions" has no condition'],
	[null, '"Conditions" has no condition'],
	[{ values: [{ field: ' ', comparison: 'exists' }] }, 'A condition has no field'],
	[{ values: ['x'] }, 'A condition has no field'],
	[{ values: [{ field: 'a', value: ' ' }] }, 'The condition on "a" has no value'],
	[{ values: [{ field: 'a', comparison: 'lessThan' }] }, 'The condition on "a" has no value'],
])('that cannot be used are refused: %j', (rows, message) => {
	const problem = problemOf(() => readConditions(rows));
	expect(problem.message).toBe(message);
	expect(problem.description).not.toBe('');
});

test('are told in words', () => {
	const values = [
		{ field: 'data.status', comparison: 'notEquals', value: 'sent' },
		{ field: 'id', comparison: 'exists', value: 'left over' },
	];
	expect(readConditions({ values }).map(describeCondition)).toEqual([
		'data.status does not equal sent',
		'id exists',
	]);
});
