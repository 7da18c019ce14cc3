import { sleep } from 'n8n-workflow';
import type { Clock } from '../api/time';

/**
 * n8n's sleep cannot be ended, and older versions have no other. So a wait is made of short ones, of which none goes on
 * for long after the signal.
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

/** The result of a promise; rejects as soon as the signal aborts. Older versions of n8n have no `sleepWithAbort`. */
export async function unlessAborted<Result>(
	work: Promise<Result>,
	signal: AbortSignal,
): Promise<Result> {
	// Thousands wait for the same signal, and Node.js 20 warns of more than ten listeners.
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

/** Waits for as long as a count grows, since items begin one after the other. */
export async function untilSteady(count: () => number, clock: Clock = systemClock): Promise<void> {
	for (let before = 0; before < count(); ) {
		before = count();
		await clock.wait(0);
	}
}
