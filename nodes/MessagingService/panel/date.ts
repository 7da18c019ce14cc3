import { tryToParseDateTime } from 'n8n-workflow';
import { pasted } from '../api/text';
import type { Field } from './field';
import { isBlank, type PanelValues } from './values';

/** Seconds since 1970 for any moment from 1973 to 2286, or milliseconds from 2001 on. */
const UNIX_TIME = /^(?:\d{9,10}|\d{13})$/;
/** Year, month and day, with a time and a zone or not, as ISO 8601, sheets and databases write them. */
const DATE =
	/^(\d{4}-\d\d-\d\d)(?:[T ](\d?\d:[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;
const ADVICE =
	"Enter a date such as 2026-01-31 or 2026-01-31T08:00:00, or convert it, as with {{ DateTime.fromFormat($json.date, 'dd/MM/yyyy') }}.";

/** Which moment is meant by a time that comes twice, when clocks go back. */
export type Ambiguous = 'earlier' | 'later';

/** Reads a point in time; one without a zone is in the workflow's time zone. Undefined when it is empty. */
export function readDate(
	values: PanelValues,
	field: Field,
	ambiguous: Ambiguous = 'earlier',
): Date | undefined {
	const value = values.value(field);
	if (isBlank(value)) return undefined;
	const date = toDate(value, values.timezone, ambiguous);
	return date ?? values.refuse(field, value, 'is not a valid date', ADVICE);
}

/**
 * Takes a date object, as expressions give it, Unix time in seconds or milliseconds, or year, month and day, with or
 * without a time. Without a zone, it is read in the given time zone.
 *
 * @returns The date; undefined if the value is not a date, or is a text that could mean several dates.
 */
function toDate(value: unknown, timezone: string, ambiguous: Ambiguous): Date | undefined {
	// Other date objects, such as those of expressions, convert themselves to ISO 8601.
	const given = String(value instanceof Date ? value.toJSON() : value);
	// Several spaces become one, since the pattern allows only one.
	const text = pasted(given.replace(/\s+/g, ' '));
	if (UNIX_TIME.test(text)) {
		return new Date(Number(text) * (text.length < 13 ? 1_000 : 1));
	}
	const [, day, time = '00:00', zone = ''] = DATE.exec(text) ?? [];
	if (day === undefined) return undefined;
	try {
		const moment = tryToParseDateTime(`${day}T${time.replace(/^\d:/, '0$&')}${zone}`, timezone);
		// The parser leaves what it does not know to JavaScript, which reads February 30 as March 2.
		if (moment.toISODate() !== day) return undefined;
		return moment
			.getPossibleOffsets()
			.at(ambiguous === 'earlier' ? 0 : -1)
			?.toJSDate();
	} catch {
		return undefined;
	}
}
