import type { IDataObject } from 'n8n-workflow';
import { Deliveries, identifierFor } from '../../../nodes/MessagingService/trigger/deliveries';
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
	function deliver(...names: string[]) {
		const response = { writableEnded: false, statusCode: 200 };
		const ids = names.map((name) => ({ name, ttlMs: 12 * HOUR, isOfCall: false }));
		const taken = deliveries.take(ids, response);
		return {
			fresh: taken.then((areNew) => names.filter((_name, index) => areNew[index])),
			async answer(statusCode = 200) {
				Object.assign(response, { statusCode, writableEnded: true });
				await pass(60);
			},
		};
	}

	/** What is fresh of calls at the same moment, which n8n answers one after the other. */
	async function answered(calls: string[][], statuses: number[] = []): Promise<string[][]> {
		const all = calls.map((names) => deliver(...names));
		const taken = [];
		for (const [index, { fresh, answer }] of all.entries()) {
			await pass(60);
			taken.push(await fresh);
			await answer(statuses[index]);
		}
		return taken;
	}

	test('is taken once, and again when its time is over', async () => {
		expect(await answered([['a'], ['b'], ['a']])).toEqual([['a'], ['b'], []]);
		await pass(11 * HOUR);
		expect(await answered([['a']])).toEqual([[]]);
		await pass(HOUR);
		expect(await answered([['a']])).toEqual([['a']]);
	});

	test('starts the next call when n8n fails, and no more than one', async () => {
		const calls = Array.from({ length: 5 }, () => ['a']);
		const taken = await answered(calls, [300, 500, 299]);
		expect(taken).toEqual([['a'], ['a'], ['a'], [], []]);
	});

	test('of calls that share some, is taken once each', async () => {
		const calls = [['a', 'b', 'b'], ['b', 'c'], ['c', 'a'], ['a']];
		expect(await answered(calls)).toEqual([['a', 'b'], ['c'], [], []]);
	});

	test('is waited for while n8n has not answered, for five minutes at most', async () => {
		const calls = ['a', 'a', 'a'].map((name) => deliver(name));
		let waiting = calls.length;
		for (const { fresh } of calls) void fresh.then(() => waiting--);
		await pass(4 * MINUTE);
		expect(waiting).toBe(2);
		await pass(2 * MINUTE);
		// In doubt, all of them start the workflow.
		expect(waiting).toBe(0);
		await pass(6 * MINUTE);
		// Nothing looks again and again any more.
		await expect(clock.run(new Promise(() => {}))).rejects.toThrow('waits for no moment in time');
		expect(await answered([['a']])).toEqual([['a']]);
	});

	test('is new for all events of its call, and remembered among the latest 50,000', async () => {
		const id = { name: 'a', ttlMs: Infinity, isOfCall: true };
		const response = { writableEnded: true, statusCode: 200 };
		expect(await deliveries.take([id, undefined, id], response)).toEqual([true, true, true]);
		expect(await deliveries.take([id, id], response)).toEqual([false, false]);
		for (let first = 0; first < 50_500; first += 500) {
			await deliver(...Array.from({ length: 500 }, (_, index) => `${first + index}`)).answer();
		}
		expect(await answered([['500'], ['499']])).toEqual([[], ['499']]);
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
	function idOf(event: IDataObject, sent: Sent = {}) {
		const { headers = {}, query = {}, raw = JSON.stringify(event), parameters = {} } = sent;
		const call = { headers, query, rawBody: Buffer.from(raw) };
		return identifierFor(sent.trigger ?? [], call, settingsWith(parameters))(event);
	}

	const hmac = { verification: 'signature' };
	const standardWebhooks = { ...hmac, scheme: 'standardWebhooks' };
	const BODY = idOf({ n: 1 });

	test('is its body, byte by byte, for twelve hours; and the trigger; and the query, unless the body is signed', () => {
		const query = { event: 'opt_out' };
		expect(BODY?.ttlMs).toBe(12 * HOUR);
		for (const other of [{ raw: '{"n": 1}' }, { trigger: ['other'] }, { query }])
			expect(idOf({ n: 1 }, other)).not.toEqual(BODY);
		const signed = idOf({ n: 1 }, { parameters: hmac });
		expect(idOf({ n: 1 }, { query, parameters: hmac })).toEqual(signed);
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
		const headers: Array<[string, string | string[]]> = [
			['x-request-id', 'a'],
			['webhook-id', ' '],
			['webhook-id', ['a', 'b']],
		];
		for (const [name, value] of headers)
			expect(idOf({ n: 1 }, { headers: { [name]: value } })).toEqual(BODY);
		// Whoever repeats a recorded call could add it.
		const added = { 'idempotency-key': 'd-2' };
		for (const parameters of [hmac, standardWebhooks])
			expect(idOf({ n: 1 }, { headers: added, parameters })).toEqual(
				idOf({ n: 1 }, { parameters }),
			);
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
