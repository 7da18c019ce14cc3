import { until } from '../../sandbox/n8n/until.ts';
import { planFaults } from '../../sandbox/service/faults.ts';
import { seeded, type Requests } from '../../sandbox/service/service.ts';
import { invoke, send, withService } from './client.ts';

test.each<[string, Requests, boolean[]]>([
	['first', { first: 2 }, [true, true, false, false, false, false]],
	['every', { every: 3 }, [false, false, true, false, false, true]],
	['from', { from: 5 }, [false, false, false, false, true, true]],
	['exactly', { exactly: 2 }, [false, true, false, false, false, false]],
	['probability 1', { probability: 1 }, [true, true, true, true, true, true]],
	['probability 0', { probability: 0 }, [false, false, false, false, false, false]],
])('strikes %s', (_name, requests, expected) => {
	const plan = planFaults([{ kind: 'dropBefore', requests }]);
	expect(expected.map(() => plan.next('user.create') !== undefined)).toEqual(expected);
});

test('a probability strikes the same requests again with the same seed', () => {
	const strikes = (seed: number) => {
		const plan = planFaults([{ kind: 'html', requests: { probability: 0.3, seed } }]);
		return Array.from({ length: 1000 }, () => plan.next('user.create') !== undefined);
	};
	expect(strikes(7)).toEqual(strikes(7));
	expect(strikes(7)).not.toEqual(strikes(8));
	expect(strikes(7).filter(Boolean).length).toBeGreaterThan(250);
	expect(strikes(7).filter(Boolean).length).toBeLessThan(350);
});

test('strikes only the chosen operations', () =>
	withService(
		{ faults: [{ kind: 'status', status: 503, operations: ['message.getAll'] }] },
		async (service) => {
			expect((await send(service, '/public/messages')).status).toBe(503);
			expect((await send(service, '/public/message-templates')).status).toBe(200);
			await service.configure({ faults: [] });
			expect((await send(service, '/public/messages')).status).toBe(200);
		},
	));

test.each([
	['dropBefore', 0],
	['dropAfter', 1],
	['dropMidBody', 1],
] as const)('%s breaks the connection; %i calls count as accepted', (kind, accepted) =>
	withService({ faults: [{ kind }] }, async (service) => {
		await expect(invoke(service)).rejects.toThrow();
		await expect(send(service, '/public/messages')).rejects.toThrow();
		expect(service.accepted()).toHaveLength(accepted);
		expect(service.received().map(({ status }) => status)).toEqual(['dropped', 'dropped']);
	}),
);

test.each([500, 502, 503, 504] as const)('status %i, processed or not', (status) =>
	withService(
		{
			faults: [
				{ kind: 'status', status, requests: { exactly: 1 } },
				{ kind: 'status', status, processed: true },
			],
		},
		async (service) => {
			expect((await invoke(service, { body: { lead: 1 } })).status).toBe(status);
			expect(service.accepted()).toHaveLength(0);
			expect(service.received()).toMatchObject([{ team: seeded.demo.id, body: { lead: 1 } }]);
			expect((await invoke(service)).status).toBe(status);
			expect(service.accepted()).toHaveLength(1);
		},
	),
);

test('429 in the set form', () =>
	withService({ faults: [{ kind: 'tooManyRequests', retryAfterMs: 1500 }] }, async (service) => {
		const { status, headers } = await invoke(service);
		expect([status, headers.get('retry-after')]).toEqual([429, '2']);
		expect(service.accepted()).toHaveLength(0);
	}));

test('bodies that are not what was promised', () =>
	withService({}, async (service) => {
		const list = () => send(service, '/public/messages');
		await service.configure({ faults: [{ kind: 'html' }] });
		const html = await list();
		expect([html.status, html.headers.get('content-type')]).toEqual([
			200,
			'text/html; charset=utf-8',
		]);
		await service.configure({ faults: [{ kind: 'truncatedJson' }] });
		expect(await list()).toMatchObject({ status: 200, body: undefined });
		expect(await invoke(service)).toMatchObject({ status: 202, body: undefined });
		await service.configure({ faults: [{ kind: 'emptyBody' }] });
		expect(await list()).toMatchObject({ status: 200, text: '' });
		await service.configure({ faults: [{ kind: 'wrongShape' }] });
		expect((await list()).body).toEqual({ items: [] });
		await service.configure({ faults: [{ kind: 'wrongShape', body: [1] }] });
		expect((await list()).body).toEqual([1]);
	}));

test('redirects', () =>
	withService(
		{ faults: [{ kind: 'redirect', status: 307, location: 'http://127.0.0.1:9/away' }] },
		async (service) => {
			const { status, headers } = await invoke(service);
			expect([status, headers.get('location')]).toEqual([307, 'http://127.0.0.1:9/away']);
			expect(service.accepted()).toHaveLength(0);
		},
	));

test('no answer at all, and still a close at once', () =>
	withService({ faults: [{ kind: 'neverAnswer' }] }, async (service) => {
		const hanging = fetch(`${service.url}/verify-otp?token=1`);
		hanging.catch(() => undefined);
		await until('it is received', () => service.received().length > 0);
		expect(service.received()).toMatchObject([{ status: 'unanswered' }]);
		await service.close();
		await expect(hanging).rejects.toThrow();
	}));

test('latency of every answer, and delay of some', () =>
	withService(
		{ latencyMs: 60, faults: [{ kind: 'delay', ms: 100, requests: { exactly: 2 } }] },
		async (service) => {
			const time = async () => {
				const start = performance.now();
				expect((await send(service, '/public/messages')).status).toBe(200);
				return performance.now() - start;
			};
			expect(await time()).toBeGreaterThan(55);
			expect(await time()).toBeGreaterThan(155);
		},
	));
