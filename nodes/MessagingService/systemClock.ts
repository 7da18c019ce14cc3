import { sleep } from 'n8n-workflow';
import type { Clock } from './api/time';

/** The real time. */
export const systemClock: Clock = {
	now: () => performance.now(),
	wait: async (milliseconds, signal) => {
		if (signal?.aborted) return;
		const waited = sleep(Math.max(milliseconds, 0));
		await (signal ? unlessAborted(waited, signal).catch(() => {}) : waited);
	},
};

/** The result of a promise; rejects as soon as the signal aborts. Older versions of n8n have no `sleepWithAbort`. */
export async function unlessAborted<Result>(
	work: Promise<Result>,
	signal: AbortSignal,
): Promise<Result> {
	let abort = () => {};
	const aborted = new Promise<never>((_, reject) => {
		abort = () => reject(new Error('aborted'));
		if (signal.aborted) abort();
		signal.addEventListener('abort', abort, { once: true });
	});
	try {
		return await Promise.race([work, aborted]);
	} finally {
		signal.removeEventListener('abort', abort);
	}
}
