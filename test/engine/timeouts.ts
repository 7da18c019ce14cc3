import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Service } from '../../sandbox/service/service.ts';

const HEADER = 'x-time-out';

const timeouts: AbortController[] = [];
/** The time-out that began last on the way to where something is done. */
const latest = new AsyncLocalStorage<number>();

/**
 * Lets the time-outs of the node's requests pass in a test file only when `timingOut` ends them. By the clock, an
 * answer that comes could be later than a time-out that a test can wait for, on a slow machine.
 */
export function stopTimeouts(): void {
	const stopped = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
		const timeout = new AbortController();
		latest.enterWith(timeouts.push(timeout) - 1);
		return timeout.signal;
	});
	// A request tells the service which of them is its own.
	const mark = (message: unknown) => {
		const { request } = message as { request: ClientRequest };
		const timeout = latest.getStore();
		if (timeout !== undefined) request.setHeader(HEADER, timeout);
	};
	subscribe('http.client.request.created', mark);
	afterAll(() => {
		stopped.mockRestore();
		unsubscribe('http.client.request.created', mark);
	});
}

/** Does the work, while each request that the service never answers times out as soon as it has arrived. */
export async function timingOut<Result>(
	service: Service,
	work: () => Promise<Result>,
): Promise<Result> {
	let isOver = false;
	const passing = async () => {
		while (!isOver) {
			for (const { headers } of service.received().filter(({ status }) => status === 'silent')) {
				timeouts[Number(headers[HEADER])]?.abort();
			}
			await sleep(5);
		}
	};
	const working = work().finally(() => (isOver = true));
	const [result] = await Promise.all([working, passing()]);
	return result;
}
