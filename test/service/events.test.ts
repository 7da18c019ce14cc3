import { seeded } from '../../sandbox/service/service.ts';
import type { Service } from '../../sandbox/service/service.ts';
import { invoke, send, withService } from './client.ts';
import { fieldOf, until, withReceiver } from './events.ts';

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Waits for the agent's message, which comes some time after the call, and for its deliveries. */
async function untilDelivered(service: Service, count: number): Promise<void> {
	await until(() => service.deliveries().length >= count);
	await service.deliveriesSettled();
}

test('nobody subscribed, so nothing is delivered', () =>
	withService({}, async (service) => {
		service.receiveMessage();
		expect(service.emit()).toEqual([]);
		await service.deliveriesSettled();
		expect(service.deliveries()).toEqual([]);
	}));

test('a message that comes in', () =>
	withReceiver({}, async (service, receiver) => {
		const message = service.receiveMessage({ body: 'Ping' });
		await service.deliveriesSettled();
		expect(receiver.received).toMatchObject([
			{
				method: 'POST',
				path: '/hook',
				headers: { 'content-type': 'application/json' },
				body: {
					id: expect.stringMatching(uuid),
					event: 'message.received',
					created: expect.stringMatching(/^\d{4}-.*Z$/),
					data: message,
				},
			},
		]);
		const list = await send(service, '/public/messages?limit=1');
		expect(list.body).toMatchObject({ data: [message] });
		expect(service.deliveries()).toEqual([
			{
				id: fieldOf(receiver, 'id')[0],
				event: 'message.received',
				url: receiver.url,
				team: seeded.demo.id,
				subscription: undefined,
				time: expect.any(Number),
				copy: 0,
				state: 'delivered',
				attempts: [{ time: expect.any(Number), status: 200 }],
			},
		]);
	}));

test('messages that arrive between two pages', () =>
	withReceiver({ dialect: { drift: 2 } }, async (service, receiver) => {
		await send(service, '/public/messages?page=2');
		await service.deliveriesSettled();
		expect(fieldOf(receiver, 'event')).toEqual(['message.received', 'message.received']);
	}));

test("an agent's answer, and its way to the contact", () =>
	withReceiver({ agent: { delayMs: 5, deliveryMs: 20 } }, async (service, receiver) => {
		await invoke(service, { body: { phone: '+15555550142', firstName: 'Ada' } });
		await untilDelivered(service, 2);
		expect(receiver.received.map(({ body }) => body)).toMatchObject([
			{
				event: 'agent.answered',
				data: {
					inbound: false,
					status: 'sent',
					body: expect.stringContaining('Hi Ada'),
					members: expect.arrayContaining(['+15555550142']),
				},
			},
			{ event: 'message.status', data: { inbound: false, status: 'delivered' } },
		]);
		const newest = await send(service, '/public/messages?limit=1');
		expect(newest.body).toMatchObject({ data: [{ status: 'delivered' }] });
	}));

test('an answer that is delivered at once has one event', () =>
	withReceiver({ agent: { delayMs: 5 } }, async (service, receiver) => {
		await invoke(service);
		await untilDelivered(service, 1);
		expect(receiver.received).toMatchObject([
			{ body: { event: 'agent.answered', data: { status: 'delivered' } } },
		]);
	}));

test('a status that changes', () =>
	withReceiver({}, async (service, receiver) => {
		const failure = { status: 'failed', error: 'No such number', errorCode: 30_003 };
		const [oldest] = service.teams()[0]?.messages ?? [];
		const before = oldest?.message.updated;
		const changed = service.changeStatus({ ...failure, messageId: oldest?.message.id });
		expect(changed).toMatchObject({ id: oldest?.message.id, ...failure });
		expect(changed?.updated).not.toBe(before);
		expect(service.changeStatus({ status: 'read', messageId: 1 })).toBeUndefined();
		expect(service.changeStatus({ status: 'read', apiKey: 'wrong' })).toBeUndefined();
		await service.deliveriesSettled();
		expect(receiver.received).toMatchObject([{ body: { event: 'message.status', data: changed } }]);
	}));

test('goes to those who want it, of the same team', () =>
	withReceiver({}, async (service, { url, received }) => {
		const { apiKey } = seeded.second;
		await service.configure({
			events: {
				subscriptions: [
					{ url: `${url}/all` },
					{ url: `${url}/statuses`, events: ['message.status'] },
					{ url: `${url}/received`, events: ['agent.answered', 'message.received'] },
					{ url: `${url}/second`, apiKey },
				],
			},
		});
		const pathsAfter = async (act: () => unknown) => {
			received.length = 0;
			act();
			await service.deliveriesSettled();
			return received.map(({ path }) => path).sort();
		};
		expect(await pathsAfter(() => service.receiveMessage())).toEqual([
			'/hook/all',
			'/hook/received',
		]);
		expect(await pathsAfter(() => service.changeStatus({ status: 'read' }))).toEqual([
			'/hook/all',
			'/hook/statuses',
		]);
		expect(await pathsAfter(() => service.receiveMessage({ apiKey }))).toEqual(['/hook/second']);
	}));

