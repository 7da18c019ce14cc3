import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../api/client';
import { asObject } from '../api/json';
import type { ListEndpoint } from '../api/listEndpoints';
import { IncompleteList } from '../api/incompleteList';
import { readPages } from '../api/pager';
import { describeDoubt } from '../words/lists';
import type { Run } from './operation';

/** What an entry of a list becomes in the output; undefined for one that is not wanted. */
export type Select<Entry> = (entry: Entry) => IDataObject | undefined;

/**
 * Reads a list, up to a limit.
 *
 * @param select all entries, as they are, when left out
 * @throws {RequestFailure} when not even the first page could be read.
 * @throws {IncompleteList} when something is missing, with what was read.
 */
export async function getList(
	{ notices }: Run,
	client: Client,
	endpoint: ListEndpoint,
	limit: number,
	select?: Select<IDataObject>,
): Promise<IDataObject[]> {
	return await take(limit, readList(notices, client, endpoint, limit), select);
}

/**
 * Yields the entries of a list, each once and page by page, and tells the user why some may be missing.
 *
 * @throws {RequestFailure} when not even the first page could be read.
 * @throws {IncompleteList} at the end, when something is missing.
 */
export async function* readList(
	notices: Run['notices'],
	client: Client,
	endpoint: ListEndpoint,
	limit = Infinity,
): AsyncGenerator<IDataObject[], void> {
	const doubt = yield* readPages(client, endpoint, limit);
	if (doubt) notices.add(describeDoubt(doubt, endpoint), 'warning');
}

/**
 * Takes what is wanted of a list until there is enough.
 *
 * @param select all entries, as they are, when left out
 * @throws {IncompleteList} when something is missing, with what was taken.
 */
export async function take<Entry>(
	limit: number,
	pages: AsyncIterable<readonly Entry[]>,
	select: Select<Entry> = asObject,
): Promise<IDataObject[]> {
	const items: IDataObject[] = [];
	try {
		for await (const page of pages) {
			for (const entry of page) {
				const item = select(entry);
				if (item) items.push(item);
				if (items.length >= limit) return items;
			}
		}
	} catch (error) {
		throw error instanceof IncompleteList ? error.with(items) : error;
	}
	return items;
}
