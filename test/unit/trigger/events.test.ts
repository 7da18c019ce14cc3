import { readEvents, type WebhookRequest } from '../../../nodes/MessagingService/trigger/events';
import { fake } from '../helpers/fake';

const JSON_TYPE = 'application/json';
const ODD_TYPE = 'application/cloudevents+json';

/** The events of a request as n8n gives it: `body` is what n8n made of the raw body. */
const eventsOf = (raw: string, body: unknown, contentType?: string) =>
	readEvents(fake<WebhookRequest>({ rawBody: Buffer.from(raw), body, contentType }));

test.each<[string, unknown, string, object[]]>([
	['0', 0, JSON_TYPE, [{ body: 0 }]],
	['null', null, JSON_TYPE, [{ body: null }]],
	['[]', [], JSON_TYPE, [{ body: [] }]],
	['[{"id":1},{"id":2}]', [{ id: 1 }, { id: 2 }], JSON_TYPE, [{ id: 1 }, { id: 2 }]],
	['[{"id":1},{"id":2}]', undefined, ODD_TYPE, [{ id: 1 }, { id: 2 }]],
	['{"id":1}', {}, ODD_TYPE, [{ id: 1 }]],
	['\uFEFF[1]', {}, ODD_TYPE, [{ body: [1] }]],
	['{"id":', undefined, ODD_TYPE, [{ body: '{"id":' }]],
	// n8n parses XML of calls at the same moment together.
	['<id>1</id>', { id: 'of another call' }, 'text/xml', [{ body: '<id>1</id>' }]],
	['a=1', { a: '1' }, 'application/x-www-form-urlencoded', [{ a: '1' }]],
	['a=1&b=x+y&a=%C3%BC', undefined, 'text/plain', [{ a: ['1', 'ü'], b: 'x y' }]],
	['a = 1', undefined, 'text/plain', [{ body: 'a = 1' }]],
	// Anybody could say of a recorded call that it is a form, or that it is none.
	['{"id":1}', { '{"id":1}': '' }, 'application/x-www-form-urlencoded', [{ id: 1 }]],
])('%s, read by n8n as %j, of type %s: %j', (raw, body, type, events) => {
	expect(eventsOf(raw, body, type)).toEqual(events);
});

test('names that every object has are just names', () => {
	const raw = '{"__proto__":{"polluted":1},"constructor":2}';
	const [event] = eventsOf(raw, JSON.parse(raw), JSON_TYPE);
	expect(JSON.stringify(event)).toBe(raw);
	expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

test('of a form with files, only the fields are taken', () => {
	const contentType = 'multipart/form-data';
	const form = (body: unknown) => readEvents(fake({ body, contentType, rawBody: undefined }));
	expect(form({ data: { a: '1' }, files: { photo: {} } })).toEqual([{ a: '1' }]);
	for (const nothing of [{ files: {} }, undefined]) expect(form(nothing)).toEqual([{}]);
});
