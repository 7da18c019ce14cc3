import type { Account, DateFormat, ListFormat } from '../../api/account';
import { type ListEndpoint, messagesOf } from '../../api/listEndpoints';
import type { QueryEntry } from '../../api/url';
import type { ServiceFilters } from './filters';

/** A day, plus an hour for when clocks go back, and one by which the dates of items that share a read may differ. */
const WIDE_DAY_MS = 26 * 60 * 60_000;

/**
 * Widens the range of dates by a number of days on either side. The service may read a date as a day in its own time
 * zone, and include that day or not: a wider range returns every wanted message in any case.
 */
export function widen({ inboxIds, after, before }: ServiceFilters, days: number): ServiceFilters {
	const by = days * WIDE_DAY_MS;
	const shift = (date: Date | undefined, ms: number) => date && new Date(date.getTime() + ms);
	return { inboxIds, after: shift(after, -by), before: shift(before, by) };
}

const INBOX_ID_WRITERS: Record<ListFormat, (name: string, ids: string[]) => QueryEntry[]> = {
	repeat: (name, ids) => ids.map((id) => [name, id]),
	brackets: (name, ids) => ids.map((id) => [`${name}[]`, id]),
	comma: (name, ids) => (ids.length > 0 ? [[name, ids.join(',')]] : []),
};

const DATE_WRITERS: Record<DateFormat, (date: Date, round: (value: number) => number) => string> = {
	iso: (date) => date.toISOString(),
	unixSeconds: (date, round) => String(round(date.getTime() / 1_000)),
	unixMilliseconds: (date) => String(date.getTime()),
};

/**
 * The list of messages with the filters that the service applies, named and formatted as the credential says. Dates in
 * whole seconds are rounded outwards.
 */
export function messagesWith(
	{ inboxIds, after, before }: ServiceFilters,
	account: Account,
): ListEndpoint {
	const { names } = account;
	const write = DATE_WRITERS[names.dateFormat];
	const query = [
		...INBOX_ID_WRITERS[names.inboxIdsFormat](names.inboxIdsParameter, inboxIds),
		...(after ? [[names.afterParameter, write(after, Math.floor)] as const] : []),
		...(before ? [[names.beforeParameter, write(before, Math.ceil)] as const] : []),
	];
	const { request, ...source } = messagesOf(account);
	return { ...source, request: { ...request, query } };
}
