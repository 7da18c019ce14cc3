import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import type { Service, ServiceOptions } from '../../sandbox/service/service.ts';
import { run, start } from './service.ts';
import type { NodeOperation } from './service.ts';
import { byId, known, numbered } from './writes.ts';

const INVOKE = { webhookId: byId(known.webhookId), payloadMode: 'input' };

interface Case {
	name: string;
	operation: NodeOperation;
	parameters: INodeParameters;
	options: ServiceOptions;
}

const cases: Case[] = [
	{
		name: 'while a bulk run waits for the rate limit',
		operation: 'pipeline.invokeWebhook',
		parameters: INVOKE,
		options: { rateLimit: { requests: 3, windowMs: 4_000 } },
	},
	{
		name: 'while calls hang',
		operation: 'pipeline.invokeWebhook',
		parameters: INVOKE,
		options: { faults: [{ kind: 'neverAnswer', requests: { from: 3 } }] },
	},
	{
		name: 'while a list waits after a 429',
		operation: 'message.getAll',
		parameters: { returnAll: true },
		options: {
			faults: [{ kind: 'tooManyRequests', retryAfterMs: 4_000, requests: { from: 2 } }],
		},
	},
	{
		name: 'while a page of a list hangs',
		operation: 'inbox.getAll',
		parameters: { returnAll: true },
		options: { faults: [{ kind: 'neverAnswer' }] },
	},
	{
		name: 'while a write that was refused waits for its next try',
		operation: 'user.create',
		parameters: { email: '={{ "user" + $json.n + "@example.com" }}' },
		options: { faults: [{ kind: 'tooManyRequests', retryAfterMs: 4_000 }] },
	},
];

test.each(cases)(
	'an execution that is cancelled $name ends within a second, and sends nothing more',
	async ({ operation, parameters, options }) => {
		for (const onError of [undefined, 'continueRegularOutput'] as const) {
			const service = await start(options);
			const { signal, cancel } = cancellation();
			const running = run(service, operation, parameters, { input: numbered(20), signal, onError });
			await underWay(service);

			const cancelledAt = performance.now();
			cancel();
			await running;
			expect(performance.now() - cancelledAt).toBeLessThan(1000);
			const sent = service.received().length;
			await sleep(200);
			expect(service.received()).toHaveLength(sent);
		}
	},
);

// n8n takes an execution for cancelled by the word "canceled" in the error; else it counts as failed,
// and the error workflow starts.
test.each(cases)(
	'n8n sees an execution that is cancelled $name as cancelled, not as failed',
	async ({ operation, parameters, options }) => {
		const service = await start(options);
		const { signal, cancel } = cancellation();
		const running = run(service, operation, parameters, { input: numbered(20), signal });
		await underWay(service);
		cancel();
		expect((await running).status).toBe('canceled');
	},
);

test('what was accepted before the end was accepted once', async () => {
	const service = await start({ rateLimit: { requests: 3, windowMs: 4_000 } });
	const { signal, cancel } = cancellation();
	const running = run(service, 'pipeline.invokeWebhook', INVOKE, { input: numbered(20), signal });
	await underWay(service);
	cancel();
	await running;
	expect(new Set(service.accepted().map(({ body }) => body.n)).size).toBe(3);
	expect(service.accepted()).toHaveLength(3);
});

/** Resolves when requests have arrived and whatever is answered at once has been answered. */
async function underWay(service: Service): Promise<void> {
	for (let sent = 0; sent === 0 || sent < service.received().length; ) {
		sent = service.received().length;
		await sleep(150);
	}
}

function cancellation() {
	const controller = new AbortController();
	return { signal: controller.signal, cancel: () => controller.abort() };
}
