import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { resetDeliveries, takeDeliveries } from '../../../nodes/MessagingService/memory/deliveries';
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
	/** A call to it with these deliveries, not answered yet. */
	const deliver = (
		ids: string | string[],
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
		const taken = takeDeliveries(context, [ids].flat());
		/** As n8n does when it has the execution. */
		const store = async () => {
			await taken;
			stored = JSON.parse(JSON.stringify(data));
		};
		return {
			fresh: taken.then((fresh) => [...fresh]),
			isNew: taken.then(({ size }) => size > 0),
			store,
			/** As n8n does: it starts the workflow, stores, and answers. */
			async answer(status = 200) {
				if (status < 500) await store();
				Object.assign(response, { statusCode: status, writableEnded: true });
				await settle();
			},
		};
	};
	return {
		deliver,
		/** Whether a delivery was new that n8n answered at once. */
		async once(id: string, status = 200) {
			const delivery = deliver(id);
			const isNew = await delivery.isNew;
			await delivery.answer(status);
			return isNew;
		},
		forget: () => (stored = {}),
		storedText: () => stored.deliveries,
		storedNames: () => String(stored.deliveries).split(' '),
		/** What another process of n8n with the same database has stored. */
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
	expect(trigger.storedNames()).toHaveLength(2);
});

test('of several in one call, those that are new are taken', async () => {
	const trigger = triggerOf();
	await trigger.once('a');
	const call = trigger.deliver(['a', 'b', 'b', 'c']);
	expect(await call.fresh).toEqual(['b', 'c']);
	await call.answer();
	expect(trigger.storedNames()).toHaveLength(3);
	expect(await trigger.deliver(['c', 'b', 'a']).fresh).toEqual([]);
	expect(await trigger.deliver([]).fresh).toEqual([]);
});

test('all of a large batch are known after a restart', async () => {
	const trigger = triggerOf();
	const ids = [...Array(500).keys()].map(String);
	await trigger.deliver(ids).answer();
	resetDeliveries();
	expect(await trigger.deliver(ids).fresh).toEqual([]);
});

test('what is stored is enough, as after a restart', async () => {
	const trigger = triggerOf();
	await trigger.once('a');
	resetDeliveries();
	expect(await trigger.once('a')).toBe(false);
	expect(await trigger.once('b')).toBe(true);
});

test.each([
	[200, false],
	[204, false],
	[299, false],
	[404, true],
	[500, true],
])('after an answer with status %i the delivery is new again: %s', async (status, isNewAgain) => {
	const trigger = triggerOf();
	expect(await trigger.once('a', status)).toBe(true);
	trigger.forget();
	expect(await trigger.once('a')).toBe(isNewAgain);
});

test('what n8n began to store and then failed to start is not stored by a later call', async () => {
	const trigger = triggerOf();
	const failed = trigger.deliver('a');
	await failed.store();
	trigger.forget();
	await failed.answer(500);
	await trigger.once('b');
	expect(trigger.storedNames()).toHaveLength(1);
	expect(await trigger.once('a')).toBe(true);
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
});

describe('calls at the same moment', () => {
	test('store what is being stored, but not what may still fail', async () => {
		const trigger = triggerOf();
		const [first, second, third] = ['a', 'b', 'c'].map((id) => trigger.deliver(id));
		await first.store();
		await second.store();
		expect(trigger.storedNames()).toHaveLength(2);
		await third.answer(500);
		resetDeliveries();
		expect(await trigger.deliver('c').isNew).toBe(true);
		expect(await trigger.deliver('a').isNew).toBe(false);
		expect(await trigger.deliver('b').isNew).toBe(false);
	});

	test('leave all of a burst known after a kill, in whatever order n8n stores them', async () => {
		const trigger = triggerOf();
		const ids = [...Array(150).keys()].map(String);
		const calls = ids.map((id) => trigger.deliver(id));
		for (const { store } of calls.toReversed()) await store();
		resetDeliveries();
		for (const id of ids) expect(await trigger.deliver(id).isNew).toBe(false);
	});
});

test('is stored also where n8n takes earlier changes for stored when it begins an execution', async () => {
	let changes = 0;
	const data = new Proxy<IDataObject>(
		{},
		{ set: (...change) => (changes++, Reflect.set(...change)) },
	);
	const call = triggerOf().deliver('a', undefined, data);
	await call.isNew;
	changes = 0;
	await jest.advanceTimersByTimeAsync(1);
	expect(changes).toBe(1);
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

test('50,000 are remembered in this process, and the latest 1,000 in what is stored', async () => {
	const trigger = triggerOf();
	const answered = { writableEnded: true, statusCode: 200 };
	for (let id = 0; id < 50_005; id++) {
		const call = trigger.deliver(String(id), answered, { deliveries: trigger.storedText() });
		await call.isNew;
		if (id > 48_000) await call.store();
		if (id % 1_000 === 0) await settle();
	}
	await settle();
	expect(trigger.storedNames()).toHaveLength(1_000);
	expect(await trigger.deliver('5').isNew).toBe(false);
	expect(await trigger.deliver('4').isNew).toBe(true);
	resetDeliveries();
	expect(await trigger.deliver('49005').isNew).toBe(false);
	expect(await trigger.deliver('49004').isNew).toBe(true);
}, 60_000);