test('bodies in other names, and flat', () =>
	withReceiver({}, async (service, { received }) => {
		const bodyWith = async (body: Record<string, string | boolean>) => {
			await service.configure({ events: { body } });
			received.length = 0;
			const message = service.receiveMessage({ body: 'Ping' });
			await service.deliveriesSettled();
			return { message, body: received[0]?.body };
		};
		const names = {
			eventField: 'type',
			idField: 'deliveryId',
			createdField: 'at',
			dataField: 'message',
		};
		const named = await bodyWith(names);
		const heading = {
			type: 'message.received',
			deliveryId: expect.stringMatching(uuid),
			at: expect.any(String),
		};
		expect(named.body).toEqual({ ...heading, message: named.message });
		const flat = await bodyWith({ flat: true });
		expect(flat.body).toEqual({ ...flat.message, ...heading });
		// The names of the delivery win over those of the message.
		const hiding = await bodyWith({ idField: 'id' });
		expect(hiding.body).toMatchObject({ id: expect.stringMatching(uuid), body: 'Ping' });
	}));

test('events without anything having happened', () =>
	withReceiver({}, async (service, receiver) => {
		const emitted = service.emit({ event: 'contact.created', data: { name: 'Ada' }, count: 3 });
		await service.deliveriesSettled();
		expect(emitted).toHaveLength(3);
		expect(emitted).toEqual(service.deliveries());
		expect(fieldOf(receiver, 'event')).toEqual(Array(3).fill('contact.created'));
		expect(fieldOf(receiver, 'data')).toEqual(Array(3).fill({ name: 'Ada' }));
		expect(new Set(fieldOf(receiver, 'id')).size).toBe(3);
		expect(service.emit({ apiKey: 'wrong' })).toBeUndefined();
	}));

test('any ID, body and header', () =>
	withReceiver({ events: { delivery: { connections: 1 } } }, async (service, receiver) => {
		service.emit({ id: 'again' });
		service.emit({ body: { list: [1] } });
		service.emit({ body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } });
		await service.deliveriesSettled();
		const [newest] = service.teams()[0]?.messages.slice(-1) ?? [];
		expect(receiver.received).toMatchObject([
			{ body: { id: 'again', event: 'message.received', data: newest?.message } },
			{ text: '{"list":[1]}', headers: { 'content-type': 'application/json' } },
			{ text: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
		]);
	}));

describe('the control path', () => {
	const control = (service: Service, name: string, body?: unknown) =>
		send(service, `${service.origin}/__control/${name}`, { apiKey: null, body });

	test('lets things happen and shows the deliveries', () =>
		withReceiver({ events: { delivery: { connections: 1 } } }, async (service, receiver) => {
			expect(await control(service, 'messages', {})).toMatchObject({ status: 201 });
			expect(await control(service, 'statuses', { status: 'read' })).toMatchObject({
				status: 200,
				body: { status: 'read' },
			});
			const sent = await control(service, 'events', { event: 'test', count: 2, connections: 2 });
			expect(sent).toMatchObject({ status: 202, body: [{ event: 'test' }, { event: 'test' }] });
			await service.deliveriesSettled();
			const { body } = await control(service, 'deliveries');
			expect(body).toEqual(JSON.parse(JSON.stringify(service.deliveries())));
			expect(fieldOf(receiver, 'event').sort()).toEqual([
				'message.received',
				'message.status',
				'test',
				'test',
			]);
		}));

	test('says what is not there or not possible', () =>
		withService({}, async (service) => {
			const statuses = await Promise.all([
				control(service, 'statuses', { status: 'read', messageId: 1 }),
				control(service, 'events', { apiKey: 'wrong' }),
				control(service, 'statuses', {}),
				control(service, 'events', { times: 2 }),
				control(service, 'events', { misbehaviour: { signature: 'odd' } }),
			]);
			expect(statuses.map(({ status }) => status)).toEqual([404, 404, 400, 400, 400]);
		}));

	test.each([
		{ endpoint: { path: 'webhooks' } },
		{ endpoint: { list: 'no' } },
		{ subscriptions: [{ events: [] }] },
		{ signing: { kind: 'rsa' } },
		{ delivery: { connections: 0 } },
		{ misbehaviour: { duplicate: 1 } },
	])('refuses the settings %j', (events) =>
		withService({}, async (service) => {
			expect((await control(service, 'settings', { events })).status).toBe(400);
		}),
	);

	test('changes some settings and leaves the others', () =>
		withService({ events: { signing: { kind: 'hmac', prefix: 'v1=' } } }, async (service) => {
			await control(service, 'settings', { events: { signing: { timestampHeader: 'X-Time' } } });
			expect(service.settings().events.signing).toMatchObject({
				kind: 'hmac',
				prefix: 'v1=',
				timestampHeader: 'X-Time',
			});
		}));
});
