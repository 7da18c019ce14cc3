import type { Client } from '../../api/client';
import { messagesOf, type ServiceFilters } from '../../api/listEndpoints';
import { HOUR_MS } from '../../api/time';
import { readList } from '../lists';
import type { Run } from '../operation';
import { matchesServiceFilters } from './filters';
import { ParsedMessage } from './message';

/**
 * By how much the service is asked for more, on either side, in milliseconds: it may read a date as a day in its own time
 * zone, and include that day or not. A day, and an hour for when clocks go back.
 */
const DATE_SLACK = 25 * HOUR_MS;

const IGNORED_FILTER =
	'The service returned messages that do not match the filters, so this node removed them. The service may know the filters by other names: in the credential, turn on "Override Names" and set "Inbox IDs Parameter", "After Parameter" and "Before Parameter".';

/**
 * Widens the range of dates on either side, up to a whole hour, so that nothing is missing that matches the filters, and
 * filters with nearly the same dates ask for the same.
 */
export function widen({ inboxIds, after, before }: ServiceFilters): ServiceFilters {
	return {
		inboxIds,
		after: after && new Date(Math.floor((after.getTime() - DATE_SLACK) / HOUR_MS) * HOUR_MS),
		before: before && new Date(Math.ceil((before.getTime() + DATE_SLACK) / HOUR_MS) * HOUR_MS),
	};
}

/**
 * Yields the messages that the service gives when it is asked so, page by page. They may be more than that, and a notice
 * says so if the service ignores what it was asked: whoever reads picks those that match.
 *
 * @param countryCode the country code for numbers of the service that have none
 * @throws {RequestFailure} when not even the first page could be read.
 * @throws {IncompleteList} at the end, when something is missing.
 */
export async function* readMessages(
	notices: Run['notices'],
	client: Client,
	asked: ServiceFilters,
	{ countryCode, limit }: { countryCode?: string; limit?: number } = {},
): AsyncGenerator<ParsedMessage[], void> {
	const tolerated = widen(asked);
	let isNoted = false;
	for await (const page of readList(notices, client, messagesOf(client.account, asked), limit)) {
		const messages = page.map((json) => new ParsedMessage(json, countryCode));
		if (!isNoted && !messages.every((message) => matchesServiceFilters(message, tolerated))) {
			isNoted = true;
			notices.add(IGNORED_FILTER, 'info');
		}
		yield messages;
	}
}

/**
 * Reads all messages that are dated after a moment, or have no date.
 *
 * @param after in milliseconds since 1970
 * @throws {RequestFailure} when not even the first page could be read.
 * @throws {IncompleteList} when messages are certainly missing.
 */
export async function readMessagesSince(
	notices: Run['notices'],
	client: Client,
	after: number,
	{ inboxIds = [], countryCode }: { inboxIds?: string[]; countryCode?: string } = {},
): Promise<ParsedMessage[]> {
	const filters = { inboxIds, after: new Date(after) };
	const messages: ParsedMessage[] = [];
	for await (const page of readMessages(notices, client, widen(filters), { countryCode })) {
		// One by one, since a page may have more messages than a call can have arguments.
		for (const message of page) if (matchesServiceFilters(message, filters)) messages.push(message);
	}
	return messages;
}
