import { EventEmitter } from 'node:events';
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { Deliveries } from '../../../nodes/MessagingService/trigger/deliveries';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';

let deliveries: Deliveries;

/** Begins a process of n8n, which knows nothing of what an earlier one did. */
const restart = () => {
	deliveries = new Deliveries();
};

beforeEach(() => {
	restart();
	jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
});

afterEach(() => {
	jest.useRealTimers();
});

/** Longer than n8n's answer is looked for. */
const settle = async () => await jest.advanceTimersByTimeAsync(60);

/** One trigger, with what n8n has stored for its workflow. */
function triggerOf(workflow = 'w') {
	let stored: IDataObject = {};
	/** A call to it with these deliveries, not answered yet. */
	const deliver = (ids: string | string[]) => {
		const response = Object.assign(new EventEmitter(), { writableEnded: false, statusCode: 200 });
		// n8n reads them anew for each call.
		const data = structuredClone(stored);
		const context = fake<IWebhookFunctions>({
			getWorkflow: () => ({ id: workflow }),
			getNode: () => nodeWith(),
			getWorkflowStaticData: (scope: string) => (scope === 'global' ? data : {}),
			getResponseObject: () => response,
		});
		const taken = deliveries.take(context, [ids].flat());
		/** As n8n does when it has the execution. */
		const store = async () => {
			await taken;
			stored = JSON.parse(JSON.stringify(data));
		};
		return {
			fresh: taken.then((fresh) => [...fresh]),
			isNew: taken.then(({ size }) => size > 0),
			data,
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
		storedNames: () => String(stored.messagingServiceDeliveries).split(' '),
		/** What another process of n8n with the same database has stored; nothing when left out. */
		elsewhere(text?: IDataObject[string]) {
			const before = stored.messagingServiceDeliveries;
			stored = { messagingServiceDeliveries: text };
			return before;
		},
	};
}

/** Whether a promise is still open after so many milliseconds. */
async function isOpen(promise: Promise<unknown>, time = 500): Promise<boolean> {
	let open = true;
	void promise.then(() => (open = false));
	await jest.advanceTimersByTimeAsync(time);
	return open;
}

test('the same delivery is taken once, also after a restart', async () => {
	const trigger = triggerOf();
	expect(await trigger.once('a')).toBe(true);
	expect(await trigger.once('a')).toBe(false);
	expect(await trigger.once('b')).toBe(true);
	expect(trigger.storedNames()).toHaveLength(2);
	restart();
	expect(await trigger.once('a')).toBe(false);
	expect(await trigger.once('c')).toBe(true);
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

test.each([
	[200, false],
	[299, false],
	[404, true],
	[500, true],
])('after an answer with status %i the delivery is new again: %s', async (status, isNewAgain) => {
	const trigger = triggerOf();
	expect(await trigger.once('a', status)).toBe(true);
	trigger.elsewhere();
	expect(await trigger.once('a')).toBe(isNewAgain);
});

describe('calls at the same moment', () => {
	test('take turns, so that the same delivery is taken once', async () => {
		const trigger = triggerOf();
		const [first, second, other] = ['a', 'a', 'b'].map((id) => trigger.deliver(id));
		expect(await first.isNew).toBe(true);
		expect(await isOpen(second.isNew)).toBe(true);
		await first.answer(204);
		expect(await second.isNew).toBe(false);
		expect(await other.isNew).toBe(true);
	});

	test('start it again when the first one fails', async () => {
		const trigger = triggerOf();
		const calls = Array.from({ length: 5 }, () => trigger.deliver('a'));
		const taken = [];
		for (const [index, { isNew, answer }] of calls.entries()) {
			taken.push(await isNew);
			await answer(index < 2 ? 500 : 200);
		}
		expect(taken).toEqual([true, true, true, false, false]);
	});

	test('leave all of a burst known after a kill, and nothing that had not been started', async () => {
		const trigger = triggerOf();
		const ids = [...Array(50).keys()].map(String);
		const calls = ids.map((id) => trigger.deliver(id));
		for (const { answer } of calls.slice(0, -1)) await answer();
		expect(await calls[49].isNew).toBe(true);
		restart();
		const known = await trigger.deliver(ids).fresh;
		expect(known).toEqual(['49']);
	});

	test('wait some seconds at most for another one that n8n does not answer, and without end for the same', async () => {
		const trigger = triggerOf();
		const [first, other, same] = ['a', 'b', 'a'].map((id) => trigger.deliver(id));
		await first.isNew;
		expect(await isOpen(other.isNew, 4_000)).toBe(true);
		expect(await isOpen(other.isNew, 2_000)).toBe(false);
		expect(await isOpen(same.isNew, 60_000)).toBe(true);
		await first.answer();
		expect(await same.isNew).toBe(false);
	});

	test('do not wait for those of another trigger', async () => {
		const calls = ['v', 'w'].map((workflow) => triggerOf(workflow).deliver('a'));
		for (const { isNew } of calls) expect(await isNew).toBe(true);
	});
});

test('is stored also where n8n takes earlier changes for stored when it begins an execution', async () => {
	const call = triggerOf().deliver('a');
	await call.isNew;
	delete call.data.messagingServiceDeliveries;
	await settle();
	expect(call.data.messagingServiceDeliveries).toEqual(expect.any(String));
});

test('what another process stored is known, and is kept', async () => {
	const trigger = triggerOf();
	await trigger.once('b');
	restart();
	const elsewhere = trigger.elsewhere();
	await trigger.once('a');
	trigger.elsewhere(elsewhere);
	expect(await trigger.once('b')).toBe(false);
	expect(await trigger.once('c')).toBe(true);
	restart();
	for (const id of ['a', 'b', 'c']) expect(await trigger.deliver(id).isNew).toBe(false);
});

test('50,000 are remembered in this process, and the latest 1,000 in what is stored', async () => {
	const trigger = triggerOf();
	const idsFrom = (first: number) => Array.from({ length: 500 }, (_, index) => `${first + index}`);
	for (let first = 0; first < 50_500; first += 500) await trigger.deliver(idsFrom(first)).answer();
	expect(trigger.storedNames()).toHaveLength(1_000);
	expect(await trigger.deliver('500').isNew).toBe(false);
	expect(await trigger.deliver('499').isNew).toBe(true);
	restart();
	expect(await trigger.deliver('49500').isNew).toBe(false);
	expect(await trigger.deliver('49499').isNew).toBe(true);
});
