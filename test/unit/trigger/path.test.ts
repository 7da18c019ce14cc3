import { findPath, readPath, withPath } from '../../../nodes/MessagingService/trigger/path';

const body = {
	id: 'e1',
	data: { id: 5, 'odd.name': 1, message: { text: 'hi', parts: [{ size: 3 }] } },
	list: ['a', { b: 2 }],
	'dotted.name': 'whole',
	nothing: null,
	empty: '',
};

test.each<[string, unknown]>([
	['id', 'e1'],
	['data.id', 5],
	['data.message.text', 'hi'],
	['data.message.parts.0.size', 3],
	['list.0', 'a'],
	['list.1.b', 2],
	['dotted.name', 'whole'],
	['nothing', null],
	['empty', ''],
	['missing', undefined],
	['data.missing', undefined],
	['id.length', undefined],
	['list.length', undefined],
	['list.9', undefined],
	['', undefined],
	['.', undefined],
	['data.', undefined],
	['__proto__', undefined],
	['constructor', undefined],
	['data.constructor.name', undefined],
	['toString', undefined],
])('reads "%s"', (path, value) => {
	expect(readPath(body, path)).toEqual(value);
});

test.each([undefined, null, 'text', 5, true, ['a']])('reads nothing from %j', (value) => {
	expect(readPath(value, 'length')).toBeUndefined();
	expect(findPath(value, '0')).toBeUndefined();
});

test('reads names that every object has from the body alone', () => {
	const odd: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":"x"}');
	expect(readPath(odd, '__proto__.a')).toBe(1);
	expect(findPath(odd, 'constructor')).toBe('x');
});

describe('a name that the body does not have', () => {
	test('is found one level down', () => {
		expect(findPath(body, 'message')).toEqual(body.data.message);
		expect(readPath(body, 'message')).toBeUndefined();
	});

	test('is not found in lists, deeper down, nor by a path', () => {
		for (const path of ['b', 'text', 'message.text', 'odd.name'])
			expect(findPath(body, path)).toBeUndefined();
	});

	test("is the body's own first", () => {
		expect(findPath(body, 'id')).toBe('e1');
		expect(findPath({ a: { inbound: true }, inbound: null }, 'inbound')).toBeNull();
	});
});

describe('puts a value', () => {
	test('beside what is there', () => {
		const url = withPath({}, 'data.hook.url', 'https://example.com');
		const both = withPath(url, 'data.hook.events', ['a']);
		expect(withPath(both, 'name', 'n')).toEqual({
			data: { hook: { url: 'https://example.com', events: ['a'] } },
			name: 'n',
		});
		expect(url).toEqual({ data: { hook: { url: 'https://example.com' } } });
	});

	test('in place of what is no object', () => {
		expect(withPath({ a: 1 }, 'a.b', 2)).toEqual({ a: { b: 2 } });
	});

	test('under names that every object has, without harm', () => {
		const made = withPath({}, '__proto__.polluted', true);
		expect(JSON.stringify(made)).toBe('{"__proto__":{"polluted":true}}');
		expect(Reflect.get({}, 'polluted')).toBeUndefined();
	});
});
