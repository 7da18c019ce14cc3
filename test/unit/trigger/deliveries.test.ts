/** Over real connections: what counts is when n8n answers, and whether the sender is still there. */
import { createServer, request as sendRequest, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { take } from '../../../nodes/MessagingService/trigger/deliveries';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';

let server: Server;
const calls: ServerResponse[] = [];
let wake = () => {};

beforeAll(async () => {
	server = createServer((_request, response) => {
		calls.push(response);
		wake();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

/** A call that came in: its sender may hang up, n8n may answer. */
async function call() {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The server has no port');
	const arrived = new Promise<void>((resolve) => (wake = resolve));
	const { port } = address;
	const sender = sendRequest({ port, host: '127.0.0.1', method: 'POST' });
	sender.on('error', () => {});
	sender.on('response', (answer) => answer.resume());
	sender.end();
	await arrived;
	const response = calls.pop();
	if (!response) throw new Error('No call came');
	const closed = new Promise<void>((resolve) => response.once('close', resolve));
	return {
		response,
		async answer(status: number) {
			response.writeHead(status).end('{}');
			await closed;
			await sleep(0);
		},
		async hangUp() {
			sender.destroy();
			await closed;
		},
	};
}

/** One trigger, with what n8n has stored for its workflow. */
function triggerOf(workflow: string) {
	let stored: IDataObject = {};
	/** A call to it that has the delivery of this ID. */
	const deliver = async (id: string) => {
		const { response, answer, hangUp } = await call();
		const data = structuredClone(stored);
		const context = fake<IWebhookFunctions>({
			getWorkflow: () => ({ id: workflow }),
			getNode: () => nodeWith(),
			getWorkflowStaticData: () => data,
			getResponseObject: () => response,
		});
		return {
			hangUp,
			isNew: take(context, id),
			/** As n8n does: what started the workflow is stored, and then answered. */
			async succeed(status = 200) {
				stored = data;
				await answer(status);
			},
			fail: async () => await answer(500),
		};
	};
	return {
		deliver,
		/** What a delivery came to that n8n could answer at once. */
		async once(id: string) {
			const delivery = await deliver(id);
			const isNew = await delivery.isNew;
			await delivery.succeed();
			return isNew;
		},
		forget: () => (stored = {}),
		stored: () => stored.deliveries,
	};
}

const listed = (deliveries: unknown) => String(deliveries).split(' ');

/** Whether a promise is still open after a while. */
const isOpen = async (promise: Promise<unknown>) =>
	(await Promise.race([promise, sleep(150, 'open')])) === 'open';

test('the same delivery is taken once', async () => {
	const trigger = triggerOf('once');
	expect(await trigger.once('a')).toBe(true);
	expect(await trigger.once('a')).toBe(false);
	expect(await trigger.once('b')).toBe(true);
	expect(await trigger.once('a')).toBe(false);
});

test('each trigger has its own deliveries', async () => {
	expect(await triggerOf('own-1').once('a')).toBe(true);
	expect(await triggerOf('own-2').once('a')).toBe(true);
});

test('what is stored is enough, as after a restart', async () => {
	const trigger = triggerOf('restart');
	await trigger.once('a');
	await jest.isolateModulesAsync(async () => {
		const restarted = await import('../../../nodes/MessagingService/trigger/deliveries');
		const { response, answer } = await call();
		const context = fake<IWebhookFunctions>({
			getWorkflow: () => ({ id: 'restart' }),
			getNode: () => nodeWith(),
			getWorkflowStaticData: () => ({ deliveries: trigger.stored() }),
			getResponseObject: () => response,
		});
		expect(await restarted.take(context, 'a')).toBe(false);
		expect(await restarted.take(context, 'b')).toBe(true);
		await answer(200);
	});
});

test('what this process knows is enough, when somebody else wrote over what was stored', async () => {
	const trigger = triggerOf('overwritten');
	await trigger.once('a');
	trigger.forget();
	expect(await trigger.once('a')).toBe(false);
	await trigger.once('b');
	expect(listed(trigger.stored())).toHaveLength(2);
});

describe('the same delivery twice at the same time', () => {
	test('is taken once, when the first one succeeds', async () => {
		const trigger = triggerOf('twice-success');
		const first = await trigger.deliver('a');
		expect(await first.isNew).toBe(true);
		const second = await trigger.deliver('a');
		expect(await isOpen(second.isNew)).toBe(true);
		await first.succeed(204);
		expect(await second.isNew).toBe(false);
		await second.succeed();
	});

	test('is taken by the second one, when the first one fails', async () => {
		const trigger = triggerOf('twice-failure');
		const first = await trigger.deliver('a');
		const second = await trigger.deliver('a');
		expect(await first.isNew).toBe(true);
		await first.fail();
		expect(await second.isNew).toBe(true);
		await second.succeed();
		expect(await trigger.once('a')).toBe(false);
	});

	test('is taken by one of many, and by one again when that fails', async () => {
		const trigger = triggerOf('many');
		const deliveries = [];
		for (let i = 0; i < 10; i++) deliveries.push(await trigger.deliver('a'));
		let started = 0;
		for (const [i, { isNew, fail, succeed }] of deliveries.entries()) {
			const taken = await isNew;
			if (taken) started++;
			await (taken && i < 3 ? fail() : succeed());
		}
		expect(started).toBe(4);
	});
});

describe('a sender that hangs up before the answer', () => {
	test('does not make the delivery new, since the workflow starts all the same', async () => {
		const trigger = triggerOf('hang-up');
		const first = await trigger.deliver('a');
		await first.isNew;
		await first.hangUp();
		const second = await trigger.deliver('a');
		expect(await isOpen(second.isNew)).toBe(true);
		await first.succeed();
		expect(await second.isNew).toBe(false);
		await second.succeed();
	});

	test('leaves it to the next one, when the workflow does not start', async () => {
		const trigger = triggerOf('hang-up-failure');
		const first = await trigger.deliver('a');
		await first.isNew;
		await first.hangUp();
		const second = await trigger.deliver('a');
		await first.fail();
		expect(await second.isNew).toBe(true);
		await second.succeed();
	});

	test('and even before the delivery is looked at, holds up nobody', async () => {
		const { response, hangUp, answer } = await call();
		await hangUp();
		const context = fake<IWebhookFunctions>({
			getWorkflow: () => ({ id: 'hung-up' }),
			getNode: () => nodeWith(),
			getWorkflowStaticData: () => ({}),
			getResponseObject: () => response,
		});
		expect(await take(context, 'a')).toBe(true);
		const second = triggerOf('hung-up').once('a');
		response.writeHead(200).end();
		expect(await second).toBe(false);
		await answer(200).catch(() => {});
	});
});

test('is stored again and again until n8n has answered, since n8n may forget that it was changed', async () => {
	const { response, answer } = await call();
	const stored: unknown[] = [];
	const data = {
		get deliveries() {
			return '';
		},
		set deliveries(deliveries: string) {
			stored.push(deliveries);
		},
	};
	const context = fake<IWebhookFunctions>({
		getWorkflow: () => ({ id: 'forgetful' }),
		getNode: () => nodeWith(),
		getWorkflowStaticData: () => data,
		getResponseObject: () => response,
	});
	await take(context, 'a');
	expect(stored).toHaveLength(1);
	while (stored.length < 3) await sleep(1);
	await answer(200);
	const { length } = stored;
	await sleep(100);
	expect(stored).toHaveLength(length);
});

test('the latest 1,000 are remembered', async () => {
	const data: IDataObject = {};
	const response = { writableEnded: false, statusCode: 200 };
	const context = fake<IWebhookFunctions>({
		getWorkflow: () => ({ id: 'bound' }),
		getNode: () => nodeWith(),
		getWorkflowStaticData: () => data,
		getResponseObject: () => fake<ServerResponse>(response),
	});
	for (let id = 0; id < 1_005; id++) expect(await take(context, String(id))).toBe(true);
	response.writableEnded = true;
	await sleep(200);
	expect(listed(data.deliveries)).toHaveLength(1_000);
	expect(await take(context, '1004')).toBe(false);
	expect(await take(context, '10')).toBe(false);
	expect(await take(context, '0')).toBe(true);
	expect(listed(data.deliveries)).toHaveLength(1_000);
});
