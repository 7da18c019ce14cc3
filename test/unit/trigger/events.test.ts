import { parse } from 'node:querystring';

import { identifierFor } from '../../../nodes/MessagingService/trigger/deliveries';
import { readEvents, type WebhookRequest } from '../../../nodes/MessagingService/trigger/events';
import { reasonToSkip } from '../../../nodes/MessagingService/trigger/settings';
import { fake } from '../helpers/fake';
import { settingsWith } from './panel';

const JSON_TYPE = 'application/json';
const ODD_TYPE = 'application/cloudevents+json';
const FORM = 'application/x-www-form-urlencoded';

/** What n8n makes of a body before the node is called. */
function readByN8n(raw: string, contentType: string): unknown {
	if (contentType === JSON_TYPE && raw !== '') return JSON.parse(raw);
	if (contentType === FORM) return parse(raw, undefined, undefined, { maxKeys: 1_000 });
	if (contentType === 'text/xml') return { id: 'of another call' };
	return contentType === 'text/plain' ? raw : undefined;
}

const eventsOf = (raw: string, contentType: string, body = readByN8n(raw, contentType)) =>
	readEvents(fake<WebhookRequest>({ rawBody: Buffer.from(raw), body, contentType }));

const OWN = '{"inbound":false}';
const TEXT = JSON.stringify(OWN);

test.each<[type: string, raw: string, events: object[]]>([
	[JSON_TYPE, '0', [{ body: 0 }]],
	[JSON_TYPE, 'null', [{ body: null }]],
	[JSON_TYPE, '[]', [{ body: [] }]],
	[JSON_TYPE, '', [{}]],
	[JSON_TYPE, '[{"id":1},{"id":2}]', [{ id: 1 }, { id: 2 }]],
	[JSON_TYPE, '[{"a":1},2]', [{ body: [{ a: 1 }, 2] }]],
	[JSON_TYPE, TEXT, [{ inbound: false }]],
	[JSON_TYPE, '{"payload":"{}"}', [{ payload: '{}' }]],
	[ODD_TYPE, '[{"id":1},{"id":2}]', [{ id: 1 }, { id: 2 }]],
	[ODD_TYPE, `\uFEFF${OWN}`, [{ inbound: false }]],
	[ODD_TYPE, '{"id":', [{ body: '{"id":' }]],
	['', OWN, [{ inbound: false }]],
	['application/json ', OWN, [{ inbound: false }]],
	['text/plain', `\uFEFF ${OWN} `, [{ inbound: false }]],
	['text/plain', TEXT, [{ inbound: false }]],
	['text/plain', JSON.stringify(TEXT), [{ body: JSON.stringify(TEXT) }]],
	['text/plain', '00123', [{ body: '00123' }]],
	['text/plain', '12345678901234567890', [{ body: '12345678901234567890' }]],
	['text/plain', 'a=1&b=2', [{ body: 'a=1&b=2' }]],
	// n8n parses XML of calls at the same moment together.
	['text/xml', '<id>1</id>', [{ body: '<id>1</id>' }]],
	[FORM, 'a=1&b=x+y&a=%C3%BC', [{ a: ['1', 'ü'], b: 'x y' }]],
	[FORM, 'inbound=false&body=See you "at" ten', [{ inbound: 'false', body: 'See you "at" ten' }]],
	[FORM, `payload=${encodeURIComponent(OWN)}`, [{ inbound: false }]],
	[FORM, `payload=${encodeURIComponent(OWN)}&event=a`, [{ payload: OWN, event: 'a' }]],
	[FORM, 'payload=hello', [{ payload: 'hello' }]],
	[FORM, 'payload=a&payload=b', [{ payload: ['a', 'b'] }]],
	// As some programs say of whatever they send.
	[FORM, '{"inbound":false,"body":"a=b&c"}', [{ inbound: false, body: 'a=b&c' }]],
])('of type %s: %s', (contentType, raw, events) => {
	expect(eventsOf(raw, contentType)).toEqual(events);
	expect(eventsOf(raw, contentType)).toHaveLength(events.length);
});

test('a form is what n8n has read, or its text where n8n has left some of it out', () => {
	const fields = (count: number) => Array.from({ length: count }, (_, i) => `f${i}=${i}`).join('&');
	expect(Object.keys(eventsOf(fields(1_000), FORM)[0])).toHaveLength(1_000);
	for (const raw of [fields(1_001), `${'&'.repeat(1_000)}a=1`, 'a=&'.repeat(14_000)])
		expect(eventsOf(raw, FORM)).toEqual([{ body: raw }]);
});

test('of a form with files, only the fields are taken', () => {
	const form = (body: unknown) => eventsOf('', 'multipart/form-data', body);
	expect(form({ data: { a: '1' }, files: { photo: {} } })).toEqual([{ a: '1' }]);
	expect(form({ data: { payload: OWN }, files: {} })).toEqual([{ inbound: false }]);
	for (const nothing of [{ files: {} }, {}]) expect(form(nothing)).toEqual([{}]);
});

