import { createServer, request as sendRequest, type ServerResponse } from 'node:http';

import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { resetDeliveries, take } from '../../../nodes/MessagingService/memory/deliveries';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';

beforeEach(() => {
	resetDeliveries();
	jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
});

afterEach(() => {
	jest.useRealTimers();
});

/** Longer than n8n's answer is looked for. */
const settle = async () => await jest.advanceTimersByTimeAsync(50);

/** One trigger, with what n8n has stored for its workflow. */
function triggerOf(workflow = 'w') {
	let stored: IDataObject = {};
	/** A call to it that has the delivery of this ID, not answered yet. */
	const deliver = (id: string, response = { writableEnded: false, statusCode: 200 }) => {
		const data = structuredClone(stored);
		const context = fake<IWebhookFunctions>({
			getWorkflow: () => ({ id: workflow }),
			getNode: () => nodeWith(),
			getWorkflowStaticData: () => data,
			getResponseObject: () => response,
		});
		const isNew = take(context, id);
		return {
			isNew,
			data,
			/** As n8n does: what started the workflow is stored, and then answered. */
			async answer(status = 200) {
				if (status < 500) stored = data;
				Object.assign(response, { statusCode: status, writableEnded: true });
				await settle();
			},
		};
	};
	return {
		deliver,
		/** What a delivery came to that n8n answered at once. */
		async once(id: string, status = 200) {
			const delivery = deliver(id);
			const isNew = await delivery.isNew;
			await delivery.answer(status);
			return isNew;
		},
		forget: () => (stored = {}),
		storedIds: () => String(stored.deliveries).split(' '),
	};
}

