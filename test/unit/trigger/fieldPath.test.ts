import type { IDataObject } from 'n8n-workflow';
import { findField, readPath } from '../../../nodes/MessagingService/trigger/fieldPath';

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
});

describe('a field of an event', () => {
	test.each<[IDataObject, string, string]>([
		[{ inbound: true }, 'inbound', 'true'],
		[{ data: { inbound: true } }, 'inbound', 'true'],
		[{ message: { inbound: true } }, 'inbound', 'true'],
		[{ payload: { inbound: true } }, 'inbound', 'true'],
		[{ payload: { author: { id: 1 } } }, 'author.id', '1'],
		[{ data: { author: { id: 1 } } }, 'data.author.id', '1'],
		[{ inbound: false, data: { inbound: true } }, 'inbound', 'false'],
		[{ inbound: null, data: { inbound: true } }, 'inbound', 'true'],
		[{ payload: { inbound: 1 }, message: { inbound: 2 }, data: { inbound: 3 } }, 'inbound', '3'],
		[{ inbound: ' ', data: { inbound: ' x ' } }, 'inbound', 'x'],
		[{ inbound: {}, data: { inbound: ['a'] }, payload: { inbound: 0 } }, 'inbound', '0'],
	])('of %j at "%s" is %j', (event, path, value) => {
		expect(findField(event, path)).toBe(value);
	});

	test('is not that of something else in it', () => {
		const events = [
			{ previous: { inbound: false } },
			{ contact: { inbound: false }, data: {} },
			{ data: [{ inbound: false }] },
			{ data: { last: { inbound: false } } },
		];
		for (const event of events) expect(findField(event, 'inbound')).toBeUndefined();
	});
});
