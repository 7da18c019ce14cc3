/** Events to the outside, which are the stand-in's own invention: who gets them, how they are sent and signed. */
import { createHmac, generateKeyPairSync, verify } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { seeded, type Delivery, type EventSettingsPatch } from '../../sandbox/service/service.ts';
import { invoke, send, toPage, withService } from './client.ts';
import { fieldOf, withReceiver, type Reaction, type Received } from './receiver.ts';

const subscriptions = '/public/webhooks';
const delivery = { retries: 3, retryDelayMs: 10 };

const statusesOf = ({ attempts }: Delivery) => attempts.map(({ status }) => status);

test('what happens is announced: a message, a status, an agent that answers', () =>
	withReceiver({ agent: { delayMs: 5, deliveryMs: 20 } }, async (service, receiver) => {
		const message = service.receiveMessage({ body: 'Ping' });
		await service.deliveriesSettled();
		expect(JSON.parse(receiver.received[0]?.text ?? '')).toEqual({
			id: service.deliveries()[0]?.id,
			event: 'message.received',
			created: expect.stringMatching(/^\d{4}-.*Z$/),
			data: message,
		});
		service.changeStatus({ status: 'read', messageId: message?.id });
		await service.deliveriesSettled();
		await invoke(service);
		await sleep(100);
		await service.deliveriesSettled();
		expect(fieldOf(receiver, 'event')).toEqual([
			'message.received',
			'message.status',
			'agent.answered',
			'message.status',
		]);
	}));

test('goes to those who want it, of the same team', () =>
	withReceiver({}, async (service, { url }) => {
		const fixed = [
			{ url: `${url}/all` },
			{ url: `${url}/statuses`, events: ['message.status'] },
			{ url: `${url}/second`, apiKey: seeded.second.apiKey },
		];
		await service.configure({ events: { subscriptions: fixed } });
		const urlsOf = (deliveries: Delivery[] = []) => deliveries.map((each) => each.url);
		expect(urlsOf(service.emit())).toEqual([`${url}/all`]);
		expect(urlsOf(service.emit({ event: 'message.status' }))).toHaveLength(2);
		expect(urlsOf(service.emit({ apiKey: seeded.second.apiKey }))).toEqual([`${url}/second`]);
		expect(service.emit({ apiKey: 'wrong' })).toBeUndefined();
		await service.deliveriesSettled();
	}));

test('bodies in other names, flat, or any', () =>
	withReceiver({ events: { delivery: { connections: 1 } } }, async (service, { received }) => {
		const body = { eventField: 'type', idField: 'key', flat: true };
		await service.configure({ events: { body } });
		service.emit({ id: 'again', data: { a: 1 } });
		service.emit({ body: { list: [1] }, headers: { 'x-more': '1' } });
		service.emit({ body: 'a=1' });
		await service.deliveriesSettled();
		const [flat, ...others] = received.map(({ text }) => text);
		const created = expect.any(String);
		expect(JSON.parse(flat ?? '')).toEqual({
			a: 1,
			key: 'again',
			type: 'message.received',
			created,
		});
		expect(others).toEqual(['{"list":[1]}', 'a=1']);
		expect(received[1]?.headers['x-more']).toBe('1');
	}));

test.each<[Reaction[], Array<number | string>, Delivery['state']]>([
	[[500, 503, 429, 200], [500, 503, 429, 200], 'delivered'],
	[['drop', 404, 200], ['ECONNRESET', 404, 200], 'delivered'],
	[[500, 500, 500, 500], [500, 500, 500, 500], 'failed'],
	[[400], [400], 'failed'],
	[[302], [302], 'failed'],
	[['silence', 200], ['ETIMEDOUT', 200], 'delivered'],
])('reacted to with %j', (reactions, statuses, state) =>
	withReceiver(
		{
			events: { delivery: { ...delivery, timeoutMs: 200 } },
			react: (number) => reactions[number - 1] ?? 200,
		},
		async (service, { received }) => {
			service.receiveMessage();
			await service.deliveriesSettled();
			expect(service.deliveries()).toMatchObject([{ state }]);
			expect(service.deliveries().map(statusesOf)).toEqual([statuses]);
			expect(new Set(received.map(({ text }) => text)).size).toBe(1);
		},
	),
);

