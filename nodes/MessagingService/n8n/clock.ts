import { sleep } from 'n8n-workflow';
import type { Clock } from '../api/time';

/**
 * The longest sleep in milliseconds. n8n's `sleep` cannot be ended early, and older versions have no other. So a wait is
 * made of short sleeps, none of which goes on for long after the signal has aborted.
 */
const LONGEST_SLEEP = 1_000;

/** The real time. */
export const systemClock: Clock = {
	now: () => performance.now(),
	wait: async (milliseconds, signal) => {
		const end = performance.now() + milliseconds;
		for (let left = milliseconds; !signal?.aborted; left = end - performance.now()) {
			const slept = sleep(Math.min(Math.max(left, 0), LONGEST_SLEEP));
			await (signal ? unlessAborted(slept, signal).catch(() => {}) : slept);
			if (left <= LONGEST_SLEEP) return;
		}
	},
};

/** Waits for the result of a promise, but rejects as soon as the signal aborts. */
export async function unlessAborted<Result>(
	work: Promise<Result>,
	signal: AbortSignal,
): Promise<Result> {
	// Thousands may wait for the same signal, and Node.js 20 warns about more than ten listeners on one.
	const own = AbortSignal.any([signal]);
	let abort = () => {};
	const aborted = new Promise<never>((_, reject) => {
		abort = () => reject(new Error('aborted'));
		if (own.aborted) abort();
		own.addEventListener('abort', abort, { once: true });
	});
	try {
		return await Promise.race([work, aborted]);
	} finally {
		own.removeEventListener('abort', abort);
	}
}

/** Waits as long as a count grows. Items begin one after the other, so their number grows for a while. */
export async function untilSteady(count: () => number, clock: Clock): Promise<void> {
	for (let before = 0; before < count(); ) {
		before = count();
		await clock.wait(0);
	}
}
