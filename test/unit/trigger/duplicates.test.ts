import type { IDataObject } from 'n8n-workflow';
import { deliveryOf, readDuplicates } from '../../../nodes/MessagingService/trigger/duplicates';
import { membersWith, panelWith } from './panel';

type Headers = Record<string, string | string[]>;

/** What the delivery of an event is known by. */
function of(event: IDataObject, headers: Headers = {}, options: IDataObject = {}, index = 0) {
	const duplicates = readDuplicates(panelWith({}), membersWith(options));
	if (!duplicates) throw new Error('Duplicates are not skipped');
	return deliveryOf(headers, event, index, duplicates);
}

describe('a delivery ID in a header', () => {
	test.each(['webhook-id', 'x-github-delivery', 'twitch-eventsub-message-id'])(
		'is known: %s',
		(name) => {
			const first = of({ n: 1 }, { [name]: 'd-1' });
			expect(first).toBeDefined();
			expect(of({ n: 2 }, { [name]: 'd-1' })).toBe(first);
			expect(of({ n: 1 }, { [name]: 'd-2' })).not.toBe(first);
		},
	);

	test.each(['x-github-hook-id', 'x-webhook-id', 'x-request-id'])(
		'is not that of a subscription or an attempt: %s',
		(name) => {
			expect(of({ n: 1 }, { [name]: 'd-1' })).toBeUndefined();
		},
	);

	test("counts more than the event's ID, which may be that of something else", () => {
		const event = { event: 'contact.opened', id: 7 };
		expect(of(event, { 'webhook-id': 'd-1' })).not.toBe(of(event, { 'webhook-id': 'd-2' }));
	});

	test('is none when it is empty, or several', () => {
		for (const value of ['', ' ', ['a', 'b']])
			expect(of({ n: 1 }, { 'webhook-id': value })).toBeUndefined();
	});

	test('may be another one, which counts before the others', () => {
		const options = { deliveryHeader: ' X-My-Delivery ' };
		const headers = { 'x-my-delivery': 'd-1', 'webhook-id': 'w-1' };
		const first = of({ n: 1 }, headers, options);
		expect(of({ n: 2 }, { ...headers, 'webhook-id': 'w-2' }, options)).toBe(first);
		expect(of({ n: 1 }, { ...headers, 'x-my-delivery': 'd-2' }, options)).not.toBe(first);
		expect(of({ n: 1 }, { 'webhook-id': 'w-1' }, options)).toBeDefined();
	});

	test('tells the events of one call apart by their places', () => {
		const headers = { 'webhook-id': 'd-1' };
		expect(of({ n: 1 }, headers, {}, 0)).not.toBe(of({ n: 1 }, headers, {}, 1));
	});
});

describe("the event's own ID", () => {
	test('is none beyond 2^53, where two IDs may look like one', () => {
		expect(of(JSON.parse('{"id":12345678901234567890}'))).toBeUndefined();
	});

	test.each<IDataObject>([
		{ id: 7 },
		{ message_id: 'x' },
		{ data: { id: 7 } },
		{ message: { messageId: 'x' } },
		{ payload: { id: 'x' } },
	])('is known: %j', (event) => {
		expect(of(event)).toBeDefined();
		expect(of(event)).toBe(of(structuredClone(event)));
	});

	test.each<IDataObject>([
		{},
		{ event: 'a', text: 'hello' },
		{ id: ' ' },
		{ id: {} },
		{ id: true },
		{ inboxId: 'x' },
		{ contact: { id: 7 }, text: 'yes' },
		{ data: [{ id: 7 }] },
	])('is none of something else: %j', (event) => {
		expect(of(event)).toBeUndefined();
	});

	test.each<[IDataObject, IDataObject]>([
		[
			{ type: 'message.sent', messageId: 'm1' },
			{ type: 'message.delivered', messageId: 'm1' },
		],
		[
			{ event: 'contact.updated', id: 7, name: 'A' },
			{ event: 'contact.updated', id: 7, name: 'B' },
		],
		[
			{ id: 7, status: 'sent' },
			{ id: 7, data: { status: 'read' } },
		],
	])('may be that of a message or a contact, so the rest has to be the same: %j, %j', (a, b) => {
		expect(of(a)).not.toBe(of(b));
	});
});

describe('a field that somebody entered', () => {
	const options = { deliveryField: 'meta.key' };

	test('counts more than the rest of the body, and than the headers that are known', () => {
		const event = { id: 1, meta: { key: 'a' } };
		expect(of(event, {}, options)).toBe(of({ ...event, id: 2 }, { 'webhook-id': 'w' }, options));
		expect(of(event, {}, options)).not.toBe(of({ id: 1, meta: { key: 'b' } }, {}, options));
	});

	test('leaves it to the rest where it is missing', () => {
		expect(of({ id: 1 }, {}, options)).toBe(of({ id: 1 }));
		expect(of({ meta: { key: {} } }, {}, options)).toBeUndefined();
	});
});
