import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { until } from '../../sandbox/n8n/until.ts';
import type { ServiceOptions } from '../../sandbox/service/service.ts';
import { run, start, stopPauses, type NodeOperation } from './service.ts';
import { byId, known, numbered } from './writes.ts';

const INVOKE = { webhookId: byId(known.webhookId), payloadMode: 'input' };

const MINUTE = 60_000;
/** Longer than a test may take. */
const options = { timeout: 10 * MINUTE };

interface Case {
	name: string;
	operation: NodeOperation;
	parameters: INodeParameters;
	service: ServiceOptions;
	/** Webhook calls that are accepted before the end. */
	accepted?: number;
}

const cases: Case[] = [
	{
		name: 'while a bulk run waits for the rate limit',
		operation: 'pipeline.invokeWebhook',
		parameters: INVOKE,
		service: { rateLimit: { requests: 3, windowMs: MINUTE } },
		accepted: 3,
	},
	{
		name: 'while calls hang',
		operation: 'pipeline.invokeWebhook',
		parameters: { ...INVOKE, options },
		service: { faults: [{ kind: 'neverAnswer', requests: { from: 3 } }] },
		accepted: 2,
	},
	{
		name: 'while a list waits after a 429',
		operation: 'message.getAll',
		parameters: { returnAll: true },
		service: {
			faults: [{ kind: 'tooManyRequests', retryAfterMs: MINUTE, requests: { from: 2 } }],
		},
	},
	{
		name: 'while a page of a list hangs',
		operation: 'inbox.getAll',
		parameters: { returnAll: true, options },
		service: { faults: [{ kind: 'neverAnswer' }] },
	},
	{
		name: 'while a write that was refused waits for its next try',
		operation: 'user.create',
		parameters: { email: '={{ "user" + $json.n + "@example.com" }}' },
		service: { faults: [{ kind: 'tooManyRequests', retryAfterMs: MINUTE }] },
	},
];

// n8n takes an execution for cancelled by the word "canceled" in the error; else it counts as failed, and the
// error workflow starts.
test.each(cases)(
	'an execution that is cancelled $name ends at once, is cancelled for n8n too, and sends nothing more',
	async ({ operation, parameters, service: settings, accepted = 0 }) => {
		for (const onError of [undefined, 'continueRegularOutput'] as const) {
			const service = await start(settings);
			const stop = new AbortController();
			const more = { input: numbered(20), signal: stop.signal, onError };
			const pauses = stopPauses((milliseconds) => milliseconds > 1_000);
			const running = run(service, operation, parameters, more);
			const isStuck = () =>
				service.accepted().length === accepted &&
				(Number(service.counts().byStatus.silent) > 0 || pauses() > 0);
			await until('it goes on only when it is cancelled', isStuck, { pollMs: 5 });

			const begun = jest.fn();
			subscribe('http.client.request.created', begun);
			stop.abort();
			const { status } = await running;
			if (onError === undefined) expect(status).toBe('canceled');
			// What should not be sent is.
			await sleep(200);
			unsubscribe('http.client.request.created', begun);
			expect(begun).not.toHaveBeenCalled();
			expect(service.accepted()).toHaveLength(accepted);
			expect(new Set(service.accepted().map(({ body }) => body.n)).size).toBe(accepted);
		}
	},
);