test.each(['http://example.com/hook', 'https://127.0.0.1/hook', 'http://127.0.0.1.example.com/'])(
	'does not leave this machine for %s',
	(url) =>
		withService({ events: { subscriptions: [{ url }] } }, async (service) => {
			service.receiveMessage();
			await service.deliveriesSettled();
			expect(service.deliveries().map(statusesOf)).toEqual([['notThisMachine']]);
		}),
);

test('sends no more at the same time than it may', () =>
	withReceiver(
		{ events: { delivery: { connections: 4 } }, react: () => sleep(50, 200) },
		async (service, { received, peak }) => {
			service.emit({ count: 40 });
			await service.deliveriesSettled();
			expect([received.length, peak()]).toEqual([40, 4]);
			service.emit({ count: 40, connections: 8 });
			await service.deliveriesSettled();
			expect([received.length, peak()]).toEqual([80, 8]);
		},
	));

test('delivers twice, late and out of order', () =>
	withReceiver({ events: { delivery: { connections: 1 } } }, async (service, receiver) => {
		service.emit({ event: 'late', misbehaviour: { delayMs: 80 } });
		service.emit({ event: 'twice', misbehaviour: { duplicates: 1 } });
		for (const event of ['a', 'b', 'c']) service.emit({ event, misbehaviour: { reverse: 3 } });
		await service.deliveriesSettled();
		const events = ['twice', 'twice', 'c', 'b', 'a', 'late'];
		expect(fieldOf(receiver, 'event')).toEqual(events);
	}));

test('forgets what is still to come when the log is reset', () =>
	withReceiver(
		{ events: { delivery: { ...delivery, connections: 1 } }, react: () => 500 },
		async (service, { received }) => {
			service.emit({ count: 20, connections: 2 });
			const settled = service.deliveriesSettled();
			await service.reset('log');
			await settled;
			expect(service.deliveries()).toEqual([]);
			await sleep(100);
			expect(received.length).toBeLessThanOrEqual(2);
			expect(service.emit()).toHaveLength(1);
		},
	));

