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

/** A smaller number is in seconds. As milliseconds, this one is in March 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;
/** A date and time of ISO 8601 without a time zone, or as databases write it. */
const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[T ](\d\d:[\d:.]+)$/;

/**
 * Milliseconds since 1970, from seconds, milliseconds or a date; NaN for anything else. A date without a time zone is in
 * UTC, wherever n8n runs.
 */
export function readTime(text: string): number {
	if (!/^\d+(\.\d+)?$/.test(text)) return Date.parse(text.replace(WITHOUT_ZONE, '$1T$2Z'));
	const number = Number(text);
	return number < FIRST_MILLISECONDS ? number * 1_000 : number;
}
