/** What is missing in texts, and what only looks so. */
import { DateTime } from 'luxon';
import type { IExecuteFunctions } from 'n8n-workflow';
import { ItemParameters } from '../../../nodes/MessagingService/panel/itemParameters';
import { fake } from '../helpers/fake';

/** Finds the gap in a value, for an item with these fields, whose expressions give these values. */
function gapOf(written: unknown, value: unknown, json = {}, parts: Record<string, unknown> = {}) {
	const context = fake<IExecuteFunctions>({
		getInputData: () => [{ json }],
		getTimezone: () => 'UTC',
		evaluateExpression: (part: string) => parts[part],
	});
	return new ItemParameters(context, 0).findGap(value, written);
}

const A = '{{ $json.a }}';

test.each<[string, unknown, string]>([
	[`=${A}`, undefined, A],
	[`=${A}`, ' ', A],
	[`=${A} `, NaN, A],
	[`=${A}`, DateTime.invalid('for the test'), A],
	[`=${A}`, new Date(NaN), A],
	[`=Hi ${A},`, 'Hi ,', A],
	["={{ 'Hi ' + $json.a }}", 'Hi undefined', 'undefined'],
	["={{ 'Hi ' + $json.a + '.' }}", 'Hi null.', 'null'],
	["={{ 'You owe ' + 2 * $json.a }}", 'You owe NaN', 'NaN'],
	["={{ 'Hi ' + {} }}", 'Hi [object Object]', '[object Object]'],
	['={{ $json.a.toDateTime().toFormat("D") }}', 'Invalid DateTime', 'Invalid DateTime'],
	['={{ String(new Date($json.a)) }}', 'Invalid Date', 'Invalid Date'],
	["={{ { text: ['Hi ' + $json.a] } }}", { text: ['Hi undefined'] }, 'undefined'],
	[`Hi ${A}`, `Hi ${A}`, A],
	[`=${A}`, 'Hi {{firstName}}', '{{firstName}}'],
	[`=${A}`, 'Hi {{firstName}', '{{firstName}'],
	[`=${A}`, { text: ['Hi {firstName}}'] }, '{firstName}}'],
])('%s with the value %j has a gap', (written, value, gap) => {
	expect(gapOf(written, value)).toBe(gap);
});

test.each<[string, unknown, object]>([
	['Hi undefined', 'Hi undefined', {}],
	['', '', {}],
	[`=${A}`, 0, {}],
	[`=${A}`, 'Null', { a: 'Null' }],
	['={{ $json.a.toLowerCase() }}', 'null', { a: 'Null' }],
	['={{ $json.a.trim() }}', 'It says "undefined" here', { a: ' It says "undefined" here ' }],
	[`=${A}`, 'NaN-42', { a: 'NaN-42' }],
	["={{ 'null' + '@example.com' }}", 'null@example.com', {}],
	["={{ 'jennifer.' + 'null@' }}", 'jennifer.null@example.com', {}],
	['={{ $json.a + 1 }}', 'nullify undefinedness', {}],
	['=null and void, {{ 1 }}', 'null and void, 1', {}],
	[`=${A}`, '{"a":{"b":1}} {} {a}', {}],
])('%s with the value %j has none', (written, value, json) => {
	expect(gapOf(written, value, json, { '{{ 1 }}': 1 })).toBeUndefined();
});

test('a part that gives a list without a value is a gap', () => {
	expect(gapOf(`=Hi ${A}`, 'Hi ', {}, { [A]: ['', null] })).toBe(A);
	expect(gapOf(`=Hi ${A}`, 'Hi Ada', {}, { [A]: ['Ada'] })).toBeUndefined();
});

test('a field of another node is taken as it is, and what is made of it is not', () => {
	const field = "{{ $('All leads').item.json['last name'] }}";
	expect(gapOf(`=${field}`, 'null', {}, { [field]: 'null' })).toBeUndefined();
	const made = "{{ $('All leads').item.json.name + '' }}";
	expect(gapOf(`=${made}`, 'null', {}, { [made]: 'null' })).toBe('null');
});
