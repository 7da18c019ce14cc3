import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import type { Service, ServiceOptions } from '../../sandbox/service/service.ts';
import { run, start, type NodeOperation } from './service.ts';
import { byId, known, numbered } from './writes.ts';

const INVOKE = { webhookId: byId(known.webhookId), payloadMode: 'input' };

/** Each waits for a minute if nobody cancels it. */
const MINUTE = 60_000;
const SOON = MINUTE / 12;

interface Case {
	name: string;
	operation: NodeOperation;
	parameters: INodeParameters;
	options: ServiceOptions;
	/** Webhook calls that are accepted before the end. */
	accepted?: number;
}

const cases: Case[] = [
	{
		name: 'while a bulk run waits for the rate limit',
		operation: 'pipeline.invokeWebhook',
		parameters: INVOKE,
		options: { rateLimit: { requests: 3, windowMs: MINUTE } },
		accepted: 3,
	},
	{
		name: 'while calls hang',
		operation: 'pipeline.invokeWebhook',
		parameters: INVOKE,
		options: { faults: [{ kind: 'neverAnswer', requests: { from: 3 } }] },
		accepted: 2,
	},
	{
		name: 'while a list waits after a 429',
		operation: 'message.getAll',
		parameters: { returnAll: true },
		options: {
			faults: [{ kind: 'tooManyRequests', retryAfterMs: MINUTE, requests: { from: 2 } }],
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
		options: { faults: [{ kind: 'tooManyRequests', retryAfterMs: MINUTE }] },
	},
];

// n8n takes an execution for cancelled by the word "canceled" in the error; else it counts as failed, and the
// error workflow starts.
test.each(cases)(
	'an execution that is cancelled $name ends at once, is cancelled for n8n too, and sends nothing more',
	async ({ operation, parameters, options, accepted = 0 }) => {
		for (const onError of [undefined, 'continueRegularOutput'] as const) {
			const service = await start(options);
			const stop = new AbortController();
			const more = { input: numbered(20), signal: stop.signal, onError };
			const running = run(service, operation, parameters, more);
			await underWay(service, accepted + 1);

			const cancelledAt = performance.now();
			stop.abort();
			const { status } = await running;
			expect(performance.now() - cancelledAt).toBeLessThan(SOON);
			if (onError === undefined) expect(status).toBe('canceled');
			// What was on its way arrives.
			await sleep(100);
			const sent = service.received().length;
			await sleep(200);
			expect(service.received()).toHaveLength(sent);
			expect(service.accepted()).toHaveLength(accepted);
			expect(new Set(service.accepted().map(({ body }) => body.n)).size).toBe(accepted);
		}
	},
);

/** Resolves when so many requests at least have arrived, and whatever is answered at once has been answered. */
async function underWay(service: Service, atLeast: number): Promise<void> {
	for (let sent = 0; sent < atLeast || sent < service.received().length; ) {
		sent = service.received().length;
		await sleep(150);
	}
}
