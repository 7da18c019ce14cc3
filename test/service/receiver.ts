import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

/** A call as it came. */
export interface Received {
	method: string;
	path: string;
	query: URLSearchParams;
	headers: IncomingHttpHeaders;
	text: string;
	/** The parsed body; undefined when it is not JSON. */
	body: unknown;
}

/** What a receiver does with a call: answer with a status, break the connection, or nothing at all. */
export type Reaction = number | 'drop' | 'silence';

/** A tiny client of event webhooks. */
export interface Receiver {
	readonly url: string;
	readonly received: Received[];
	/** Calls that were served at the same time, at most. */
	peak(): number;
	/** Connections that were opened in all. */
	connections(): number;
	/** Connections that are open now. */
	open(): number;
	close(): Promise<void>;
}

/** Starts a receiver on the loopback interface; it takes every call unless told otherwise. */
export async function startReceiver(
	react: (call: Received, number: number) => Reaction | Promise<Reaction> = () => 200,
): Promise<Receiver> {
	const received: Received[] = [];
	let connections = 0;
	let open = 0;
	let current = 0;
	let peak = 0;

	const server = createServer(async (request, response) => {
		peak = Math.max(peak, ++current);
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk);
		const text = Buffer.concat(chunks).toString();
		const url = new URL(request.url ?? '', 'http://receiver');
		const call: Received = {
			method: request.method ?? '',
			path: url.pathname,
			query: url.searchParams,
			headers: request.headers,
			text,
			body: parse(text),
		};
		const reaction = await react(call, received.push(call));
		current--;
		if (reaction === 'drop') request.socket.destroy();
		else if (reaction !== 'silence') response.writeHead(reaction, { location: '/moved' }).end();
	});
	server.on('connection', (socket) => {
		connections++;
		open++;
		socket.once('close', () => open--);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The receiver has no port');

	return {
		url: `http://127.0.0.1:${address.port}/hook`,
		received,
		peak: () => peak,
		connections: () => connections,
		open: () => open,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
