import type { IDataObject } from 'n8n-workflow';
import {
	Deliveries,
	type DeliveryId,
	identifierFor,
} from '../../../nodes/MessagingService/trigger/deliveries';
import { VirtualClock } from '../helpers/virtualClock';
import { settingsWith } from './panel';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('what was delivered', () => {
	let clock: VirtualClock;
	let deliveries: Deliveries;

	beforeEach(() => {
		clock = new VirtualClock();
		deliveries = new Deliveries(clock);
	});

	const pass = async (milliseconds: number) => await clock.run(clock.wait(milliseconds));

	/** A call with these deliveries, not answered yet. */
	function deliver(names: string[], ttlMs = Infinity) {
		const response = { writableEnded: false, statusCode: 200 };
		const ids = names.map((name) => ({ name, ttlMs, isOfCall: false }));
		const taken = deliveries.take(ids, response);
		return {
			fresh: taken.then((areNew) => names.filter((_name, index) => areNew[index])),
			async answer(statusCode = 200) {
				Object.assign(response, { statusCode, writableEnded: true });
				await pass(60);
			},
		};
	}

	/** Whether a delivery was new that n8n answered at once. */
	async function once(name: string, status = 200, ttlMs?: number): Promise<boolean> {
		const { fresh, answer } = deliver([name], ttlMs);
		await answer(status);
		return (await fresh).length > 0;
	}

	test('is taken once, and again when its time is over', async () => {
		for (const isNew of [true, false]) expect(await once('a', 200, 12 * HOUR)).toBe(isNew);
		expect(await once('b')).toBe(true);
		await pass(11 * HOUR);
		expect(await once('a', 200, 12 * HOUR)).toBe(false);
		await pass(HOUR);
		expect(await once('a', 200, 12 * HOUR)).toBe(true);
	});

	test('is waited for while n8n has not answered', async () => {
		const [first, second, other] = ['a', 'a', 'b'].map((name) => deliver([name]));
		expect(await Promise.all([first.fresh, other.fresh])).toEqual([['a'], ['b']]);
		let isOpen = true;
		void second.fresh.then(() => (isOpen = false));
		await pass(4 * MINUTE);
		expect(isOpen).toBe(true);
		await first.answer(299);
		await pass(60);
		expect(await second.fresh).toEqual([]);
	});

	test('and never answered by n8n, is waited for five minutes at most', async () => {
		const calls = ['a', 'a', 'a'].map((name) => deliver([name]));
		const fresh = await clock.run(Promise.all(calls.map((call) => call.fresh)));
		// In doubt, all of them start the workflow.
		expect(fresh).toEqual([['a'], ['a'], ['a']]);
		await pass(11 * MINUTE);
		// Nothing looks again and again any more.
		await expect(clock.run(new Promise(() => {}))).rejects.toThrow('waits for no moment in time');
		expect(await once('a')).toBe(true);
	});

	test('starts the next call when n8n fails, and no more than one', async () => {
		const calls = Array.from({ length: 5 }, () => deliver(['a']));
		const taken = [];
		for (const [index, { fresh, answer }] of calls.entries()) {
			await pass(60);
			taken.push(await fresh);
			await answer([300, 500, 200, 200, 200][index]);
		}
		expect(taken).toEqual([['a'], ['a'], ['a'], [], []]);
	});

	test('of calls that share some, is taken once each', async () => {
		const calls = [['a', 'b', 'b'], ['b', 'c'], ['c', 'a'], ['a']].map((names) => deliver(names));
		const taken = [];
		for (const { fresh, answer } of calls) {
			await pass(60);
			taken.push(await fresh);
			await answer();
		}
		expect(taken).toEqual([['a', 'b'], ['c'], [], []]);
	});

	test('is new for all events of its call, and remembered among the latest 50,000', async () => {
		const id = { name: 'a', ttlMs: Infinity, isOfCall: true };
		const response = { writableEnded: true, statusCode: 200 };
		expect(await deliveries.take([id, undefined, id], response)).toEqual([true, true, true]);
		expect(await deliveries.take([id, id], response)).toEqual([false, false]);
		for (let first = 0; first < 50_500; first += 500) {
			await deliver(Array.from({ length: 500 }, (_, index) => `${first + index}`)).answer();
		}
		expect(await deliver(['500']).fresh).toEqual([]);
		expect(await deliver(['499']).fresh).toEqual(['499']);
	});
});

