/** Time as this layer sees it. It is handed in, so that tests can run it faster than the wall clock. */
export interface Clock {
	/** Milliseconds on a monotonic scale. */
	now(): number;
	/** Resolves after the given milliseconds, or as soon as the signal aborts. Never rejects. */
	wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** A minute and an hour in milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/**
 * Units of time since 1970, and the numbers that are in them. Seconds are taken for such up to the year 5138; no other unit
 * has a number for a moment before 1973.
 */
const UNITS = [
	{ below: 1e11, milliseconds: 1e3 },
	{ below: 1e14, milliseconds: 1 },
	{ below: 1e17, milliseconds: 1e-3 },
	{ below: Infinity, milliseconds: 1e-6 },
];
/** A date and time of ISO 8601 without a time zone, or as databases write it. */
const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[T ](\d\d:[\d:.]+)$/;

/**
 * Milliseconds since 1970, from a number of seconds, milliseconds, microseconds or nanoseconds, or from a date; not finite
 * for anything else. A date without a time zone is in UTC, wherever n8n runs.
 */
export function readTime(text: string): number {
	if (!/^\d+(\.\d+)?$/.test(text)) return Date.parse(text.replace(WITHOUT_ZONE, '$1T$2Z'));
	const number = Number(text);
	return number * (UNITS.find(({ below }) => number < below)?.milliseconds ?? 1);
}
