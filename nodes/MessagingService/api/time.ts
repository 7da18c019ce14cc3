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

/** Seconds in words. */
export function inSeconds(seconds: number): string {
	return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

/** A smaller number is in seconds: as milliseconds, this is March 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** Milliseconds since 1970, from seconds, milliseconds or a date; NaN for anything else. */
export function readTime(text: string): number {
	if (/^\d+(\.\d+)?$/.test(text)) {
		const number = Number(text);
		return number < FIRST_MILLISECONDS ? number * 1_000 : number;
	}
	return parseDate(text);
}

/** A date without a time zone, with a time or not: in numbers, the year first, or with the name of the month. */
const WITHOUT_ZONE =
	/^(?:\d{4}[-/]\d\d?[-/]\d\d?|[a-z]{3,9} \d\d?,? \d{4}|\d\d? [a-z]{3,9} \d{4})(?:[T ,]+\d\d?:[\d:.]+(?: ?[ap]m)?)?$/i;

/** Milliseconds since 1970 of a date; NaN for anything else. One without a time zone is in UTC, wherever n8n runs. */
function parseDate(text: string): number {
	if (!WITHOUT_ZONE.test(text)) return Date.parse(text);
	return Date.parse(/\dT\d/.test(text) ? `${text}Z` : `${text} UTC`);
}
