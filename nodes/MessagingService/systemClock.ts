import { sleep } from 'n8n-workflow';
import type { Clock } from './api/clock';

const SLICE = 1_000;

/** The real time. */
export const systemClock: Clock = {
	now: () => performance.now(),
	wait: async (milliseconds, signal) => {
		if (signal?.aborted) return;
		await (signal ? sleepUnlessAborted(milliseconds, signal) : sleep(milliseconds));
	},
};

// n8n's own cancellable sleep is missing from versions that this package supports.
async function sleepUnlessAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
	let stopListening = () => {};
	const aborted = new Promise<void>((resolve) => {
		const onAbort = () => resolve();
		signal.addEventListener('abort', onAbort, { once: true });
		stopListening = () => signal.removeEventListener('abort', onAbort);
	});
	// In slices, so that no timer outlives the wait for long.
	for (let left = milliseconds; left > 0 && !signal.aborted; left -= SLICE) {
		await Promise.race([sleep(Math.min(left, SLICE)), aborted]);
	}
	stopListening();
}