/** Whether a promise is still open after a while. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
	let open = true;
	void promise.then(() => (open = false));
	await jest.advanceTimersByTimeAsync(500);
	return open;
}

test('the same delivery is taken once', async () => {
	const trigger = triggerOf();
	expect(await trigger.once('a')).toBe(true);
	expect(await trigger.once('a')).toBe(false);
	expect(await trigger.once('b')).toBe(true);
	expect(await trigger.once('a')).toBe(false);
	expect(trigger.storedIds()).toEqual([
		expect.stringMatching(/^[\w-]{16}$/),
		expect.stringMatching(/^[\w-]{16}$/),
	]);
});

test('each trigger has its own deliveries', async () => {
	expect(await triggerOf('own-1').once('a')).toBe(true);
	expect(await triggerOf('own-2').once('a')).toBe(true);
});

test('what is stored is enough, as after a restart', async () => {
	const trigger = triggerOf();
	await trigger.once('a');
	resetDeliveries();
	expect(await trigger.once('a')).toBe(false);
	expect(await trigger.once('b')).toBe(true);
});

test('what this process knows is enough, when somebody else overwrote what was stored', async () => {
	const trigger = triggerOf();
	await trigger.once('a');
	trigger.forget();
	expect(await trigger.once('a')).toBe(false);
	await trigger.once('b');
	expect(trigger.storedIds()).toHaveLength(2);
});

test.each([
	[200, false],
	[204, false],
	[299, false],
	[300, true],
	[302, true],
	[404, true],
	[500, true],
])('after an answer with status %i the delivery is new again: %s', async (status, isNewAgain) => {
	const trigger = triggerOf();
	expect(await trigger.once('a', status)).toBe(true);
	trigger.forget();
	expect(await trigger.once('a')).toBe(isNewAgain);
});

describe('the same delivery twice at the same time', () => {
	test('is taken once, when the first one succeeds', async () => {
		const trigger = triggerOf();
		const first = trigger.deliver('a');
		expect(await first.isNew).toBe(true);
		const second = trigger.deliver('a');
		expect(await isOpen(second.isNew)).toBe(true);
		await first.answer(204);
		expect(await second.isNew).toBe(false);
	});

	test('is taken by one of many, and by one again when that fails', async () => {
		const trigger = triggerOf();
		const deliveries = Array.from({ length: 10 }, () => trigger.deliver('a'));
		let started = 0;
		for (const [index, { isNew, answer }] of deliveries.entries()) {
			const taken = await isNew;
			if (taken) started++;
			await answer(taken && index < 3 ? 500 : 200);
		}
		expect(started).toBe(4);
		expect(await trigger.once('a')).toBe(false);
	});

	test('is answered at the latest 50 milliseconds after the first, however long that took', async () => {
		const trigger = triggerOf();
		const first = trigger.deliver('a');
		const second = trigger.deliver('a');
		await jest.advanceTimersByTimeAsync(10_000);
		await first.answer();
		expect(await isOpen(second.isNew)).toBe(false);
		expect(jest.getTimerCount()).toBe(0);
	});
});

test('is stored again and again until n8n has answered, since n8n may forget that it was changed', async () => {
	const { data, isNew, answer } = triggerOf().deliver('a');
	await isNew;
	for (let look = 0; look < 5; look++) {
		expect(data.deliveries).toMatch(/^[\w-]{16}$/);
		delete data.deliveries;
		await settle();
	}
	await answer();
	delete data.deliveries;
	await jest.advanceTimersByTimeAsync(1_000);
	expect(data.deliveries).toBeUndefined();
});

test('the first checks for an answer are quick, since most answers are', async () => {
	const trigger = triggerOf();
	const response = { writableEnded: false, statusCode: 200 };
	const first = trigger.deliver('a', response);
	await first.isNew;
	const second = trigger.deliver('a');
	response.writableEnded = true;
	await jest.advanceTimersByTimeAsync(1);
	expect(await second.isNew).toBe(false);
});

test('the latest 1,000 are remembered, in this process as well as in what is stored', async () => {
	const trigger = triggerOf();
	for (let id = 0; id < 1_005; id++) {
		const { isNew, answer } = trigger.deliver(String(id));
		expect(await isNew).toBe(true);
		await answer();
	}
	expect(trigger.storedIds()).toHaveLength(1_000);
	expect(await trigger.once('1004')).toBe(false);
	expect(await trigger.once('5')).toBe(false);
	expect(await trigger.once('4')).toBe(true);
	expect(trigger.storedIds()).toHaveLength(1_000);
	trigger.forget();
	expect(await trigger.once('1003')).toBe(false);
	expect(await trigger.once('5')).toBe(true);
});

describe('of more than 500 triggers', () => {
	const call = async (count: number) => {
		for (let i = 0; i < count; i++) await triggerOf(`other-${i}`).once('a');
	};

	test('the least recently called one is forgotten', async () => {
		const oldest = triggerOf('oldest');
		const recent = triggerOf('recent');
		for (const trigger of [recent, oldest]) await trigger.once('a');
		for (const trigger of [recent, oldest]) trigger.forget();
		for (let times = 0; times < 2; times++) await call(498);
		expect(await recent.once('a')).toBe(false);
		await call(499);
		expect(await recent.once('a')).toBe(false);
		expect(await oldest.once('a')).toBe(true);
	});

	test('none is forgotten of which a delivery is not answered yet', async () => {
		const busy = triggerOf('busy');
		const first = busy.deliver('a');
		await first.isNew;
		await call(501);
		const second = busy.deliver('a');
		expect(await isOpen(second.isNew)).toBe(true);
		await first.answer();
		expect(await second.isNew).toBe(false);
	});
});

test('a sender that hangs up before the answer does not make the delivery new', async () => {
	jest.useRealTimers();
	const calls: ServerResponse[] = [];
	const server = createServer((_request, response) => void calls.push(response));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The server has no port');
	const sender = sendRequest({ port: address.port, host: '127.0.0.1', method: 'POST' });
	sender.on('error', () => {});
	sender.end();
	await new Promise((resolve) => server.once('request', resolve));
	const [response] = calls;
	const closed = new Promise((resolve) => response.once('close', resolve));

	const trigger = triggerOf();
	expect(await trigger.deliver('a', response).isNew).toBe(true);
	sender.destroy();
	await closed;
	// The workflow starts all the same.
	const second = trigger.deliver('a').isNew;
	const pause = new Promise((resolve) => setTimeout(resolve, 150, 'open'));
	expect(await Promise.race([second, pause])).toBe('open');
	response.writeHead(200).end();
	expect(await second).toBe(false);
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});
