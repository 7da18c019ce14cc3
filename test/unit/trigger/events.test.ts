import type { IDataObject } from 'n8n-workflow';
import {
	findField,
	readEvents,
	readPath,
	type WebhookRequest,
} from '../../../nodes/MessagingService/trigger/events';
import { fake } from '../helpers/fake';

/** A request as n8n gives it: `body` is what n8n made of the raw body. */
const eventsOf = (raw: string | Buffer, body: unknown, contentType?: string) =>
	readEvents(fake<WebhookRequest>({ rawBody: Buffer.from(raw), body, contentType }));

/** The only event of a request. */
function eventOf(...request: Parameters<typeof eventsOf>) {
	const [event, ...others] = eventsOf(...request);
	expect(others).toEqual([]);
	return event;
}

describe('JSON', () => {
	test.each<[string, unknown]>([
		['{}', {}],
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

	test('that is said to be a form, as anybody could say of a recorded call', () => {
		const form = { '{"id":1}': '' };
		expect(eventOf('{"id":1}', form, 'application/x-www-form-urlencoded')).toEqual({ id: 1 });
	});

	test('with names that every object has', () => {
		const raw = '{"__proto__":{"polluted":1},"constructor":2}';
		const event = eventOf(raw, JSON.parse(raw), 'application/json');
		expect(JSON.stringify(event)).toBe(raw);
		expect(Reflect.get({}, 'polluted')).toBeUndefined();
	});
});

test('a form with files, of which only the fields are taken', () => {
	const form = (body: unknown) =>
		readEvents(
			fake<WebhookRequest>({ body, contentType: 'multipart/form-data', rawBody: undefined }),
		);
	expect(form({ data: { a: '1' }, files: { photo: {} } })).toEqual([{ a: '1' }]);
	expect(form({ files: {} })).toEqual([{}]);
	expect(form(undefined)).toEqual([{}]);
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
	[{ payload: { author: { id: 1 } } }, 'author.id', '1'],
	[{ data: { author: { id: 1 } } }, 'data.author.id', '1'],
	[{ inbound: false, data: { inbound: true } }, 'inbound', 'false'],
	[{ payload: { inbound: 1 }, message: { inbound: 2 }, data: { inbound: 3 } }, 'inbound', '3'],
	[{ inbound: ' ', data: { inbound: ' x ' } }, 'inbound', 'x'],
	[{ inbound: {}, data: { inbound: ['a'] }, payload: { inbound: 0 } }, 'inbound', '0'],
])('the field of %j at "%s" is %j', (event, path, value) => {
	expect(findField(event, path)).toBe(value);
});
