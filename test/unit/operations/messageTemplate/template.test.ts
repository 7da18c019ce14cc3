import fc from 'fast-check';
import {
	fillTemplate,
	findOddBraces,
	placeholdersOf,
} from '../../../../nodes/MessagingService/operations/messageTemplate/template';

const filled = (template: string, values: Record<string, string>) =>
	fillTemplate(template, new Map(Object.entries(values)));

test.each([
	['{{ name }} {{first name}} {{\tname\n}}', ['name', 'first name']],
	['{{vorname}} {{größe}} {{名前}} {{👋}}', ['vorname', 'größe', '名前', '👋']],
	['{{a}}{{b}}{{a}}', ['a', 'b']],
	['{{}} {{  }} {name} { {name} } {{name}', []],
	['{{{name}}}', ['name']],
	['{{a{{b}}c}}', ['b']],
	['{"a":{{a}}}', ['a']],
])('finds the placeholders of %j', (template, names) => {
	expect(placeholdersOf(template)).toEqual(names);
});

test.each([
	['Hi {{firstName}, {{a}}', '{{firstName}'],
	['Hi {firstName}}', '{firstName}}'],
	['Hi \uff5b\uff5bfirstName\uff5d\uff5d', '\uff5b\uff5bfirstName\uff5d\uff5d'],
	['Hi {{ firstName }} and {{{a}}}, {b} {"a":{"b":1}}', undefined],
])('finds the odd braces of %j', (template, braces) => {
	expect(findOddBraces(template)).toBe(braces);
});

test.each([
	['Hi {{name}}!', {}, 'Hi {{name}}!'],
	['{{{a}}} {"b":{{a}}}', { a: 'x' }, 'x {"b":x}'],
	['{{__proto__}} {{constructor}}', {}, '{{__proto__}} {{constructor}}'],
	['{{Name}}', { name: 'Ada' }, '{{Name}}'],
])('fills %j with %j', (template, values, text) => {
	expect(filled(template, values)).toBe(text);
});

const names = fc
	.string({ unit: 'grapheme', minLength: 1 })
	.filter((name) => name.trim() === name && !/[{}]/.test(name));
const plainText = fc.string({ unit: 'grapheme' }).filter((text) => !/[{}]/.test(text));

test('puts every value where its placeholder stands, as it is', () => {
	const parts = fc.array(fc.tuple(plainText, names, fc.string({ unit: 'binary' })));
	fc.assert(
		fc.property(parts, plainText, (given, end) => {
			const values = new Map(given.map(([, name, value]) => [name, value]));
			const template = given.map(([text, name]) => `${text}{{ ${name} }}`).join('') + end;
			const expected = given.map(([text, name]) => text + (values.get(name) ?? '')).join('') + end;
			expect(fillTemplate(template, values)).toBe(expected);
			expect(placeholdersOf(template)).toEqual([...values.keys()]);
		}),
		{ numRuns: 500 },
	);
});
