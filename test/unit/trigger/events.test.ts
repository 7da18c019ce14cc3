import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { findField, readEvents, readPath } from '../../../nodes/MessagingService/trigger/events';
import { fake } from '../helpers/fake';

type Request = ReturnType<IWebhookFunctions['getRequestObject']>;

/** A request as n8n gives it: `body` is what n8n made of the raw body. */
const eventsOf = (raw: string | Buffer, body: unknown, contentType?: string) =>
	readEvents(fake<Request>({ rawBody: Buffer.from(raw), body, contentType }));

/** The only event of a request. */
function eventOf(...request: Parameters<typeof eventsOf>) {
	const [event, ...others] = eventsOf(...request);
	expect(others).toEqual([]);
	return event;
}

describe('JSON', () => {
	test.each<[string, unknown]>([
		['{"id":1,"nested":{"a":[1]}}', { id: 1, nested: { a: [1] } }],
		['{}', {}],
		['[{"id":1},2]', { body: [{ id: 1 }, 2] }],
		['"text"', { body: 'text' }],
		['0', { body: 0 }],
		['false', { body: false }],
		['null', { body: null }],
	])('%s', (raw, event) => {
		expect(eventOf(raw, JSON.parse(raw), 'application/json')).toEqual(event);
	});

	test('of another content type, which n8n does not read', () => {
		for (const unread of [undefined, {}]) {
			const type = 'application/cloudevents+json';
			expect(eventOf('{"id":1}', unread, type)).toEqual({ id: 1 });
			expect(eventOf('\uFEFF[1]', unread, type)).toEqual({ body: [1] });
			expect(eventOf('{"id":', unread, type)).toEqual({ body: '{"id":' });
		}
	});

	test('with names that every object has', () => {
		const raw = '{"__proto__":{"polluted":1},"constructor":2}';
		const event = eventOf(raw, JSON.parse(raw), 'application/json');
		expect(JSON.stringify(event)).toBe(raw);
		expect(Reflect.get({}, 'polluted')).toBeUndefined();
	});
});

test('text', () => {
	expect(eventOf('hello', 'hello', 'text/plain')).toEqual({ body: 'hello' });
});

test('JSON that is sent as text is read all the same', () => {
	expect(eventOf('{"id":1}', '{"id":1}', 'text/plain')).toEqual({ id: 1 });
	expect(eventOf('{"id":1}', undefined, undefined)).toEqual({ id: 1 });
});

test('a form', () => {
	const fields: unknown = Object.assign(Object.create(null), {
		From: '+15550100',
		tags: ['a', 'b'],
	});
	expect(
		eventOf('From=%2B15550100&tags=a&tags=b', fields, 'application/x-www-form-urlencoded'),
	).toEqual({ From: '+15550100', tags: ['a', 'b'] });
});

test('a form with files, of which only the fields are taken', () => {
	const form = (body: unknown) =>
		readEvents(fake<Request>({ body, contentType: 'multipart/form-data', rawBody: undefined }));
	expect(form({ data: { a: '1' }, files: { photo: {} } })).toEqual([{ a: '1' }]);
	expect(form({ files: {} })).toEqual([{}]);
	expect(form(undefined)).toEqual([{}]);
});

test('no body', () => {
	for (const body of [undefined, {}, '']) {
		expect(eventOf('', body, 'application/json')).toEqual({});
		expect(eventOf('', body)).toEqual({});
	}
	const unread = { body: {}, contentType: undefined, rawBody: undefined };
	expect(readEvents(fake<Request>(unread))).toEqual([{}]);
});

test('a list of objects is one event for each', () => {
	const raw = '[{"id":1},{"id":2,"a":[3]}]';
	const events = [{ id: 1 }, { id: 2, a: [3] }];
	expect(eventsOf(raw, events, 'application/json')).toEqual(events);
	expect(eventsOf(raw, undefined, 'application/cloudevents+json')).toEqual(events);
	expect(eventsOf(raw, raw, 'text/plain')).toEqual(events);
	expect(eventsOf('[]', [], 'application/json')).toEqual([]);
});

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
