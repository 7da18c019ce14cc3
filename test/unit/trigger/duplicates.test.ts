import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { deliveryOf, readDuplicates } from '../../../nodes/MessagingService/trigger/duplicates';
import { PanelValues } from '../../../nodes/MessagingService/trigger/panelValues';
import { panelWith, problemOf } from './panel';

interface Sent {
	headers?: Record<string, string | string[]>;
	/** The body as it came, if it is not the event as JSON. */
	body?: string;
}

/** What a delivery is known by. */
function of(event: IDataObject, sent: Sent = {}, options: IDataObject = {}): string | undefined {
	return idsOf(event, sent, options)?.[0];
}

/** What a delivery is remembered by, and what it may be known by. */
function idsOf(event: IDataObject, sent: Sent = {}, options: IDataObject = {}, now = 0) {
	const duplicates = readDuplicates(panelWith({}), PanelValues.in(options));
	if (!duplicates) throw new Error('Duplicates are not skipped');
	const { headers = {}, body = JSON.stringify(event) } = sent;
	return deliveryOf({ headers, rawBody: Buffer.from(body) }, event, duplicates, now);
}

const withHeader = (name: string, value: string | string[]): Sent => ({
	headers: { [name]: value },
});

describe('a delivery ID in a header', () => {
	const KNOWN = [
		'webhook-id',
		'svix-id',
		'idempotency-key',
		'x-event-id',
		'x-github-delivery',
		'x-shopify-webhook-id',
		'i-twilio-idempotency-token',
		'linear-delivery',
		'twitch-eventsub-message-id',
		'x-atlassian-webhook-identifier',
		'x-cio-delivery-id',
		'x-contentful-idempotency-key',
		'x-gr4vy-webhook-id',
		'x-pandadoc-webhook-event-id',
	];

	test.each(KNOWN)('is known: %s', (name) => {
		const first = of({ n: 1 }, withHeader(name, 'd-1'));
		expect(first).toBeDefined();
		expect(of({ n: 2 }, withHeader(name, 'd-1'))).toBe(first);
		expect(of({ n: 1 }, withHeader(name, 'd-2'))).not.toBe(first);
	});

	test.each([
		'x-github-hook-id',
		'x-wc-webhook-id',
		'x-hook-uuid',
		'x-webhook-id',
		'x-request-id',
		'x-correlation-id',
		'traceparent',
	])('is not that of a subscription or an attempt: %s', (name) => {
		expect(of({ n: 1 }, withHeader(name, 'd-1'))).toBeUndefined();
	});

	test('counts more than the body, whose ID may be that of something else', () => {
		const event = { event: 'contact.opened', data: { id: 7 } };
		expect(of(event, withHeader('webhook-id', 'd-1'))).not.toBe(
			of(event, withHeader('webhook-id', 'd-2')),
		);
	});

	test('is none when it is empty, or several', () => {
		for (const value of ['', ' ', ['a', 'b']])
			expect(of({ n: 1 }, withHeader('webhook-id', value))).toBeUndefined();
	});

	test('may be another one, which counts before the others', () => {
		const options = { deliveryHeader: ' X-My-Delivery ' };
		const headers = { 'x-my-delivery': 'd-1', 'webhook-id': 'w-1' };
		const first = of({ n: 1 }, { headers }, options);
		expect(of({ n: 2 }, { headers: { ...headers, 'webhook-id': 'w-2' } }, options)).toBe(first);
		expect(of({ n: 1 }, { headers: { ...headers, 'x-my-delivery': 'd-2' } }, options)).not.toBe(
			first,
		);
		expect(of({ n: 1 }, { headers: { 'webhook-id': 'w-1' } }, options)).toBeDefined();
	});

	test('is not mistaken for that of another header', () => {
		expect(of({}, withHeader('webhook-id', 'a'))).not.toBe(of({}, withHeader('svix-id', 'a')));
	});
});

