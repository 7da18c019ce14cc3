import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import { PAGE_SIZE } from '../../api/page';
import { entriesOf } from '../getList';
import { listWords } from '../listWords';
import type { Run } from '../operation';
import { dateOf } from './message';
import { messagesWith, widen } from './messageQuery';

/**
 * Yields the messages that are dated after a moment, or have no date. In a list that is sorted newest first, reading ends
 * with a full page of older messages.
 *
 * @param from in milliseconds since 1970
 * @param inboxIds the inboxes to read; all when empty
 * @throws {RequestFailure | IncompleteList} when the messages cannot be read as a whole.
 */
export async function* messagesSince(
	from: number,
	inboxIds: string[],
	client: Client,
	notices: Run['notices'],
): AsyncGenerator<IDataObject, void> {
	const { account } = client;
	// Asks for a day more, since the service may read the date as a whole day and exclude that day.
	const source = messagesWith(widen({ inboxIds, after: new Date(from) }, 1), account);
	const options = { needed: PAGE_SIZE };
	let first: number | undefined;
	let previous = Infinity;
	let olderInARow = 0;
	const words = listWords('messages', account);
	for await (const message of entriesOf({ notices }, client, source, words, options)) {
		const date = dateOf(message);
		first ??= date;
		const isOlder = date !== undefined && date <= from;
		if (!isOlder) yield message;
		const isSorted = date !== undefined && date <= previous && date < (first ?? -Infinity);
		olderInARow = isOlder && isSorted ? olderInARow + 1 : 0;
		previous = date ?? previous;
		if (olderInARow >= PAGE_SIZE) return;
	}
}
