import type { IDataObject } from 'n8n-workflow';
import type { CustomNames, DateFormat, ListFormat } from '../../api/account';
import type { QueryEntry } from '../../api/url';

/** Which messages are wanted. */
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

const DATE_FORMATS: Record<DateFormat, (date: Date) => string> = {
	iso: (date) => date.toISOString(),
	unixSeconds: (date) => String(date.getTime() / 1_000),
	unixMilliseconds: (date) => String(date.getTime()),
};

/** The filters as far as the deployment can express them: whole seconds are rounded outwards. */
export function widen(filters: MessageFilters, { dateFormat }: CustomNames): MessageFilters {
	if (dateFormat !== 'unixSeconds') return filters;
	const round = (date: Date | undefined, rounding: (value: number) => number) =>
		date && new Date(rounding(date.getTime() / 1_000) * 1_000);
	return {
		...filters,
		after: round(filters.after, Math.floor),
		before: round(filters.before, Math.ceil),
	};
}

/** Writes the filters as the deployment spells them. */
export function toQuery(filters: MessageFilters, names: CustomNames): QueryEntry[] {
	const { inboxIds, after, before } = widen(filters, names);
	const format = DATE_FORMATS[names.dateFormat];
	return [
		...LIST_FORMATS[names.inboxIdsFormat](names.inboxIdsParameter, inboxIds),
		...(after ? [[names.afterParameter, format(after)] as const] : []),
		...(before ? [[names.beforeParameter, format(before)] as const] : []),
	];
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

/** The dates of a message, in milliseconds, as far as it has any. */
export function datesOf(message: IDataObject): number[] {
	return [message.timestamp, message.created].flatMap(toTime);
}

function includesId(ids: string[], id: string): boolean {
	return ids.some((each) => each.toLowerCase() === id.toLowerCase());
}

function toTime(value: unknown): number[] {
	const time = typeof value === 'string' ? Date.parse(value) : NaN;
	return Number.isNaN(time) ? [] : [time];
}
