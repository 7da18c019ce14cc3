import type { Client } from '../../api/client';
import { messagesOf, type ServiceFilters } from '../../api/listEndpoints';
import type { ListRange } from '../../api/page';
import { HOUR_MS } from '../../api/time';
import { readList } from '../getList';
import type { Run } from '../operation';
import { matchesServiceFilters } from './filters';
import { type ParsedMessage, parseMessage } from './message';

/**
 * By how much the service is asked for more, on either side, in milliseconds: it may read a date as a day in its own time
 * zone, and include that day or not. A day, and an hour for when clocks go back.
 */
const DATE_SLACK = 25 * HOUR_MS;

const IGNORED_FILTER =
	'The service returned messages that do not match the filters, so this node removed them. The service may know the filters by other names: in the credential, turn on "Override API Names" and set "Inbox IDs Parameter", "After Parameter" and "Before Parameter".';

/**
 * What to ask the service for, so that nothing is missing that matches the filters: for more than they say, and from hour
 * to hour, so that filters with nearly the same dates ask for the same. With a start page, whose number counts within
 * the exact range, for just what they say.
 */
export function toAsk(
	{ inboxIds, after, before }: ServiceFilters,
	{ startPage }: ListRange,
): ServiceFilters {
	const filters = { inboxIds, after, before };
	return startPage === undefined ? widen(filters) : filters;
}

/**
 * Yields the messages that the service gives when it is asked so, page by page. They may be more than that, and a notice
 * says so if the service ignores what it was asked: whoever reads picks those that match.
 *
 * @throws {RequestFailure} when not even the first page could be read.
 * @throws {IncompleteList} at the end, when something is missing.
 */
export async function* readMessages(
	notices: Run['notices'],
	client: Client,
	asked: ServiceFilters,
	range?: ListRange,
): AsyncGenerator<ParsedMessage[], void> {
	const tolerated = widen(asked);
	let isNoted = false;
	for await (const page of readList(notices, client, messagesOf(client.account, asked), range)) {
		const messages = page.map(parseMessage);
		if (!isNoted && !messages.every((message) => matchesServiceFilters(message, tolerated))) {
			isNoted = true;
			notices.add(IGNORED_FILTER, 'info');
		}
		yield messages;
	}
}

/** What the user should know of the messages that were read: a `warning` if some may be missing. */
export interface ReadingNotice {
	words: string;
	type: 'info' | 'warning';
}

/** The messages after a moment. */
export interface Reading {
	messages: ParsedMessage[];
	notices: ReadingNotice[];
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
		add: (words: string, type: ReadingNotice['type'] = 'warning') =>
			void notices.push({ words, type }),
	};
	for await (const page of readMessages(collected, client, widen(filters))) {
		// One by one, since a page may have more messages than a call can have arguments.
		for (const message of page) if (matchesServiceFilters(message, filters)) messages.push(message);
	}
	return { messages, notices };
}

/** Widens the range of dates on either side, up to a whole hour. */
function widen({ inboxIds, after, before }: ServiceFilters): ServiceFilters {
	return {
		inboxIds,
		after: after && new Date(Math.floor((after.getTime() - DATE_SLACK) / HOUR_MS) * HOUR_MS),
		before: before && new Date(Math.ceil((before.getTime() + DATE_SLACK) / HOUR_MS) * HOUR_MS),
	};
}