describe('what a delivery is known by', () => {
	interface Sent {
		headers?: Record<string, string | string[]>;
		raw?: string;
		parameters?: IDataObject;
		query?: Record<string, string>;
		trigger?: string[];
	}

	/** What a call with this event is known by. */
	function idOf(event: IDataObject, sent: Sent = {}): DeliveryId | undefined {
		const { headers = {}, query = {}, raw = JSON.stringify(event), parameters = {} } = sent;
		const call = { headers, query, rawBody: Buffer.from(raw) };
		return identifierFor(sent.trigger ?? [], call, settingsWith(parameters))(event);
	}

	const hmac = { verification: 'signature' };
	const standardWebhooks = { ...hmac, scheme: 'standardWebhooks' };
	const BODY = idOf({ n: 1 });

	test('is its body, byte by byte, for twelve hours; and the trigger; and the query, unless the body is signed', () => {
		expect(idOf({ n: 1 })).toEqual(BODY);
		expect(BODY?.ttlMs).toBe(12 * HOUR);
		const query = { event: 'opt_out' };
		for (const other of [{ raw: '{"n": 1}' }, { trigger: ['other'] }, { query }])
			expect(idOf({ n: 1 }, other)).not.toEqual(BODY);
		expect(idOf({ n: 1 }, { query, parameters: hmac })).toEqual(
			idOf({ n: 1 }, { parameters: hmac }),
		);
		// JavaScript reads both as one.
		const [a, b] = ['1234567890123456789', '1234567890123456790'].map((n) =>
			idOf({}, { raw: `{"n":${n}}` }),
		);
		expect(a).not.toEqual(b);
		expect(idOf({}, { raw: '' })).toBeUndefined();
	});

	test.each([
		['webhook-id', {}],
		['svix-id', {}],
		['idempotency-key', {}],
		['webhook-id', standardWebhooks],
		['svix-id', standardWebhooks],
	])('is the header %s, alone where it is signed: %j', (name, parameters) => {
		const sent = (id: string) => ({ headers: { [name]: id }, parameters });
		const first = idOf({ n: 1 }, sent('d-1'));
		// A proxy may have added it twice.
		expect(idOf({ n: 1 }, { ...sent('d-1, d-1'), query: { a: '1' } })).toEqual(first);
		expect(first?.ttlMs).toBe(Infinity);
		const ofOtherBody = idOf({ n: 2 }, sent('d-1'));
		expect(ofOtherBody?.name === first?.name).toBe(parameters === standardWebhooks);
		expect(idOf({ n: 1 }, sent('d-2'))).not.toEqual(first);
	});

	test('is no other header, none without one value, and none that is not signed where calls are', () => {
		for (const [name, value] of [
			['x-request-id', 'a'],
			['webhook-id', ' '],
			['webhook-id', ['a', 'b']],
		] as const)
			expect(idOf({ n: 1 }, { headers: { [name]: value as string } })).toEqual(BODY);
		// Whoever repeats a recorded call could add it.
		for (const parameters of [hmac, standardWebhooks]) {
			const headers = { 'idempotency-key': 'd-2' };
			expect(idOf({ n: 1 }, { headers, parameters })).toEqual(idOf({ n: 1 }, { parameters }));
		}
	});

	test('is the field that is named, and the rest where it is missing', () => {
		const parameters = { options: { deliveryField: 'meta.key' } };
		const first = idOf({ id: 1, meta: { key: 'a' } }, { parameters });
		const headers = { 'webhook-id': 'w' };
		expect(idOf({ id: 2, meta: { key: 'a' } }, { parameters, headers })).toEqual(first);
		expect(idOf({ id: 1, meta: { key: 'b' } }, { parameters })).not.toEqual(first);
		// Two IDs beyond 2^53 may look like one.
		for (const key of [undefined, {}, ' ', 2 ** 60])
			expect(idOf({ meta: { key } }, { parameters, raw: '{"n":1}' })).toEqual(BODY);
	});
});
