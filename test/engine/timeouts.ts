import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Service } from '../../sandbox/service/service.ts';

const CHANNEL = 'http.client.request.created';
/** Tells the service which request of this test file it has received. */
const HEADER = 'x-request';

const requests: ClientRequest[] = [];

function mark(message: unknown): void {
	const { request } = message as { request: ClientRequest };
	request.setHeader(HEADER, requests.push(request) - 1);
}

beforeAll(() => subscribe(CHANNEL, mark));
afterAll(() => unsubscribe(CHANNEL, mark));

/**
 * Does the work, while the connection of each request that the service never answers times out as soon as the request
 * has arrived: as the operating system lets one do. No time-out of a test depends on how fast this machine is.
 */
export async function timingOut<Result>(
	service: Service,
	work: () => Promise<Result>,
): Promise<Result> {
	let isOver = false;
	const passing = async () => {
		while (!isOver) {
			for (const { headers } of service.received().filter(({ status }) => status === 'silent')) {
				const code = 'ETIMEDOUT';
				const timeout = Object.assign(new Error(`read ${code}`), { code, syscall: 'read' });
				requests[Number(headers[HEADER])]?.destroy(timeout);
			}
			await sleep(5);
		}
	};
	const working = work().finally(() => (isOver = true));
	const [result] = await Promise.all([working, passing()]);
	return result;
}
