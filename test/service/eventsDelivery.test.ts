import { setTimeout as sleep } from 'node:timers/promises';

import type { Delivery } from '../../sandbox/service/service.ts';
import { fieldOf, until, withReceiver } from './events.ts';
import type { Reaction } from './receiver.ts';

const delivery = { retries: 3, retryDelayMs: 10 };

const statusesOf = ({ attempts }: Delivery) => attempts.map(({ status }) => status);

test.each<[Reaction[], Array<number | string>, Delivery['state']]>([
	[[204], [204], 'delivered'],
	[[500, 503, 429, 200], [500, 503, 429, 200], 'delivered'],
	[['drop', 200], ['ECONNRESET', 200], 'delivered'],
	[[404, 200], [404, 200], 'delivered'],
	[[500, 500, 500, 500], [500, 500, 500, 500], 'failed'],
	[[400], [400], 'failed'],
	[[410], [410], 'failed'],
	[[302], [302], 'failed'],
])('reacted to with %j', (reactions, statuses, state) =>
	withReceiver(
		{ events: { delivery }, react: (_call, number) => reactions[number - 1] ?? 200 },
		async (service, receiver) => {
			service.receiveMessage();
			await service.deliveriesSettled();
			expect(service.deliveries()).toMatchObject([{ state }]);
			expect(service.deliveries().map(statusesOf)).toEqual([statuses]);
			expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
		},
	),
);

test('pauses twice as long each time', () =>
	withReceiver(
		{ events: { delivery: { retries: 2, retryDelayMs: 60 } }, react: () => 500 },
		async (service) => {
			service.receiveMessage();
			await service.deliveriesSettled();
			const [first = 0, second = 0, third = 0] =
				service.deliveries()[0]?.attempts.map(({ time }) => time) ?? [];
			expect(second - first).toBeGreaterThanOrEqual(58);
			expect(third - second).toBeGreaterThanOrEqual(118);
		},
	));

test('gives up on a receiver that is silent or gone', () =>
	withReceiver(
		{ events: { delivery: { retries: 0, timeoutMs: 50 } }, react: () => 'silence' },
		async (service, receiver) => {
			service.receiveMessage();
			await service.deliveriesSettled();
			await receiver.close();
			service.receiveMessage();
			await service.deliveriesSettled();
			expect(service.deliveries().map(statusesOf)).toEqual([['ETIMEDOUT'], ['ECONNREFUSED']]);
		},
	));

test.each(['http://example.com/hook', 'https://127.0.0.1/hook', 'http://127.0.0.1.example.com/'])(
	'does not leave this machine for %s',
	(url) =>
		withReceiver({ events: { subscriptions: [{ url }] } }, async (service) => {
			service.receiveMessage();
			await service.deliveriesSettled();
			expect(service.deliveries()).toMatchObject([
				{ state: 'failed', attempts: [{ status: 'notThisMachine' }] },
			]);
		}),
);

test('sends no more at the same time than it may, and waits with the others', () =>
	withReceiver(
		{
			events: { delivery: { connections: 4 } },
			react: async () => {
				await sleep(5);
				return 200;
			},
		},
		async (service, receiver) => {
			service.emit({ count: 40 });
			await service.deliveriesSettled();
			expect(receiver.received).toHaveLength(40);
			expect(receiver.peak()).toBe(4);
			expect(receiver.connections()).toBe(4);
		},
	));

test('delivers 2,000 events over 20 connections', () =>
	withReceiver({}, async (service, receiver) => {
		service.emit({ count: 2000, connections: 20 });
		await service.deliveriesSettled();
		expect(service.deliveries().every(({ state }) => state === 'delivered')).toBe(true);
		expect(new Set(fieldOf(receiver, 'id')).size).toBe(2000);
		expect(receiver.connections()).toBeLessThanOrEqual(20);
	}));

test('delivers twice', () =>
	withReceiver({ events: { misbehaviour: { duplicates: 2 } } }, async (service, receiver) => {
		service.receiveMessage();
		await service.deliveriesSettled();
		expect(receiver.received).toHaveLength(3);
		expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
		expect(service.deliveries().map(({ copy }) => copy)).toEqual([0, 1, 2]);
	}));

test('delivers late', () =>
	withReceiver({ events: { delivery: { connections: 1 } } }, async (service, receiver) => {
		service.emit({ event: 'late', misbehaviour: { delayMs: 80 } });
		service.emit({ event: 'early' });
		await service.deliveriesSettled();
		expect(fieldOf(receiver, 'event')).toEqual(['early', 'late']);
		const [late] = service.deliveries();
		expect(Number(late?.attempts[0]?.time) - Number(late?.time)).toBeGreaterThanOrEqual(78);
	}));

test('delivers out of order', () =>
	withReceiver(
		{ events: { delivery: { connections: 1 }, misbehaviour: { reverse: 3 } } },
		async (service, receiver) => {
			for (const event of ['a', 'b', 'c', 'd']) service.emit({ event });
			await service.deliveriesSettled();
			expect(fieldOf(receiver, 'event')).toEqual(['c', 'b', 'a', 'd']);
		},
	));

test('forgets deliveries and what is still to come when the log is reset', () =>
	withReceiver(
		{ events: { delivery: { retries: 9, retryDelayMs: 20 } }, react: () => 500 },
		async (service, receiver) => {
			service.receiveMessage();
			const settled = service.deliveriesSettled();
			await until(() => receiver.received.length >= 2);
			await service.reset('log');
			await settled;
			expect(service.deliveries()).toEqual([]);
			const before = receiver.received.length;
			await sleep(100);
			expect(receiver.received).toHaveLength(before);
			service.receiveMessage();
			expect(service.deliveries()).toHaveLength(1);
		},
	));

test('closes with deliveries on their way', () =>
	withReceiver({ react: () => 'silence' }, async (service, receiver) => {
		service.emit({ count: 50 });
		await until(() => receiver.received.length >= 20);
		await service.close();
		await until(() => receiver.open() === 0);
		expect(receiver.received).toHaveLength(20);
	}));