describe('signing', () => {
	const secret = 'a secret';
	const hmac = (text: string, algorithm = 'sha256') => createHmac(algorithm, secret).update(text);

	/** What a receiver gets with these settings. */
	async function receive({ signing, misbehaviour }: EventSettingsPatch): Promise<Received> {
		const calls: Received[] = [];
		await withReceiver({ events: { signing, misbehaviour } }, async (service, { received }) => {
			service.receiveMessage({ body: 'Grüße 👍 {timestamp}' });
			await service.deliveriesSettled();
			calls.push(...received);
		});
		const [call] = calls;
		if (call === undefined) throw new Error('Nothing was received');
		return call;
	}

	test('with a shared secret, in a header or the query', async () => {
		const signing = { kind: 'sharedSecret', secret, sharedSecretName: 'token' } as const;
		expect((await receive({ signing })).headers.token).toBe(secret);
		const inQuery = await receive({ signing: { ...signing, sharedSecretIn: 'query' } });
		expect(inQuery.query.get('token')).toBe(secret);
		const wrong = await receive({ signing, misbehaviour: { signature: 'wrong' } });
		expect(wrong.headers.token).toBe(`not-${secret}`);
	});

	test.each([
		[{}, ({ text }: Received) => hmac(text).digest('hex')],
		[
			{ algorithm: 'sha512', encoding: 'base64', prefix: 'v1=' },
			({ text }: Received) => `v1=${hmac(text, 'sha512').digest('base64')}`,
		],
		[
			{ timestampHeader: 'X-Time', timestampFormat: 'iso' },
			({ text, headers }: Received) => hmac(`${headers['x-time']}.${text}`).digest('hex'),
		],
		[
			{ timestampHeader: 'X-Time', template: 'v0:{timestamp}:{body}' },
			({ text, headers }: Received) => hmac(`v0:${headers['x-time']}:${text}`).digest('hex'),
		],
	] as const)('with an HMAC and %j', async (more, expected) => {
		const signing = { kind: 'signature', secret, ...more } as const;
		const right = await receive({ signing });
		expect(right.headers['x-signature']).toBe(expected(right));
		const wrong = await receive({ signing, misbehaviour: { signature: 'wrong' } });
		expect(wrong.headers['x-signature']).not.toBe(expected(wrong));
		const missing = await receive({ signing, misbehaviour: { signature: 'missing' } });
		expect(missing.headers).not.toHaveProperty('x-signature');
	});

	test.each([
		['ed25519', null, generateKeyPairSync('ed25519')],
		['ecdsaP256', 'sha256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
	] as const)('with a private key, by %s', async (algorithm, digest, { privateKey, publicKey }) => {
		const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
		const signing = { kind: 'signature', secret: pem, algorithm, encoding: 'base64' } as const;
		const isRight = ({ text, headers }: Received) =>
			verify(
				digest,
				Buffer.from(text),
				publicKey,
				Buffer.from(String(headers['x-signature']), 'base64'),
			);
		expect(isRight(await receive({ signing }))).toBe(true);
		const wrong = await receive({ signing, misbehaviour: { signature: 'wrong' } });
		expect(isRight(wrong)).toBe(false);
	});

	test('long ago', async () => {
		const signing = { kind: 'signature', secret, timestampHeader: 'X-Time' } as const;
		const old = await receive({ signing, misbehaviour: { timestampAgeS: 3600 } });
		expect(Date.now() / 1000 - Number(old.headers['x-time'])).toBeGreaterThan(3500);
	});
});

describe('subscriptions', () => {
	test('are made, listed, read, signed with their own secret, and deleted', () =>
		withReceiver(
			{ events: { subscriptions: [], signing: { kind: 'sharedSecret' } } },
			async (service, { url, received }) => {
				const body = { url, events: ['message.received'] };
				const created = await send(service, subscriptions, { body: { ...body, secret: 'own' } });
				const [{ id } = { id: '' }] = service.subscriptions();
				expect(created).toMatchObject({ status: 201, body: { id, ...body } });
				const list = await send(service, subscriptions);
				expect(toPage(list)).toMatchObject({ data: [created.body], total: 1 });
				const one = `${subscriptions}/${id}`;
				expect(created.text + list.text).not.toContain('own');
				service.receiveMessage();
				await service.deliveriesSettled();
				expect(received[0]?.headers['x-webhook-secret']).toBe('own');

				const { apiKey } = seeded.second;
				const remove = (key?: string) => send(service, one, { method: 'DELETE', apiKey: key });
				const statuses = [await remove(apiKey), await remove(), await remove()];
				expect(statuses.map(({ status }) => status)).toEqual([404, 204, 404]);
				expect(service.emit()).toEqual([]);
			},
		));

	test.each([[{}], [{ url: '/hook' }], [{ url: 'http://a.example', events: 'all' }], [[]]])(
		'are not made of %j',
		(body: unknown) =>
			withService({}, async (service) => {
				expect((await send(service, subscriptions, { body })).status).toBe(400);
				expect(service.subscriptions()).toEqual([]);
			}),
	);

	test('in other names and another place, listed otherwise or not at all', () =>
		withService({}, async (service) => {
			const path = '/public/hooks';
			const names = { urlField: 'target', idField: 'key', wrapped: true };
			await service.configure({ events: { endpoint: { path, ...names, list: 'array' } } });
			const target = 'https://n8n.example.com/webhook/1';
			const created = await send(service, path, { body: { target } });
			const shown = { key: expect.any(String), target, events: [] };
			expect(created.body).toEqual({ data: shown });
			expect((await send(service, path)).body).toEqual([shown]);
			expect((await send(service, subscriptions)).status).toBe(404);
			await service.configure({ events: { endpoint: { list: 'notFound' } } });
			expect((await send(service, path)).status).toBe(404);
		}));

	test('are struck by faults like all operations', () =>
		withService(
			{ faults: [{ kind: 'dropAfter', operations: ['subscription.create'] }] },
			async (service) => {
				const body = { url: 'http://127.0.0.1/' };
				await expect(send(service, subscriptions, { body })).rejects.toThrow();
				expect(service.subscriptions()).toHaveLength(1);
			},
		));
});
