import { EventEmitter } from 'node:events';

import type { IWebhookFunctions } from 'n8n-workflow';
import { Deliveries } from '../../../nodes/MessagingService/trigger/deliveries';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';

const HOUR = 60 * 60_000;

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
			texts.map((text) => ({ text, ttlMs: lasting })),
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