describe('the same body again', () => {
	test.each<[IDataObject, boolean]>([
		[{ id: 7 }, true],
		[{ id: '7' }, true],
		[{ _id: 'x' }, true],
		[{ ID: 'x' }, true],
		[{ uuid: 'x' }, true],
		[{ guid: 'x' }, true],
		[{ sid: 'x' }, true],
		[{ eventId: 'x' }, true],
		[{ event_id: 'x' }, true],
		[{ 'event-id': 'x' }, true],
		[{ messageId: 'x' }, true],
		[{ message_uuid: 'x' }, true],
		[{ MessageSid: 'x' }, true],
		[{ deliveryID: 'x' }, true],
		[{ notificationId: 'x' }, true],
		[{ requestId: 'x' }, true],
		[{ data: { id: 7 } }, true],
		[{ data: { messageId: 'x' } }, true],
		[{ events: [{ type: 'a' }, { id: 7 }] }, true],
		[{ body: [{ eventId: 1 }] }, true],
		[{ body: [5, { message: { id: 'x' } }] }, true],
		[{ body: [{ a: { message: { id: 'x' } } }] }, false],
		[{ body: [{ message: { id: 'x' } }], n: 1 }, false],
		[{}, false],
		[{ event: 'a', text: 'hello' }, false],
		[{ id: null }, false],
		[{ id: '' }, false],
		[{ id: ' ' }, false],
		[{ id: {} }, false],
		[{ id: true }, false],
		[{ inboxId: 'x' }, false],
		[{ userId: 'x', account_id: 'x', webhookId: 'x' }, false],
		[{ paid: 'x', valid: 1, grid: 5, idea: 'x' }, false],
		[{ a: { b: { id: 7 } } }, false],
		[{ body: 'id' }, false],
		[{ body: ['id', 7] }, false],
	])('is known by an ID in it: %j %s', (event, expected) => {
		expect(of(event) !== undefined).toBe(expected);
		expect(of(event)).toBe(of(event));
	});

	test('is another one if a single byte of it differs', () => {
		const event = { event: 'message.status', id: 7 };
		const same = [of(event), of(event, { body: ' {"event":"message.status","id":7}' })];
		expect(new Set(same).size).toBe(2);
		const names = ['message.sent', 'message.delivered', 'message.failed'];
		expect(new Set(names.map((name) => of({ event: name, id: 7 }))).size).toBe(3);
	});

	test('two bodies are never taken for one another', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
				const [a, b] = [
					{ id: 1, one },
					{ id: 1, one: other },
				];
				expect(of(a) === of(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
			}),
		);
	});

	test('is not known where n8n keeps no raw body, as of a form with files', () => {
		const duplicates = { header: '', field: '' };
		expect(
			deliveryOf({ headers: {}, rawBody: undefined }, { id: 7 }, duplicates, 0),
		).toBeUndefined();
	});
});

describe('a field that somebody entered', () => {
	const options = { deliveryField: 'meta.key' };

	test('counts more than the rest of the body, and than the headers that are known', () => {
		const event = { id: 1, meta: { key: 'a' } };
		expect(of(event, {}, options)).toBe(
			of({ ...event, id: 2 }, withHeader('webhook-id', 'w'), options),
		);
		expect(of(event, {}, options)).not.toBe(of({ id: 1, meta: { key: 'b' } }, {}, options));
	});

	test('leaves it to the rest where it is missing', () => {
		expect(of({ id: 1 }, {}, options)).toBe(of({ id: 1 }));
		expect(of({ meta: { key: {} } }, {}, options)).toBeUndefined();
	});
});

test('they are skipped unless that is turned off', () => {
	const read = (skipDuplicates: unknown) =>
		readDuplicates(panelWith({ skipDuplicates } as IDataObject), PanelValues.in({}));
	for (const on of [undefined, null, true, 'true']) expect(read(on)).toBeDefined();
	for (const off of [false, 'false']) expect(read(off)).toBeUndefined();
	expect(problemOf(() => read('no')).message).toContain('"Skip Duplicates" is neither');
});

test('the same body is another delivery when some days have passed; the same ID in a header never is', () => {
	const DAY = 24 * 60 * 60 * 1_000;
	const isKnown = (days: number, sent?: Sent) => {
		const [remembered = ''] = idsOf({ id: 7 }, sent) ?? [];
		return idsOf({ id: 7 }, sent, {}, days * DAY)?.includes(remembered);
	};
	expect([0, 0.9, 3, 3.9, 4, 30].map((days) => isKnown(days))).toEqual([
		...[true, true, true, true],
		...[false, false],
	]);
	expect(isKnown(30, withHeader('webhook-id', 'd-1'))).toBe(true);
});
