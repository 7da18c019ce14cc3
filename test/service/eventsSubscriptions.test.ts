import { seeded } from '../../sandbox/service/service.ts';
import type { Service } from '../../sandbox/service/service.ts';
import { send, toPage, withService } from './client.ts';
import type { Response } from './client.ts';
import { withReceiver } from './events.ts';

const path = '/public/webhooks';
const url = 'https://n8n.example.com/webhook/1';

const subscribe = (service: Service, body: unknown = { url }) => send(service, path, { body });
const remove = (service: Service, id: unknown, apiKey?: string) =>
	send(service, `${path}/${id}`, { method: 'DELETE', apiKey });

function idOf({ body }: Response): string {
	return String(Reflect.get(Object(body), 'id'));
}

test('a subscription from beginning to end', () =>
	withReceiver({ events: { subscriptions: [] } }, async (service, receiver) => {
		const body = { url: receiver.url, events: ['message.received'] };
		const created = await subscribe(service, body);
		expect(created.status).toBe(201);
		expect(created.body).toEqual({ id: expect.any(String), ...body });
		const id = idOf(created);
		expect(service.subscriptions()).toEqual([{ id, ...body, team: seeded.demo.id }]);
		expect((await send(service, path)).body).toMatchObject({ data: [created.body], total: 1 });
		expect((await send(service, `${path}/${id}`)).body).toEqual(created.body);

		service.receiveMessage();
		await service.deliveriesSettled();
		expect(service.deliveries()).toMatchObject([{ subscription: id, state: 'delivered' }]);

		const removed = await remove(service, id);
		expect(removed).toMatchObject({ status: 204, text: '' });
		const gone = await Promise.all([remove(service, id), send(service, `${path}/${id}`)]);
		expect(gone.map(({ status }) => status)).toEqual([404, 404]);
		service.receiveMessage();
		await service.deliveriesSettled();
		expect(receiver.received).toHaveLength(1);
		expect(service.received().map(({ operationId }) => operationId)).toEqual([
			'subscription.create',
			'subscription.getAll',
			'subscription.get',
			'subscription.delete',
			'subscription.delete',
			'subscription.get',
		]);
	}));

test('signs with the secret that a subscription was made with, and does not show it', () =>
	withReceiver(
		{ events: { subscriptions: [], signing: { kind: 'sharedSecret' } } },
		async (service, receiver) => {
			const created = await subscribe(service, { url: receiver.url, secret: 'of its own' });
			expect(created.text).not.toContain('of its own');
			expect((await send(service, path)).text).not.toContain('of its own');
			service.receiveMessage();
			await service.deliveriesSettled();
			expect(receiver.received[0]?.headers['x-webhook-secret']).toBe('of its own');
		},
	));

test.each([
	['no body', undefined],
	['no address', {}],
	['no whole address', { url: '/hook' }],
	['another protocol', { url: 'ftp://example.com/' }],
	['events that are no list', { url, events: 'message.received' }],
	['an empty secret', { url, secret: '' }],
	['a list', [{ url }]],
])('refuses %s', (_what, body) =>
	withService({}, async (service) => {
		const response = await send(service, path, { method: 'POST', body });
		expect(response.status).toBe(400);
		expect(service.subscriptions()).toEqual([]);
	}),
);

