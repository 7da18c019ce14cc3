import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Everything in the sandbox listens here and nowhere else. */
export const LOOPBACK = '127.0.0.1';

function listenOnce(port: number): Promise<number | undefined> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(undefined));
		server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
			const address = server.address();
			const bound = typeof address === 'object' && address !== null ? address.port : undefined;
			server.close(() => resolve(bound));
		});
	});
}

/** A port that was free a moment ago: the preferred one if possible, else one the system picks. */
export async function findFreePort(preferred = 0): Promise<number> {
	const port = (await listenOnce(preferred)) ?? (await listenOnce(0));
	if (port === undefined) throw new Error(`No port can be opened on ${LOOPBACK}.`);
	return port;
}

/** A port that stays free while nobody listens: Linux gives others to outgoing connections, of which there are many. */
export async function findLastingPort(): Promise<number> {
	return await findFreePort(randomInt(20_000, 32_000));
}
