import type { Settings } from '../../sandbox/service/service.ts';
import { withService } from '../service/client.ts';
import { run } from './service.ts';
import { byId, known, numbered } from './writes.ts';

const ITEMS = 70;
const INVOKE = { webhookId: byId(known.webhookId), payloadMode: 'input' };
const AGENT = { enabled: false };

type RateLimit = Settings['rateLimit'];
const ways: Array<[RateLimit['window'], RateLimit['retryAfter']]> = [
	['fixed', 'seconds'],
	['fixed', 'httpDate'],
	['fixed', 'none'],
	['sliding', 'seconds'],
	['sliding', 'httpDate'],
	['sliding', 'none'],
];

describe('a bulk run beyond the rate limit', () => {
	test.concurrent.each(ways)(
		'calls every item once and keeps the order: %s window, Retry-After %s',
		async (window, retryAfter) => {
			const rateLimit = { requests: 30, windowMs: 3_000, window, retryAfter };
			await withService({ rateLimit, agent: AGENT }, async (service) => {
				const result = await run(service, 'pipeline.invokeWebhook', INVOKE, {
					input: numbered(ITEMS),
				});
				const order = numbered(ITEMS);
				expect(result.error).toBeUndefined();
				expect(result.json.map(({ webhookBody }) => webhookBody)).toEqual(order);
				const accepted = service.accepted().map(({ body }) => Number(body.n));
				expect(accepted.sort((a, b) => a - b)).toEqual(order.map(({ n }) => n));
				// The others wait with the one that was refused; they do not all try by themselves.
				const refused = service.counts().byStatus['429'] ?? 0;
				expect(refused).toBeGreaterThan(0);
				expect(refused).toBeLessThan(ITEMS);
			});
		},
	);
});

test('two runs of one team share the wait, and both come through', async () => {
	const rateLimit = { requests: 30, windowMs: 3_000 };
	await withService({ rateLimit, agent: AGENT }, async (service) => {
		const results = await Promise.all(
			[0, 1].map(() => run(service, 'pipeline.invokeWebhook', INVOKE, { input: numbered(25) })),
		);
		expect(results.map(({ status }) => status)).toEqual(['success', 'success']);
		expect(service.accepted()).toHaveLength(50);
	});
});

test.each([1, 4, 25])(
	'no more calls are under way at once than the option says: %i',
	async (width) => {
		await withService({ latencyMs: 100, agent: AGENT }, async (service) => {
			const parameters = { ...INVOKE, options: { concurrency: width } };
			const result = await run(service, 'pipeline.invokeWebhook', parameters, {
				input: numbered(50),
			});
			expect(result.json.map(({ webhookBody }) => webhookBody)).toEqual(numbered(50));
			expect(service.counts().peakRequests).toBe(width);
		});
	},
);

test('sixteen are under way at once when nothing is said', async () => {
	await withService({ latencyMs: 100, agent: AGENT }, async (service) => {
		await run(service, 'pipeline.invokeWebhook', INVOKE, { input: numbered(50) });
		expect(service.counts().peakRequests).toBe(16);
	});
});
