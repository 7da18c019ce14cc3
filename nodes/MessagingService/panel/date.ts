import { tryToParseDateTime } from 'n8n-workflow';

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ].+)?$/;
const WITH_ZONE = /(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i;
const UNIX_SECONDS = /^\d{9,11}$/;
const UNIX_MILLISECONDS = /^\d{12,14}$/;

/**
 * Reads a point in time: a date object, as expressions give it, Unix time in seconds or milliseconds, an
 * ISO date, or a mail or HTTP date with its zone. An ISO date without a zone is read in the time zone given.
 *
 * @returns The date, or undefined when it is none. What cannot be read for certain is none.
 */
export function readDate(value: unknown, timezone: string): Date | undefined {
	// JavaScript reads [1, 2] as January 2.
	if (Array.isArray(value)) return undefined;
	if (typeof value === 'object') return parse(value, timezone);
	const text = String(value).trim();
	if (UNIX_MILLISECONDS.test(text)) return new Date(Number(text));
	if (UNIX_SECONDS.test(text)) return new Date(Number(text) * 1_000);
	const [, day] = ISO.exec(text) ?? [];
	if (day !== undefined) return isRealDay(day) ? parse(text, timezone) : undefined;
	return WITH_ZONE.test(text) && /^[a-z]/i.test(text) ? parse(text, timezone) : undefined;
}

// JavaScript reads February 30 as March 2.
function isRealDay(day: string): boolean {
	const date = new Date(`${day}T00:00:00Z`);
	return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

function parse(value: unknown, timezone: string): Date | undefined {
	try {
		const date = tryToParseDateTime(value, timezone).toJSDate();
		return Number.isNaN(date.getTime()) ? undefined : date;
	} catch {
		return undefined;
	}
}
