/** How fast requests go: the rate limit, and how many are under way at once. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { MAX_LISTS } from '../../nodes/MessagingService/operations/sharedLists';
import { until } from '../../sandbox/n8n/until.ts';
import { nodeOperations } from '../../sandbox/operations.ts';
import type { Settings } from '../../sandbox/service/service.ts';
import { run, start, startQuietly, stopPauses, type NodeOperation } from './service.ts';
import { numbered } from './writes.ts';

type RateLimit = Settings['rateLimit'];

const ITEMS = 50;
const { perItem: INVOKE, minimal } = nodeOperations['agent.start'];

test.concurrent.each<RateLimit['retryAfter']>(['seconds', 'none'])(
	'a run beyond the rate limit calls every item once and keeps the order: Retry-After %s',
	async (retryAfter) => {
		const rateLimit = { requests: 20, windowMs: 3_000, retryAfter };
		const service = await startQuietly({ rateLimit });
		try {
			const order = numbered(ITEMS);
			const result = await run(service, 'agent.start', INVOKE, { input: order });
			expect(result.error).toBeUndefined();
			expect(result.json.map(({ webhookBody }) => webhookBody)).toMatchObject(order);
			const accepted = service.accepted().map(({ body }) => Number(body.n));
			expect(accepted.sort((a, b) => a - b)).toEqual(order.map(({ n }) => n));
			const refused = service.counts().byStatus['429'] ?? 0;
			expect(refused).toBeGreaterThan(0);
			// The others wait with the one that was refused; they do not all try by themselves. Where nobody knows
			// how long, the one that tries may be through long before there is room for the rest.
			if (retryAfter !== 'none') expect(refused).toBeLessThan(ITEMS);
		} finally {
			await service.close();
		}
	},
);

test('a list that is told to wait does not hold back the webhook calls of its team', async () => {
	const service = await start({
		faults: [{ kind: 'tooManyRequests', retryAfterMs: 20_000, operations: ['message.getAll'] }],
	});
	const stop = new AbortController();
	const pauses = stopPauses((milliseconds) => milliseconds > 1_000);
	const list = run(service, 'message.getAll', {}, { signal: stop.signal });
	await until('the list waits', () => pauses() > 0, { pollMs: 5 });
	expect((await run(service, 'agent.start', minimal)).status).toBe('success');
	stop.abort();
	await list;
});

test.each<[NodeOperation, INodeParameters, number]>([
	['agent.start', {}, 200],
	['agent.start', { concurrency: 25 }, 25],
	// Each item wants another list.
	['message.getAll', {}, MAX_LISTS],
])(
	'as many requests are under way at once as the option says: %s, %j',
	async (id, options, width) => {
		// Without an answer, requests pile up.
		const service = await start({ faults: [{ kind: 'neverAnswer' }] });
		const stop = new AbortController();
		const parameters = { ...nodeOperations[id].perItem, options };
		const running = run(service, id, parameters, { input: numbered(230), signal: stop.signal });
		await until('they are under way', () => service.received().length >= width, { pollMs: 5 });
		// What should not be under way arrives.
		await sleep(100);
		expect(service.received()).toHaveLength(width);
		stop.abort();
		// A write under way is waited for, even then.
		await service.close();
		await running;
	},
);
