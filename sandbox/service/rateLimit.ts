import type { RateLimit } from './settings.ts';

/** Counts one team's webhook calls. */
export interface RateLimiter {
	/**
	 * Takes one call at the time `now` (milliseconds). Returns 0 when it is within the limit, else
	 * the milliseconds until a call will be. Refused calls do not count.
	 */
	take(now: number): number;
}

/**
 * The limiter that the settings ask for. Its window slides, which is the stricter way to
 * count: a ring of the times of the last calls, the oldest of which must have left the window.
 */
export function createRateLimiter({ enabled, requests, windowMs }: RateLimit): RateLimiter {
	if (!enabled) return { take: () => 0 };
	const times = new Float64Array(requests).fill(-Infinity);
	let oldest = 0;
	return {
		take(now) {
			const free = (times[oldest] ?? Infinity) + windowMs;
			if (free > now) return free - now;
			times[oldest] = now;
			oldest = (oldest + 1) % requests;
			return 0;
		},
	};
}

/** The headers of a 429 in the form the settings ask for, in whole seconds, rounded up. */
export function retryAfterHeaders(
	form: RateLimit['retryAfter'],
	waitMs: number,
): Record<string, string> {
	return form === 'none' ? {} : { 'retry-after': String(Math.ceil(waitMs / 1000)) };
}
