import { tryToParseDateTime } from 'n8n-workflow';

/** Seconds since 1970 for any moment from 1973 to 2286, or milliseconds from 2001 on. */
const UNIX_TIME = /^(?:\d{9,10}|\d{13})$/;
/** Year, month and day, with a time or not, as ISO 8601, sheets and databases write them. */
const DATE = String.raw`(?<year>\d{4})([-/])(?<month>\d{1,2})\2(?<day>\d{1,2})`;
const TIME = String.raw`(?<hour>[01]?\d|2[0-3]):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d(?:[.,]\d{1,9})?))?\s*(?<half>[ap]m)?`;
const ZONE = String.raw`(?<zone>Z|GMT|UTC|[+-]\d\d(?::?\d\d)?)`;
const YEAR_FIRST = new RegExp(`^${DATE}(?:(?:T|\\s+)${TIME}\\s*${ZONE}?)?$`, 'i');

/** Which moment is meant by a time that comes twice, when clocks go back. */
export type Ambiguous = 'earlier' | 'later';

/**
 * Reads a point in time: a date object, as expressions give it, Unix time in seconds or milliseconds, or year, month
 * and day, with or without a time. Without a zone, it is read in the given time zone.
 *
 * @returns The date; undefined if the value is not a date, or is a text that could mean several dates.
 */
export function readDate(value: unknown, timezone: string, ambiguous: Ambiguous): Date | undefined {
	// Other date objects, such as those of expressions, convert themselves to ISO 8601.
	const given = String(value instanceof Date ? value.toJSON() : value);
	// One space for many, since the pattern would try each way to divide them.
	const text = given.replace(/\s+/g, ' ').trim();
	if (UNIX_TIME.test(text)) {
		return new Date(Number(text) * (text.length < 13 ? 1_000 : 1));
	}
	try {
		const moments = tryToParseDateTime(toIso(text), timezone).getPossibleOffsets();
		const date = moments.at(ambiguous === 'earlier' ? 0 : -1)?.toJSDate();
		return Number.isNaN(date?.getTime()) ? undefined : date;
	} catch {
		return undefined;
	}
}

/** Converts a text to ISO 8601 for the parser, which knows time zones; undefined if it is not a date. */
function toIso(text: string): string | undefined {
	const { groups } = YEAR_FIRST.exec(text) ?? {};
	if (!groups) return undefined;
	const { year, month, hour = '0', minute = '00', second = '00', half, zone = '' } = groups;
	const day = `${year}-${twoDigits(month)}-${twoDigits(groups.day)}`;
	const isOfTwelve = Number(hour) >= 1 && Number(hour) <= 12;
	// JavaScript reads February 30 as March 2.
	const isRealDay = new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day);
	if (!isRealDay || (half && !isOfTwelve)) return undefined;
	const afternoon = half?.toLowerCase() === 'pm' ? 12 : 0;
	const hours = half ? (Number(hour) % 12) + afternoon : hour;
	return `${day}T${twoDigits(hours)}:${minute}:${second}${zone.replace(/[a-z]+/i, 'Z')}`;
}

function twoDigits(number: string | number): string {
	return String(number).padStart(2, '0');
}
