/** A service that means harm. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

/** Answers a request, of which there were so many by now. */
export type Answer = (response: ServerResponse, requests: number) => unknown;

const COMPRESSED = gzipSync(Buffer.alloc(10_000_000, ' '));

/** 600 kB that become 600 MB. */
export const bomb: Answer = async (response) => {
	const parts = Readable.from(Array.from({ length: 60 }, () => COMPRESSED));
	await pipeline(parts, response.writeHead(200, { 'content-encoding': 'gzip' }));
};

/** A blank now and then, without an end. */
export const drip: Answer = async (response) => {
	for (response.write('{'); !response.destroyed; response.write(' ')) await sleep(100);
};

/** A service that answers like this while the work goes on; gives how many requests came. */
export async function withHostile<Result>(
	answer: Answer,
	work: (service: { url: string }) => Promise<Result>,
): Promise<Result & { requests: number }> {
	let requests = 0;
	const server = createServer((_request, response) => {
		void (async () => await answer(response, ++requests))().catch(() => response.destroy());
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('There is no port');
	try {
		const result = await work({ url: `http://127.0.0.1:${address.port}` });
		return { ...result, requests };
	} finally {
		server.closeAllConnections();
		server.close();
	}
}
