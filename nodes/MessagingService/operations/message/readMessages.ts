import type { Client } from '../../api/client';
import { messagesOf, type ServiceFilters } from '../../api/listEndpoints';
import { readPages } from '../../api/pager';
import { HOUR_MS } from '../../api/time';
import { type Pages, SharedLists, take, type Taken } from '../lists';
import type { Notices } from '../operation';
import { type Contact, matchesServiceFilters } from './filters';
import { ParsedMessage } from './message';

/**
 * By how much the service is asked for more, on either side, in milliseconds: it may read a date as a day in its own time
 * zone, and include that day or not. A day, and an hour for when clocks go back.
 */
const DATE_SLACK = 25 * HOUR_MS;

const IGNORED_FILTER =
	'The service returned messages that do not match the filters, so this node removed them. If the service knows the filters by other names, turn on "Override Names" in the credential and set "Inbox IDs Parameter", "After Parameter" and "Before Parameter".';

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

/** A page of messages, which many items may search. */
export class MessagePage {
	readonly messages: readonly ParsedMessage[];
	/** The messages of each phone number, by the country code that completes the numbers. */
	private readonly byCode = new Map<string | undefined, ReadonlyMap<string, ParsedMessage[]>>();

	constructor(messages: readonly ParsedMessage[]) {
		this.messages = messages;
	}

	/** The messages in which a contact takes part, one with several of the contact's numbers several times. */
	of({ numbers, countryCode }: Contact): ParsedMessage[] {
		const byNumber = this.byCode.get(countryCode) ?? this.groupBy(countryCode);
		this.byCode.set(countryCode, byNumber);
		return numbers.flatMap((number) => byNumber.get(number) ?? []);
	}

	private groupBy(countryCode?: string): ReadonlyMap<string, ParsedMessage[]> {
		const groups = new Map<string, ParsedMessage[]>();
		for (const message of this.messages) {
			for (const number of message.people(countryCode).participants) {
				const group = groups.get(number);
				if (group) group.push(message);
				else groups.set(number, [message]);
			}
		}
		return groups;
	}
}

/** Lists of messages that items share, by what the service was asked for. */
export class MessageLists extends SharedLists<MessagePage> {}

/**
 * Yields the messages that the service gives when it is asked so, page by page. They may be more than that, and a notice
 * says so if the service ignores what it was asked: whoever reads picks those that match.
 *
 * @param limit how many messages the reader wants, as a hint
 */
export async function* readMessages(
	notices: Notices,
	client: Client,
	asked: ServiceFilters,
	limit?: number,
): Pages<MessagePage> {
	const tolerated = widen(asked);
	const pages = readPages(client, messagesOf(client.account, asked), limit);
	let isNoted = false;
	for (;;) {
		const { done, value } = await pages.next();
		if (done) return value;
		const page = new MessagePage(value.map((json) => new ParsedMessage(json)));
		if (!isNoted && !page.messages.every((each) => matchesServiceFilters(each, tolerated))) {
			isNoted = true;
			notices.add(IGNORED_FILTER, 'info');
		}
		yield page;
	}
}

/**
 * Reads all messages that match filters of the service, or have no date.
 *
 * @param isExact whether the service is asked for no more than that: it has to know a date with its time then
 */
export async function readMatching(
	notices: Notices,
	client: Client,
	filters: ServiceFilters,
	isExact = false,
): Promise<Taken<ParsedMessage>> {
	const pages = readMessages(notices, client, isExact ? filters : widen(filters));
	return await take(pages, Infinity, ({ messages }) =>
		messages.filter((message) => matchesServiceFilters(message, filters)),
	);
}
