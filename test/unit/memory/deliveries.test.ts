import { createServer, request as sendRequest, type ServerResponse } from 'node:http';

import fc from 'fast-check';
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
	const deliver = (
		id: string | string[],
		response = { writableEnded: false, statusCode: 200 },
		// n8n reads them anew for each call.
		data = structuredClone(stored),
	) => {
		const context = fake<IWebhookFunctions>({
			getWorkflow: () => ({ id: workflow }),
			getNode: () => nodeWith(),
			getWorkflowStaticData: (scope: string) => (scope === 'node' ? data : {}),
			getResponseObject: () => response,
		});
		const taken = take(context, [id].flat());
		const save = () => {
			stored = JSON.parse(JSON.stringify(data));
		};
		return {
			isNew: taken.then((delivery) => delivery !== undefined),
			/** As n8n does: it starts the workflow, asks what to answer with, stores, and answers. */
			async answer(status = 200) {
				const delivery = await taken;
				if (status < 500) {
					delivery?.remember();
					save();
				}
				Object.assign(response, { statusCode: status, writableEnded: true });
				await settle();
			},
			/** Up to where n8n asks what to answer with. */
			async start() {
				(await taken)?.remember();
			},
			save,
			/** Up to where n8n has stored, but not to the answer. */
			async store() {
				await this.start();
				save();
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
		storedText: () => stored.deliveries,
		/** Those that are stored, after the name of the process that wrote them. */
		storedIds: () => String(stored.deliveries).match(/.{11}/g)?.slice(1) ?? [],
		/** Another process of n8n with the same database: what this one knows counts for nothing there. */
		elsewhere(text: IDataObject[string]) {
			stored = { deliveries: text };
		},
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
		expect.stringMatching(/^[\w-]{11}$/),
		expect.stringMatching(/^[\w-]{11}$/),
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

	test('is taken once, when the first one was known by an earlier ID', async () => {
		const trigger = triggerOf();
		const first = trigger.deliver('yesterday');
		expect(await first.isNew).toBe(true);
		const second = trigger.deliver(['today', 'yesterday']);
		expect(await isOpen(second.isNew)).toBe(true);
		await first.answer();
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

describe('calls at the same moment', () => {
	test('each store what all of them know, in whatever order n8n stores them', async () => {
		const orders = fc.shuffledSubarray([...Array(20).keys()], { minLength: 1 });
		await fc.assert(
			fc.asyncProperty(orders, async (order) => {
				resetDeliveries();
				const trigger = triggerOf();
				await trigger.once('before');
				const calls = [...Array(20).keys()].map((id) => trigger.deliver(String(id)));
				for (const index of order) await calls[index].answer();
				// Then n8n is killed.
				resetDeliveries();
				for (let id = 0; id < 20; id++)
					expect(await trigger.deliver(String(id)).isNew).toBe(!order.includes(id));
				expect(await trigger.deliver('before').isNew).toBe(false);
			}),
			{ numRuns: 20 },
		);
	});

	test('store what is being stored, but not what may still fail', async () => {
		const trigger = triggerOf();
		const [first, second, third] = ['a', 'b', 'c'].map((id) => trigger.deliver(id));
		await first.store();
		await second.store();
		expect(trigger.storedIds()).toHaveLength(2);
		await third.answer(500);
		expect(trigger.storedIds()).toHaveLength(2);
		resetDeliveries();
		expect(await trigger.deliver('c').isNew).toBe(true);
		expect(await trigger.deliver('a').isNew).toBe(false);
	});

	test('of one delivery are not answered before it is stored', async () => {
		const trigger = triggerOf();
		const first = trigger.deliver('a');
		const second = trigger.deliver('a');
		await first.store();
		const third = trigger.deliver('a');
		expect(await isOpen(second.isNew)).toBe(true);
		expect(await isOpen(third.isNew)).toBe(true);
		await first.answer();
		expect(await second.isNew).toBe(false);
		expect(await third.isNew).toBe(false);
	});

	test('store what is known when n8n gets to it, not when it began', async () => {
		const trigger = triggerOf();
		const [first, second] = [trigger.deliver('a'), trigger.deliver('b')];
		await first.start();
		await second.start();
		second.save();
		first.save();
		expect(trigger.storedIds()).toHaveLength(2);
	});
});

test('what another writer took out is stored again by the next call, also by one that starts nothing', async () => {
	const trigger = triggerOf();
	await trigger.once('a');
	const text = trigger.storedText();
	trigger.forget();
	await trigger.once('a');
	expect(trigger.storedText()).toBe(text);
});

test('what another process stored is known, and is kept', async () => {
	const trigger = triggerOf();
	await trigger.once('b');
	const elsewhere = trigger.storedText();
	resetDeliveries();
	trigger.forget();
	await trigger.once('a');
	trigger.elsewhere(elsewhere);
	expect(await trigger.once('b')).toBe(false);
	expect(await trigger.once('c')).toBe(true);
	resetDeliveries();
	for (const id of ['a', 'b', 'c']) expect(await trigger.deliver(id).isNew).toBe(false);
});

test.each(['', 'damaged', 5])(
	'what is stored and names no delivery hinders none: %j',
	async (stored) => {
		const trigger = triggerOf();
		trigger.elsewhere(stored);
		expect(await trigger.once('a')).toBe(true);
		expect(await trigger.once('a')).toBe(false);
	},
);

test('what is stored already is not written again for a delivery that is known', async () => {
	const trigger = triggerOf();
	await trigger.once('a');
	const text = trigger.storedText();
	const data = { deliveries: text };
	expect(await trigger.deliver('a', undefined, data).isNew).toBe(false);
	expect(data.deliveries).toBe(text);
});

test('what this process wrote earlier, and reads late, takes nothing away', async () => {
	const trigger = triggerOf();
	await trigger.once('a');
	const data = { deliveries: trigger.storedText() };
	await trigger.once('b');
	jest.setSystemTime(Date.now() + 600_000);
	expect(await trigger.deliver('b', undefined, data).isNew).toBe(false);
});

test.each([
	[59_000, false],
	[60_000, true],
])(
	'after %i milliseconds, what another process stored without a delivery makes it new: %s',
	async (pause, isNew) => {
		const trigger = triggerOf();
		await trigger.once('a');
		const [id] = trigger.storedIds();
		const stored = (...ids: string[]) => ({ deliveries: ['another-one', ...ids].join('') });
		const start = Date.now();
		// It knew the delivery before.
		await trigger.deliver('b', undefined, stored(id)).answer();
		jest.setSystemTime(start + pause);
		expect(await trigger.deliver('a', undefined, stored('another-two')).isNew).toBe(isNew);
	},
);

test('what two processes store by turns, both know', async () => {
	// Each process knows a workflow of its own here; what n8n stores is the same.
	const processes = [triggerOf('one'), triggerOf('other')];
	const deliver = async (index: number, process: number) => {
		jest.setSystemTime(Date.now() + 1_000);
		const isNew = await processes[process % 2].once(`d-${index}`);
		processes[(process + 1) % 2].elsewhere(processes[process % 2].storedText());
		return isNew;
	};
	for (let index = 0; index < 1_500; index++) expect(await deliver(index, index)).toBe(true);
	for (let index = 600; index < 1_500; index++) {
		expect(await deliver(index, index + 1)).toBe(false);
	}
});

test('a burst over the limit forgets the oldest ones, not those of the burst', async () => {
	const trigger = triggerOf();
	for (let id = 0; id < 1_000; id++) await trigger.deliver(`old-${id}`).answer();
	// By another process, to which this one has more to tell than to learn from it.
	const before = { deliveries: `another-one${trigger.storedIds().join('')}` };
	const calls = [...Array(300).keys()].map((id) => trigger.deliver(`new-${id}`));
	for (const { answer } of calls) await answer();
	// One that n8n began with before all of them, and whose static data are therefore old.
	expect(await trigger.deliver('old-999', undefined, before).isNew).toBe(false);
	await trigger.once('after');
	resetDeliveries();
	for (let id = 0; id < 300; id++) expect(await trigger.deliver(`new-${id}`).isNew).toBe(false);
	for (const id of ['old-400', 'old-999', 'after'])
		expect(await trigger.deliver(id).isNew).toBe(false);
	expect(await trigger.deliver('old-300').isNew).toBe(true);
	expect(trigger.storedIds()).toHaveLength(1_000);
});

test('costs the same however much is remembered', async () => {
	jest.useRealTimers();
	const trigger = triggerOf();
	const timeOf100 = async (name: string) => {
		const start = performance.now();
		for (let id = 0; id < 100; id++)
			await trigger.deliver(`${name}-${id}`, { writableEnded: true, statusCode: 200 }).store();
		return performance.now() - start;
	};
	for (let i = 0; i < 10; i++) await timeOf100(`first-${i}`);
	const first = await timeOf100('full');
	for (let i = 0; i < 30; i++) await timeOf100(`more-${i}`);
	expect(await timeOf100('later')).toBeLessThan(5 * first + 100);
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