test('needs a key, keeps teams apart and cannot be changed', () =>
	withService({}, async (service) => {
		const id = idOf(await subscribe(service));
		const one = `${path}/${id}`;
		for (const apiKey of [null, 'wrong']) {
			const requests = await Promise.all([
				send(service, path, { apiKey, body: { url } }),
				send(service, path, { apiKey }),
				send(service, one, { apiKey }),
				send(service, one, { apiKey, method: 'DELETE' }),
			]);
			expect(requests.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
		}
		const { apiKey } = seeded.second;
		expect((await send(service, path, { apiKey })).body).toMatchObject({ total: 0 });
		expect((await send(service, one, { apiKey })).status).toBe(404);
		expect((await remove(service, id, apiKey)).status).toBe(404);
		const patch = { method: 'PATCH', body: { url } };
		expect((await send(service, one, patch)).status).toBe(405);
		expect(service.subscriptions()).toHaveLength(1);
	}));

test('pages through the list', () =>
	withService({}, async (service) => {
		for (let index = 0; index < 5; index++) await subscribe(service);
		const page = toPage(await send(service, `${path}?limit=2&page=3`));
		expect(page).toMatchObject({ total: 5, data: [{ id: service.subscriptions()[4]?.id }] });
	}));

test('in other names and another place, also while running', () =>
	withService({ dialect: { basePath: '/api' } }, async (service) => {
		await service.configure({
			events: {
				endpoint: {
					path: '/public/event-hooks',
					urlField: 'target',
					eventsField: 'topics',
					secretField: 'key',
					idField: 'subscriptionId',
					wrapped: true,
				},
			},
		});
		expect((await subscribe(service)).status).toBe(404);
		const body = { target: url, topics: ['message.status'], key: 'of its own' };
		const created = await send(service, '/public/event-hooks', { body });
		const shown = { subscriptionId: expect.any(String), target: url, topics: body.topics };
		expect(created).toMatchObject({ status: 201, body: { data: shown } });
		expect(service.subscriptions()).toMatchObject([{ url, secret: 'of its own' }]);
		const [id] = service.subscriptions().map((subscription) => subscription.id);
		const one = await send(service, `/public/event-hooks/${id}`);
		expect(one.body).toEqual({ data: shown });
		expect((await send(service, '/public/event-hooks')).body).toMatchObject({ data: [shown] });
	}));

test('lists as an array, or not at all', () =>
	withService({ events: { endpoint: { list: 'array' } } }, async (service) => {
		const created = await subscribe(service);
		expect((await send(service, path)).body).toEqual([created.body]);
		await service.configure({ events: { endpoint: { list: 'notFound' } } });
		expect((await send(service, path)).status).toBe(404);
		await service.configure({ events: { endpoint: { list: 'notAllowed', readable: false } } });
		expect((await send(service, path)).status).toBe(405);
		expect((await send(service, `${path}/${idOf(created)}`)).status).toBe(405);
		expect((await remove(service, idOf(created))).status).toBe(204);
	}));

test('is not there when switched off', () =>
	withService({ events: { endpoint: { enabled: false } } }, async (service) => {
		expect((await subscribe(service)).status).toBe(404);
		expect((await send(service, path)).status).toBe(404);
	}));

test('goes with the data', () =>
	withService({}, async (service) => {
		await subscribe(service);
		await service.reset('settings', 'log');
		expect(service.subscriptions()).toHaveLength(1);
		await service.reset('data');
		expect(service.subscriptions()).toEqual([]);
	}));

describe('faults', () => {
	test('strike an operation with any status', () =>
		withService({}, async (service) => {
			const created = await subscribe(service);
			await service.configure({
				faults: [
					{
						kind: 'status',
						status: 422,
						operations: ['subscription.create'],
						requests: { first: 1 },
					},
					{ kind: 'status', status: 503, operations: ['subscription.get'], requests: { first: 2 } },
					{ kind: 'status', status: 403, operations: ['subscription.delete'] },
				],
			});
			const one = `${path}/${idOf(created)}`;
			const statuses = [
				await subscribe(service),
				await send(service, one),
				await send(service, one),
				await send(service, one),
				await remove(service, idOf(created)),
			];
			expect(statuses.map(({ status }) => status)).toEqual([422, 503, 503, 200, 403]);
			expect(service.subscriptions()).toHaveLength(1);
		}));

	test.each([
		['dropBefore', 0],
		['dropAfter', 1],
	] as const)('%s leaves %i subscriptions', (kind, count) =>
		withService({ faults: [{ kind, operations: ['subscription.create'] }] }, async (service) => {
			await expect(subscribe(service)).rejects.toThrow();
			expect(service.subscriptions()).toHaveLength(count);
		}),
	);

	test('leave out the ID', () =>
		withService({ faults: [{ kind: 'wrongShape', body: { url } }] }, async (service) => {
			expect((await subscribe(service)).body).toEqual({ url });
			expect(service.subscriptions()).toHaveLength(1);
		}));

	test('are known to the control path', () =>
		withService({}, async (service) => {
			const settings = (fault: object) =>
				send(service, `${service.origin}/__control/settings`, { body: { faults: [fault] } });
			const operations = ['subscription.create'];
			const { status } = await settings({ kind: 'status', status: 422, operations });
			expect(status).toBe(200);
			expect((await settings({ kind: 'status', status: 302 })).status).toBe(400);
			expect((await settings({ kind: 'redirect', status: 422, location: '/' })).status).toBe(400);
		}));
});
