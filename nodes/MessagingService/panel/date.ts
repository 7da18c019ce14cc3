import { tryToParseDateTime } from 'n8n-workflow';

const UNIX_SECONDS = /^\d{9,11}$/;
const UNIX_MILLISECONDS = /^\d{12,14}$/;
/** Year, month and day, as ISO 8601, sheets and databases write them. */
const DAY = String.raw`(?<year>\d{4})([-/])(?<month>\d{1,2})\2(?<day>\d{1,2})`;
/** With 24 or with 12 hours; also without the colons, as ISO 8601 allows. */
const TIME = String.raw`(?<hour>[01]?\d|2[0-3])(?::?(?<minute>[0-5]\d)(?::?(?<second>[0-5]\d(?:[.,]\d{1,9})?))?)?\s*(?<half>[ap]m)?`;
const ZONE = String.raw`(?<zone>Z|GMT|UTC|[+-]\d\d(?::?\d\d)?)`;
const YEAR_FIRST = new RegExp(`^${DAY}(?:(?:T|\\s+)${TIME}\\s*${ZONE}?)?$`, 'i');
/** As mails and HTTP have it: Sat, 31 Jan 2026 08:00:00 GMT. */
const MAIL =
	/^(?:[a-z]{3},\s*)?\d{1,2}\s[a-z]{3}\s\d{4}\s\d\d:\d\d(?::\d\d)?\s(?:Z|GMT|UTC|[+-]\d{4})$/i;

/**
 * Reads a point in time: a date object, as expressions give it, Unix time in seconds or milliseconds, a date of a mail
 * with its zone, or year, month and day, with or without a time. What has no zone is read in the time zone given.
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
	return parse(MAIL.test(text) ? text : toIso(text), timezone);
}

/** The same in ISO 8601, for the one parser that knows time zones; undefined when it is no date. */
function toIso(text: string): string | undefined {
	const { groups } = YEAR_FIRST.exec(text) ?? {};
	if (!groups) return undefined;
	const { year, month, hour = '0', minute = '00', second = '00', half, zone = '' } = groups;
	const day = `${year}-${twoDigits(month)}-${twoDigits(groups.day)}`;
	const hours = half === undefined ? Number(hour) : toHours(Number(hour), half.toLowerCase());
	if (!isRealDay(day) || hours === undefined) return undefined;
	return `${day}T${twoDigits(hours)}:${minute}:${second}${zone.replace(/[a-z]+/i, 'Z')}`;
}

/** The hour of 24, of one of 12 with "am" or "pm". */
function toHours(hour: number, half: string): number | undefined {
	if (hour < 1 || hour > 12) return undefined;
	return (hour % 12) + (half === 'pm' ? 12 : 0);
}

function twoDigits(number: string | number): string {
	return String(number).padStart(2, '0');
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
