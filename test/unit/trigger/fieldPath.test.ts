import type { IDataObject } from 'n8n-workflow';
import { findField, readPath } from '../../../nodes/MessagingService/trigger/fieldPath';

const body = { id: 'e1', data: { id: 5, message: { text: 'hi' } }, list: ['a'], nothing: null };

test.each<[string, unknown]>([
	['id', 'e1'],
	['data.id', 5],
	['data.message.text', 'hi'],
	['nothing', null],
	['missing.id', undefined],
	['id.length', undefined],
	['list.0', undefined],
	['', undefined],
	['__proto__', undefined],
	['data.constructor.name', undefined],
])('reads "%s"', (path, value) => {
	expect(readPath(body, path)).toEqual(value);
});

test.each<[IDataObject, string, string]>([
	[{ inbound: true }, 'inbound', 'true'],
	[{ data: { inbound: true } }, 'inbound', 'true'],
	[{ message: { inbound: true } }, 'inbound', 'true'],
	[{ payload: { author: { id: 1 } } }, 'author.id', '1'],
	[{ data: { author: { id: 1 } } }, 'data.author.id', '1'],
	[{ inbound: false, data: { inbound: true } }, 'inbound', 'false'],
	[{ payload: { inbound: 1 }, message: { inbound: 2 }, data: { inbound: 3 } }, 'inbound', '3'],
	[{ inbound: ' ', data: { inbound: ' x ' } }, 'inbound', 'x'],
	[{ inbound: {}, data: { inbound: ['a'] }, payload: { inbound: 0 } }, 'inbound', '0'],
])('the field of %j at "%s" is %j', (event, path, value) => {
	expect(findField(event, path)).toBe(value);
});

test.each<IDataObject>([
	{ previous: { inbound: false } },
	{ data: [{ inbound: false }] },
	{ data: { last: { inbound: false } } },
])('no field is taken from something else in the event: %j', (event) => {
	expect(findField(event, 'inbound')).toBeUndefined();
});
