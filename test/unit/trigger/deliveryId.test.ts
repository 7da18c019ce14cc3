import type { IDataObject } from 'n8n-workflow';
import { type DeliveryId, identifierFor } from '../../../nodes/MessagingService/trigger/deliveryId';
import { optionsWith } from './panel';

const HOUR = 60 * 60_000;

describe('what a delivery is known by', () => {
	interface Sent {
		headers?: Record<string, string | string[]>;
		raw?: string;
		options?: IDataObject;
		signed?: string[];
		index?: number;
		query?: Record<string, string>;
	}

	/** What a call with this event is known by. */
	function of(event: IDataObject, sent: Sent = {}): DeliveryId | undefined {
		const { headers = {}, query = {}, raw = JSON.stringify(event), options = {}, signed } = sent;
		const call = { headers, query, rawBody: Buffer.from(raw) };
		return identifierFor(call, optionsWith(options), signed)(event, sent.index ?? 0);
	}

	const idOf = (...args: Parameters<typeof of>) => of(...args)?.text;
	const ttlMs = (...args: Parameters<typeof of>) => of(...args)?.ttlMs;

	test('is its body, byte by byte, for twelve hours', () => {
		expect(of({ n: 1 })).toEqual(of({ n: 1 }));
		expect(ttlMs({ n: 1 })).toBe(12 * HOUR);
		expect(idOf({ n: 1 }, { raw: '{"n": 1}' })).not.toBe(idOf({ n: 1 }));
		// JavaScript reads both as one.
		const event = (id: string) => `{"id":42,"data":{"id":${id}}}`;
		const [a, b] = ['1234567890123456789', '1234567890123456790'].map((id) =>
			idOf(JSON.parse(event(id)), { raw: event(id) }),
		);
		expect(a).not.toBe(b);
	});

	test('is its query, too, unless the body is signed', () => {
		const sent = { query: { event: 'opt_out' } };
		expect(idOf({ n: 1 }, sent)).toBe(idOf({ n: 1 }, sent));
		expect(idOf({ n: 1 }, sent)).not.toBe(idOf({ n: 1 }, { query: { event: 'opt_in' } }));
		expect(idOf({ n: 1 }, { ...sent, signed: [] })).toBe(idOf({ n: 1 }, { signed: [] }));
	});

	test('is nothing without a body', () => {
		expect(of({}, { raw: '' })).toBeUndefined();
		const form = identifierFor(
			{ headers: { 'webhook-id': 'd-1' }, query: {} },
			optionsWith({}),
			undefined,
		);
		expect(form({}, 0)).toBeUndefined();
	});

	test('is a signed ID, whichever of the signed headers has it', () => {
		const signed = ['webhook-id', 'svix-id'];
		const [one, other] = signed.map((name) => idOf({}, { headers: { [name]: 'm1' }, signed }));
		expect(one).toBe(other);
	});

	test.each(['webhook-id', 'x-github-delivery', 'idempotency-key'])(
		'is a known header together with the body: %s',
		(name) => {
			const sent = { headers: { [name]: 'd-1' } };
			expect(of({ n: 1 }, sent)).toEqual(of({ n: 1 }, sent));
			expect(ttlMs({ n: 1 }, sent)).toBe(Infinity);
			expect(idOf({ n: 2 }, sent)).not.toBe(idOf({ n: 1 }, sent));
			expect(idOf({ n: 1 }, { headers: { [name]: 'd-2' } })).not.toBe(idOf({ n: 1 }, sent));
		},
	);

	test('is a known header alone where it is signed, whatever other headers there are', () => {
		const signed = ['x-event-id'];
		const first = idOf({ n: 1 }, { headers: { 'x-event-id': 'd-1' }, signed });
		const headers = { 'x-event-id': 'd-1', 'webhook-id': 'made up' };
		expect(idOf({ n: 2 }, { headers, signed })).toBe(first);
	});

	test('is no header that is not signed, where calls are: a recorded call does not look new', () => {
		const sent = (id: string) => ({ headers: { 'x-github-delivery': id }, signed: [] });
		expect(of({ n: 1 }, sent('d-2'))).toEqual(of({ n: 1 }, sent('d-1')));
		expect(idOf({ n: 2 }, sent('d-1'))).not.toBe(idOf({ n: 1 }, sent('d-1')));
		expect(ttlMs({ n: 1 }, sent('d-1'))).toBe(12 * HOUR);
	});

	test.each(['x-github-hook-id', 'x-webhook-id', 'x-request-id'])(
		'is not the ID of a subscription or an attempt: %s',
		(name) => {
			expect(idOf({ n: 1 }, { headers: { [name]: 'd-1' } })).toBe(idOf({ n: 1 }));
		},
	);

	test('is no header that is empty, or there several times', () => {
		for (const value of ['', ' ', ['a', 'b']])
			expect(idOf({ n: 1 }, { headers: { 'webhook-id': value } })).toBe(idOf({ n: 1 }));
	});

	test('is the header that is named, before all else', () => {
		const options = { deliveryHeader: ' X-My-Delivery ', deliveryField: 'id' };
		const headers = { 'x-my-delivery': 'd-1', 'webhook-id': 'w-1' };
		const first = idOf({ id: 1 }, { headers, options });
		const again = { headers: { ...headers, 'webhook-id': 'w-2' }, options };
		expect(idOf({ id: 2 }, again)).toBe(first);
		const other = { headers: { ...headers, 'x-my-delivery': 'd-2' }, options };
		expect(idOf({ id: 1 }, other)).not.toBe(first);
	});

	test('is the field that is named, and the rest where it is missing', () => {
		const options = { deliveryField: 'meta.key' };
		const event = { id: 1, meta: { key: 'a' } };
		const first = idOf(event, { options });
		expect(idOf({ ...event, id: 2 }, { options, headers: { 'webhook-id': 'w' } })).toBe(first);
		expect(idOf({ id: 1, meta: { key: 'b' } }, { options })).not.toBe(first);
		// Two IDs beyond 2^53 may look like one.
		for (const key of [undefined, {}, ' ', 2 ** 60])
			expect(idOf({ meta: { key } }, { options, raw: 'x' })).toBe(idOf({}, { raw: 'x' }));
	});

	test('has the place of the event in its call', () => {
		const known: Array<Record<string, string>> = [{}, { 'webhook-id': 'd-1' }];
		for (const headers of known)
			expect(idOf({}, { headers, raw: '[{},{}]', index: 0 })).not.toBe(
				idOf({}, { headers, raw: '[{},{}]', index: 1 }),
			);
	});
});
