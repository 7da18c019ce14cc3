import { EventEmitter } from 'node:events';

import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import {
	Deliveries,
	type DeliveryId,
	identifierFor,
} from '../../../nodes/MessagingService/trigger/deliveries';
import type { WebhookRequest } from '../../../nodes/MessagingService/trigger/events';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';
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
	const lasts = (...args: Parameters<typeof of>) => of(...args)?.lasts;

	test('is its body, byte by byte, for twelve hours', () => {
		expect(of({ n: 1 })).toEqual(of({ n: 1 }));
		expect(lasts({ n: 1 })).toBe(12 * HOUR);
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
			fake<WebhookRequest>({ headers: { 'webhook-id': 'd-1' }, query: {}, rawBody: undefined }),
			optionsWith({}),
			undefined,
		);
		expect(form({}, 0)).toBeUndefined();
	});

	test.each(['webhook-id', 'x-github-delivery', 'twitch-eventsub-message-id'])(
		'is a known header together with the body: %s',
		(name) => {
			const sent = { headers: { [name]: 'd-1' } };
			expect(of({ n: 1 }, sent)).toEqual(of({ n: 1 }, sent));
			expect(lasts({ n: 1 }, sent)).toBe(Infinity);
			expect(idOf({ n: 2 }, sent)).not.toBe(idOf({ n: 1 }, sent));
			expect(idOf({ n: 1 }, { headers: { [name]: 'd-2' } })).not.toBe(idOf({ n: 1 }, sent));
		},
	);

	test('is a known header alone where it is signed, whatever other headers there are', () => {
		const signed = ['linear-delivery'];
		const first = idOf({ n: 1 }, { headers: { 'linear-delivery': 'd-1' }, signed });
		const headers = { 'linear-delivery': 'd-1', 'webhook-id': 'made up' };
		expect(idOf({ n: 2 }, { headers, signed })).toBe(first);
	});

	test('is no header that is not signed, where calls are: a recorded call does not look new', () => {
		const sent = (id: string) => ({ headers: { 'x-github-delivery': id }, signed: [] });
		expect(of({ n: 1 }, sent('d-2'))).toEqual(of({ n: 1 }, sent('d-1')));
		expect(idOf({ n: 2 }, sent('d-1'))).not.toBe(idOf({ n: 1 }, sent('d-1')));
		expect(lasts({ n: 1 }, sent('d-1'))).toBe(12 * HOUR);
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

describe('what was delivered', () => {
	let deliveries: Deliveries;

	beforeEach(() => {
		deliveries = new Deliveries();
		jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
	});

	afterEach(() => {
		jest.useRealTimers();
	});

	/** Until an answer of n8n is noticed. */
	const settle = async () => await jest.advanceTimersByTimeAsync(60);

	/** A call with these deliveries, not answered yet. */
	function deliver(ids: string | string[], workflow = 'w', lasting = Infinity) {
		const response = Object.assign(new EventEmitter(), {
			writableEnded: false,
			destroyed: false,
			statusCode: 200,
		});
		const context = fake<IWebhookFunctions>({
			getWorkflow: () => ({ id: workflow }),
			getNode: () => nodeWith(),
			getResponseObject: () => response,
		});
		const texts = [ids].flat();
		const taken = deliveries.take(
			context,
			texts.map((text) => ({ text, lasts: lasting })),
		);
		return {
			fresh: taken.then((areNew) => texts.filter((_text, index) => areNew[index])),
			isNew: taken.then((areNew) => areNew.includes(true)),
			/** As Node.js does it: nothing is emitted when n8n answers later. */
			hangUp() {
				response.destroyed = true;
				response.emit('close');
			},
			async answer(status = 200) {
				Object.assign(response, { statusCode: status, writableEnded: true });
				if (!response.destroyed) response.emit('finish');
				await settle();
			},
		};
	}

	/** Whether a delivery was new that n8n answered at once. */
	async function once(id: string, status = 200, lasting?: number): Promise<boolean> {
		const call = deliver(id, 'w', lasting);
		const isNew = await call.isNew;
		await call.answer(status);
		return isNew;
	}

	/** Whether a promise is still open after a minute. */
	async function isOpen(promise: Promise<unknown>): Promise<boolean> {
		let open = true;
		void promise.then(() => (open = false));
		await jest.advanceTimersByTimeAsync(60_000);
		return open;
	}

	test('is taken once', async () => {
		expect(await once('a')).toBe(true);
		expect(await once('a')).toBe(false);
		expect(await once('b')).toBe(true);
	});

	test('is taken again when its time is over', async () => {
		expect(await once('a', 200, 12 * HOUR)).toBe(true);
		await jest.advanceTimersByTimeAsync(11 * HOUR);
		expect(await once('a', 200, 12 * HOUR)).toBe(false);
		await jest.advanceTimersByTimeAsync(HOUR);
		expect(await once('a', 200, 12 * HOUR)).toBe(true);
	});

	test('of several in one call, those that are new are taken', async () => {
		await once('a');
		const call = deliver(['a', 'b', 'b', 'c']);
		expect(await call.fresh).toEqual(['b', 'c']);
		await call.answer();
		expect(await deliver(['c', 'b', 'a']).fresh).toEqual([]);
		expect(await deliver([]).fresh).toEqual([]);
	});

	test.each([
		[200, false],
		[299, false],
		[404, true],
		[500, true],
	])('after an answer with status %i it is new again: %s', async (status, isNewAgain) => {
		expect(await once('a', status)).toBe(true);
		expect(await once('a')).toBe(isNewAgain);
	});

	test('is waited for as long as n8n has not answered', async () => {
		const [first, second, other] = ['a', 'a', 'b'].map((id) => deliver(id));
		expect(await first.isNew).toBe(true);
		expect(await other.isNew).toBe(true);
		expect(await isOpen(second.isNew)).toBe(true);
		await first.answer(204);
		expect(await second.isNew).toBe(false);
	});

	test('starts the next call when n8n fails, and no more than one', async () => {
		const calls = Array.from({ length: 5 }, () => deliver('a'));
		const taken = [];
		for (const [index, { isNew, answer }] of calls.entries()) {
			taken.push(await isNew);
			await answer(index < 2 ? 500 : 200);
		}
		expect(taken).toEqual([true, true, true, false, false]);
	});

	test('of calls that share some, is taken once each', async () => {
		const calls = [['a', 'b'], ['b', 'c'], ['c', 'a'], ['a']].map((ids) => deliver(ids));
		const taken = [];
		for (const { fresh, answer } of calls) {
			taken.push(...(await fresh));
			await answer();
		}
		expect(taken).toEqual(['a', 'b', 'c']);
	});

	test('counts although its sender hung up, once n8n has it', async () => {
		const first = deliver('a');
		const second = deliver('a');
		await first.isNew;
		first.hangUp();
		expect(await isOpen(second.isNew)).toBe(true);
		await first.answer();
		expect(await second.isNew).toBe(false);
	});

	test('is another one at another workflow', async () => {
		expect(await deliver('a', 'v').isNew).toBe(true);
		expect(await deliver('a', 'w').isNew).toBe(true);
	});

	test('is remembered as long as it is among the latest 50,000', async () => {
		const idsFrom = (first: number) =>
			Array.from({ length: 500 }, (_, index) => `${first + index}`);
		for (let first = 0; first < 50_500; first += 500) {
			await deliver(idsFrom(first)).answer();
		}
		expect(await deliver('500').isNew).toBe(false);
		expect(await deliver('499').isNew).toBe(true);
	});
});
