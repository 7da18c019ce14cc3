import type { RateLimit } from './settings.ts';

/** Counts one team's webhook calls. */
export interface RateLimiter {
	/**
	 * Takes one call at the time `now` (milliseconds). Returns 0 when it is within the limit, else
	 * the milliseconds until a call will be. Refused calls do not count.
	 */
	take(now: number): number;
}

/** The limiter that the settings ask for (Limits section of interface.md). */
export function createRateLimiter(settings: RateLimit): RateLimiter {
	if (!settings.enabled) return { take: () => 0 };
	return settings.window === 'fixed' ? fixedWindow(settings) : slidingWindow(settings);
}

/** The window begins with the first call after the last window. */
function fixedWindow({ requests, windowMs }: RateLimit): RateLimiter {
	let start = -Infinity;
	let count = 0;
	return {
		take(now) {
			if (now - start >= windowMs) {
				start = now;
				count = 0;
			}
			if (count >= requests) return start + windowMs - now;
			count++;
			return 0;
		},
	};
}

/** A ring of the times of the last calls: the oldest must have left the window. */
function slidingWindow({ requests, windowMs }: RateLimit): RateLimiter {
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

/** The headers of a 429 in the form the settings ask for; both forms count whole seconds, rounded up. */
export function retryAfterHeaders(
	form: RateLimit['retryAfter'],
	waitMs: number,
	now: number,
): Record<string, string> {
	switch (form) {
		case 'none':
			return {};
		case 'seconds':
			return { 'retry-after': String(Math.ceil(waitMs / 1000)) };
		case 'httpDate':
			return {
				'retry-after': new Date(Math.ceil((now + waitMs) / 1000) * 1000).toUTCString(),
			};
	}
}
