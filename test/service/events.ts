import { setTimeout as sleep } from 'node:timers/promises';

import type { EventSettingsPatch, Service, ServiceOptions } from '../../sandbox/service/service.ts';
import { withService } from './client.ts';
import { startReceiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';

interface Options extends Omit<ServiceOptions, 'events'> {
	events?: EventSettingsPatch;
	/** How the receiver reacts. */
	react?: Parameters<typeof startReceiver>[0];
}

/** Runs something with a service whose demo team's events go to a receiver. */
export async function withReceiver(
	{ events, react, ...options }: Options,
	use: (service: Service, receiver: Receiver) => Promise<void>,
): Promise<void> {
	const receiver = await startReceiver(react);
	const subscriptions = [{ url: receiver.url }];
	try {
		await withService({ ...options, events: { subscriptions, ...events } }, (service) =>
			use(service, receiver),
		);
	} finally {
		await receiver.close();
	}
}

/** Resolves when it is true; fails when that takes longer than a test may. */
export async function until(isTrue: () => boolean): Promise<void> {
	const deadline = Date.now() + 4500;
	while (!isTrue()) {
		if (Date.now() > deadline) throw new Error('This takes too long');
		await sleep(5);
	}
}

/** A field of the bodies that were received, in the order they came. */
export function fieldOf({ received }: Receiver, name: string): unknown[] {
	return received.map(({ body }) => Reflect.get(Object(body), name));
}
