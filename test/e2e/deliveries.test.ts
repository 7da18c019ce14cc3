/** n8n is killed right after a burst of events: what it answered is known when it comes again. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { callTrigger, SECRET } from './events.ts';

jest.setTimeout(2 * START_TIMEOUT_MS);

const BURST = 50;

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		service: { agent: { enabled: false } },
		credential: { data: { webhookSecret: SECRET } },
	});
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

const bodyOf = (id: number) => JSON.stringify({ event: 'message.received', data: { id } });

/** Signed anew each time, as by a service that signs the time. */
const deliver = async (flow: Flow, id: number) => {
	const body = bodyOf(id);
	const time = new Date().toISOString();
	const signature = createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex');
	const headers = { 'x-timestamp': time, 'x-signature': signature };
	return (await callTrigger(flow, { body, headers })).status;
};

/** All at the same moment, and with success. */
async function deliverAll(flow: Flow, ids: number[]): Promise<void> {
	const statuses = await Promise.all(ids.map((id) => deliver(flow, id)));
	expect(new Set(statuses)).toEqual(new Set([200]));
}

/** How many executions there are, once there come no more. */
async function executionsOf(flow: Flow): Promise<number> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId: flow.workflow.id }));
	const count = async () => {
		const path = `/rest/executions?filter=${filter}&limit=1`;
		return (await sandbox.n8n.rest.get<{ count: number }>(path)).count;
	};
	let before = -1;
	let now = await count();
	while (now !== before) {
		await sleep(500);
		[before, now] = [now, await count()];
	}
	return now;
}

test('one delivery three times at once beside 50 others, a kill, and all of them again: one execution each', async () => {
	const flow = await sandbox.activate([
		sandbox.trigger({
			verification: 'signature',
			signature: { timestampHeader: 'X-Timestamp', signedContent: '{timestamp}.{body}' },
		}),
	]);
	const ids = [...Array(BURST + 1).keys()];
	// n8n knows the address a moment after the activation.
	expect(await deliver(flow, -1)).toBe(200);

	await deliverAll(flow, [0, 0, ...ids]);
	await sandbox.n8n.kill();
	await sandbox.n8n.start();

	expect(await deliver(flow, BURST + 1)).toBe(200);
	await deliverAll(flow, ids);
	expect(await executionsOf(flow)).toBe(ids.length + 2);
});

test('a kill in the middle of a burst: what was answered starts nothing again, the rest starts', async () => {
	const flow = await sandbox.activate([
		sandbox.trigger({
			verification: 'signature',
			signature: { timestampHeader: 'X-Timestamp', signedContent: '{timestamp}.{body}' },
		}),
	]);
	expect(await deliver(flow, -1)).toBe(200);

	const answered = new Set<number>();
	let sent = 0;
	// Some are always under way, until n8n answers no more.
	const senders = Array.from({ length: BURST }, async () => {
		for (;;) {
			const id = sent++;
			if ((await deliver(flow, id)) === 200) answered.add(id);
		}
	});
	while (answered.size < BURST / 2) await sleep(1);
	await sandbox.n8n.kill();
	await Promise.allSettled(senders);
	const ids = [...Array(sent).keys()];
	expect(answered.size).toBeLessThan(ids.length);
	await sandbox.n8n.start();

	const before = await executionsOf(flow);
	await deliverAll(flow, [...answered]);
	expect(await executionsOf(flow)).toBe(before);
	await deliverAll(flow, ids);
	// Of what was not answered, n8n may have started some already.
	expect(await executionsOf(flow)).toBeGreaterThanOrEqual(ids.length + 1);
});
