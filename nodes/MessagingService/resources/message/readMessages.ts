import type { Account, DateFormat, ListFormat } from '../../api/account';
import type { Client } from '../../api/client';
import { type ListEndpoint, messagesOf } from '../../api/listEndpoints';
import type { ListRange } from '../../api/page';
import { HOUR_MS } from '../../api/time';
import type { QueryEntry } from '../../api/url';
import type { ListNotice } from '../../n8n/incompleteLists';
import { readList } from '../getList';
import type { Run } from '../operation';
import { isInRange, type ServiceFilters } from './filters';
import { type ParsedMessage, parseMessage } from './message';

/** By how much the dates of those who share a list may differ. */
const SHARED_SPAN = HOUR_MS;
/**
 * By how much the service is asked for more, on either side: it may read a date as a day in its own time zone, and
 * include that day or not. A day, an hour for when clocks go back, and what the dates of a shared list may differ by.
 */
const DATE_SLACK = 25 * HOUR_MS + SHARED_SPAN;

const IGNORED_FILTER =
	'The service returned messages that do not match the filters, so this node removed them. The service may know the filters by other names: in the credential, turn on "Override API Names" and set "Inbox IDs Parameter", "After Parameter" and "Before Parameter".';

/**
 * Yields the messages that the service gives for its filters, page by page. It is asked for more than the filters say,
 * except with a start page, whose number counts within the exact range: whoever reads picks those that match.
 *
 * @throws {RequestFailure} when not even the first page could be read.
 * @throws {IncompleteList} at the end, when something is missing.
 */
export async function* readMessages(
	notices: Run['notices'],
	client: Client,
	filters: ServiceFilters,
	range?: ListRange,
): AsyncGenerator<ParsedMessage[], void> {
	const asked = range?.startPage === undefined ? widen(filters, DATE_SLACK) : filters;
	// What the service gives beyond a whole day more, its filters should have kept out.
	const tolerated = widen(filters, 2 * DATE_SLACK);
	let isNoted = false;
	for await (const page of readList(notices, client, endpointFor(asked, client.account), range)) {
		const messages = page.map(parseMessage);
		if (!isNoted && !messages.every((message) => isInRange(message, tolerated))) {
			isNoted = true;
			notices.add(IGNORED_FILTER, 'info');
		}
		yield messages;
	}
}

/** Names what `readMessages` gives: the same for filters with the same inboxes, and dates within the same hour. */
export function nameOfMessages(
	{ inboxIds, after, before }: ServiceFilters,
	{ limit, startPage }: ListRange,
): string {
	// What is on a numbered page depends on the exact query and page size.
	const numbered = startPage === undefined ? undefined : { startPage, limit };
	const span = numbered ? 1 : SHARED_SPAN;
	const dates = [after, before].map((date) => date && Math.floor(date.getTime() / span));
	return JSON.stringify([inboxIds, dates, numbered]);
}

/** The messages after a moment, and what the user should know of them: a warning if some may be missing. */
export interface Reading {
	messages: ParsedMessage[];
	notices: ListNotice[];
}

/**
 * Reads all messages that are dated after a moment, or have no date.
 *
 * @param after in milliseconds since 1970
 * @param inboxIds the inboxes to read; all when empty
 * @throws {RequestFailure} when not even the first page could be read.
 * @throws {IncompleteList} when messages are certainly missing.
 */
export async function readMessagesSince(
	client: Client,
	after: number,
	inboxIds: string[] = [],
): Promise<Reading> {
	const filters = { inboxIds, after: new Date(after) };
	const { messages, notices }: Reading = { messages: [], notices: [] };
	const collected = {
		add: (words: string, type: ListNotice['type'] = 'warning') =>
			void notices.push({ words, type }),
	};
	for await (const page of readMessages(collected, client, filters)) {
		messages.push(...page.filter((message) => isInRange(message, filters)));
	}
	return { messages, notices };
}

/** Widens the range of dates by so many milliseconds on either side. */
function widen({ inboxIds, after, before }: ServiceFilters, by: number): ServiceFilters {
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

/** The messages with these filters, named and formatted as the credential says. Whole seconds are rounded outwards. */
function endpointFor({ inboxIds, after, before }: ServiceFilters, account: Account): ListEndpoint {
	const { names } = account;
	const write = DATE_WRITERS[names.dateFormat];
	const query = [
		...INBOX_ID_WRITERS[names.inboxIdsFormat](names.inboxIdsParameter, inboxIds),
		...(after ? [[names.afterParameter, write(after, Math.floor)] as const] : []),
		...(before ? [[names.beforeParameter, write(before, Math.ceil)] as const] : []),
	];
	const endpoint = messagesOf(account);
	return { ...endpoint, request: { ...endpoint.request, query } };
}
