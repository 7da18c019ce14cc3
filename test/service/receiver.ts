import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

import type { EventSettingsPatch, Service, ServiceOptions } from '../../sandbox/service/service.ts';
import { withService } from './client.ts';

/** A call as it came. */
export interface Received {
	query: URLSearchParams;
	headers: IncomingHttpHeaders;
	text: string;
}

/** What a receiver does with a call: answer with a status, break the connection, or nothing at all. */
export type Reaction = number | 'drop' | 'silence';

/** A tiny client of event webhooks. */
export interface Receiver {
	readonly url: string;
	readonly received: Received[];
	/** Calls that were served at the same time, at most. */
	peak(): number;
	close(): Promise<void>;
}

interface Options extends Omit<ServiceOptions, 'events'> {
	events?: EventSettingsPatch;
	/** Takes every call unless told otherwise. */
	react?: (number: number) => Reaction | Promise<Reaction>;
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

/** A field of the bodies that were received, in the order they came. */
export function fieldOf({ received }: Receiver, name: string): unknown[] {
	return received.map((call) => Reflect.get(JSON.parse(call.text), name));
}

async function startReceiver(react: Options['react'] = () => 200): Promise<Receiver> {
	const received: Received[] = [];
	let current = 0;
	let peak = 0;

	const server = createServer(async (request, response) => {
		peak = Math.max(peak, ++current);
		const { searchParams: query } = new URL(request.url ?? '', 'http://receiver');
		const call = { query, headers: request.headers, text: await text(request) };
		const reaction = await react(received.push(call));
		current--;
		if (reaction === 'drop') request.socket.destroy();
		else if (reaction !== 'silence') response.writeHead(reaction, { location: '/moved' }).end();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The receiver has no port');

	return {
		url: `http://127.0.0.1:${address.port}/hook`,
		received,
		peak: () => peak,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}
