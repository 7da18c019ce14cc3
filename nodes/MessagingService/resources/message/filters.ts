import type { IDataObject } from 'n8n-workflow';
import type { CustomNames, DateFormat, ListFormat } from '../../api/account';
import { isObject, isTextOrNumber } from '../../api/json';
import type { Page } from '../../api/page';
import { readTime } from '../../api/time';
import type { QueryEntry } from '../../api/url';
import { includesId } from '../../panel/inboxIds';

export interface MessageFilters {
	inboxIds: string[];
	/** Only messages after this moment. */
	after?: Date;
	/** Only messages up to this moment. */
	before?: Date;
}

const LIST_FORMATS: Record<ListFormat, (name: string, values: string[]) => QueryEntry[]> = {
	repeat: (name, values) => values.map((value) => [name, value]),
	brackets: (name, values) => values.map((value) => [`${name}[]`, value]),
	comma: (name, values) => (values.length > 0 ? [[name, values.join(',')]] : []),
};

type Rounding = (value: number) => number;

const DATE_FORMATS: Record<DateFormat, (date: Date, round: Rounding) => string> = {
	iso: (date) => date.toISOString(),
	unixSeconds: (date, round) => String(round(date.getTime() / 1_000)),
	unixMilliseconds: (date) => String(date.getTime()),
};

/** A day and an hour, since a day has 25 hours when clocks go back. */
const DAY = 25 * 60 * 60_000;
/** The furthest moment that a Date can hold. */
const LAST_MOMENT = 8.64e15;

/**
 * The filters with their dates so many days further apart. A service may read a date as a day, in its own time
 * zone, and leave that day in or out: asked for a day more on either side, it gives all that is wanted in any case.
 */
export function widen(filters: MessageFilters, days: number): MessageFilters {
	const shift = (date: Date | undefined, by: number) =>
		date && new Date(Math.min(Math.max(date.getTime() + by, -LAST_MOMENT), LAST_MOMENT));
	return {
		...filters,
		after: shift(filters.after, -days * DAY),
		before: shift(filters.before, days * DAY),
	};
}

/** Writes the filters as the deployment spells them; whole seconds are rounded outwards. */
export function toQuery(
	{ inboxIds, after, before }: MessageFilters,
	names: CustomNames,
): QueryEntry[] {
	const format = DATE_FORMATS[names.dateFormat];
	return [
		...LIST_FORMATS[names.inboxIdsFormat](names.inboxIdsParameter, inboxIds),
		...(after ? [[names.afterParameter, format(after, Math.floor)] as const] : []),
		...(before ? [[names.beforeParameter, format(before, Math.ceil)] as const] : []),
	];
}

/**
 * What keeps messages out that are newer than a page; undefined where the page has no dates. A millisecond more
 * than its newest one, in case the service leaves out the bound itself.
 */
export function upToNewest(
	{ entries }: Pick<Page, 'entries'>,
	names: CustomNames,
): QueryEntry[] | undefined {
	let newest = -Infinity;
	for (const entry of entries) {
		for (const time of isObject(entry) ? datesOf(entry) : []) newest = Math.max(newest, time);
	}
	if (newest === -Infinity) return undefined;
	return toQuery({ inboxIds: [], before: new Date(Math.min(newest + 1, LAST_MOMENT)) }, names);
}

/**
 * Whether a message passes the filters, in case the service ignored them. Which of its dates the service
 * compares is not shown, so a message is only out when all of them are.
 */
export function matches(
	message: IDataObject,
	{ inboxIds, after, before }: MessageFilters,
): boolean {
	const { inboxId } = message;
	if (inboxIds.length > 0 && typeof inboxId === 'string' && !includesId(inboxIds, inboxId)) {
		return false;
	}
	const dates = datesOf(message);
	if (dates.length === 0) return true;
	return dates.some(
		(time) =>
			(after === undefined || time > after.getTime()) &&
			(before === undefined || time <= before.getTime()),
	);
}

/** The dates of a message, in milliseconds since 1970, as far as it has any. */
export function datesOf(message: IDataObject): number[] {
	return [message.timestamp, message.created].flatMap(toTime);
}

function toTime(value: unknown): number[] {
	// A time of 0 stands for none.
	const time = isTextOrNumber(value) && value !== 0 ? readTime(String(value)) : NaN;
	return Number.isNaN(time) ? [] : [time];
}
