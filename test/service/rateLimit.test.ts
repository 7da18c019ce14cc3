import { createRateLimiter } from '../../sandbox/service/rateLimit.ts';
import { defaultSettings } from '../../sandbox/service/settings.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { invoke, send, withService } from './client.ts';

const limit = { ...defaultSettings.rateLimit, requests: 2, windowMs: 1000 };

test('a fixed window begins with the first call and lets a new one begin', () => {
	const limiter = createRateLimiter({ ...limit, window: 'fixed' });
	expect([0, 900, 950, 999, 1000, 1001, 1002].map((now) => limiter.take(now))).toEqual([
		0, 0, 50, 1, 0, 0, 998,
	]);
});

test('a sliding window never holds more than the limit', () => {
	const limiter = createRateLimiter({ ...limit, window: 'sliding' });
	expect([0, 900, 950, 1000, 1001, 1900].map((now) => limiter.take(now))).toEqual([
		0, 0, 50, 0, 899, 0,
	]);
});

test('webhook calls beyond the limit get 429, for that team alone', () =>
	withService({ rateLimit: { requests: 2 } }, async (service) => {
		const status = async () => (await invoke(service)).status;
		expect([await status(), await status(), await status()]).toEqual([202, 202, 429]);
		const other = await send(service, `/public/pipelines/webhook/${seeded.second.webhookIds[0]}`, {
			apiKey: seeded.second.apiKey,
			body: {},
		});
		expect(other.status).toBe(202);
		expect((await send(service, '/public/messages')).status).toBe(200);
		expect(service.counts()).toMatchObject({ accepted: 3, maxAcceptedPer60s: 2 });
		await service.configure({ rateLimit: { enabled: false } });
		expect([await status(), await status(), await status()]).toEqual([202, 202, 202]);
	}));

test.each([
	['seconds', /^60$/],
	['httpDate', /GMT$/],
	['none', null],
] as const)('Retry-After as %s', (retryAfter, form) =>
	withService({ rateLimit: { requests: 1, retryAfter } }, async (service) => {
		await invoke(service);
		const { status, headers } = await invoke(service);
		expect(status).toBe(429);
		const value = headers.get('retry-after');
		if (form === null) expect(value).toBeNull();
		else expect(value).toMatch(form);
	}),
);

test('requests beyond its capacity get 503 and are not processed', () =>
	withService({ capacity: 2, latencyMs: 100 }, async (service) => {
		const calls = await Promise.all(Array.from({ length: 5 }, () => invoke(service)));
		expect(calls.map(({ status }) => status).sort()).toEqual([202, 202, 503, 503, 503]);
		expect(service.counts().accepted).toBe(2);
	}));