test('names that every object has are just names', () => {
	const raw = '{"__proto__":{"polluted":1},"constructor":2}';
	expect(JSON.stringify(eventsOf(raw, JSON_TYPE))).toBe(`[${raw}]`);
	expect(JSON.stringify(eventsOf('__proto__=1&a=2', FORM))).toBe('[{"__proto__":"1","a":"2"}]');
	expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

test('a list of more than a thousand objects is one event, since n8n is slow with so many items', () => {
	const list = (length: number) => JSON.stringify(Array.from({ length }, (_, id) => ({ id })));
	expect(eventsOf(list(1_000), JSON_TYPE)).toHaveLength(1_000);
	expect(eventsOf(list(1_001), JSON_TYPE)).toEqual([{ body: JSON.parse(list(1_001)) }]);
});

describe('whatever a body is like, a larger one takes no more steps, and its text is read three times at most', () => {
	let steps = 0;
	let characters = 0;

	/** The value; each look at it or at something in it is a step. */
	function counted<Value>(value: Value): Value {
		if (typeof value !== 'object' || value === null) return value;
		return new Proxy<Value & object>(value, {
			get(target, key) {
				steps++;
				return counted(Reflect.get(target, key));
			},
			ownKeys(target) {
				const keys = Reflect.ownKeys(target);
				steps += keys.length;
				return keys;
			},
			getOwnPropertyDescriptor(target, key) {
				steps++;
				return Reflect.getOwnPropertyDescriptor(target, key);
			},
		});
	}

	const { parse: parseJson } = JSON;

	beforeAll(() => {
		jest.spyOn(JSON, 'parse').mockImplementation((text: string) => {
			characters += text.length;
			return counted(parseJson(text));
		});
	});
	afterAll(() => jest.restoreAllMocks());

	const settings = settingsWith({ events: ['a'], options: { deliveryField: 'data.0.id' } });

	/** How much work it is to read and filter a body. */
	function workFor(request: Partial<WebhookRequest>) {
		[steps, characters] = [0, 0];
		const read = { body: undefined, rawBody: Buffer.from('{}') };
		const call = { headers: {}, query: {}, ...read, ...request };
		const identify = identifierFor([], call, settings);
		for (const event of readEvents(fake<WebhookRequest>(call))) {
			reasonToSkip(event, settings);
			identify(event);
		}
		return { steps, characters };
	}

	const eventsIn = (size: number) =>
		Array.from({ length: size }, (_, id) => ({ id, event: `e${id}`, inbound: id }));
	const wrapped = (size: number, wrap: (inner: unknown) => unknown) =>
		Array.from({ length: size }).reduce<unknown>(wrap, { inbound: true });
	const BODIES: Record<string, (size: number) => unknown> = {
		'a list of events': eventsIn,
		'a long list': (size) => ({ data: eventsIn(size) }),
		'many fields': (size) => ({ payload: { message: { ...eventsIn(size) } } }),
		'fields that hold much': (size) => ({ event: eventsIn(size), inbound: eventsIn(size) }),
		'objects in objects': (size) => wrapped(size, (data) => ({ data })),
		'messages in messages': (size) => wrapped(size, (message) => ({ data: { message } })),
		'lists in lists': (size) => wrapped(size, (inner) => [inner]),
		'a long text': (size) => ({ message: 'a'.repeat(size) }),
	};
	/** How a value is written: what n8n makes of it, and its text where n8n leaves that to the node. */
	const WRITINGS: Array<(value: unknown) => Partial<WebhookRequest>> = [
		(value) => ({ contentType: JSON_TYPE, body: counted(value) }),
		(value) => ({ contentType: JSON_TYPE, body: JSON.stringify(JSON.stringify(value)) }),
		(value) => ({ contentType: 'text/plain', body: JSON.stringify(value) }),
		(value) => ({ contentType: FORM, body: { payload: JSON.stringify(value) } }),
		(value) => ({ contentType: ODD_TYPE, rawBody: Buffer.from(JSON.stringify(value)) }),
		(value) => ({ contentType: JSON_TYPE, body: counted({ data: JSON.stringify(value) }) }),
	];

	test.each(Object.entries(BODIES))('%s', (_what, bodyOf) => {
		for (const write of WRITINGS) {
			const workOf = (size: number) => workFor(write(bodyOf(size)));
			const { steps: most, characters: read } = workOf(2_000);
			expect(most).toBe(workOf(1_100).steps);
			expect(most).toBeLessThan(1_000);
			const { length } = JSON.stringify(JSON.stringify(bodyOf(2_000)));
			expect(read).toBeLessThan(3 * length + 100);
			// A list that is an event for each of its entries.
			expect(workOf(1_000).steps).toBeLessThan(60_000);
		}
	});

	test.each([
		['a=&', FORM],
		['%5B&', FORM],
		['[', 'text/plain'],
		['"', ODD_TYPE],
		['\\"', ODD_TYPE],
		['\uFEFF', ODD_TYPE],
	])('as long as n8n takes it: %j', (part, contentType) => {
		const raw = part.repeat(16_000_000 / Buffer.byteLength(part));
		const body = contentType === FORM ? {} : raw;
		const { characters: read } = workFor({ contentType, body, rawBody: Buffer.from(raw) });
		expect(read).toBeLessThanOrEqual(3 * raw.length);
		expect(read).toBeGreaterThan(0);
	});
});
