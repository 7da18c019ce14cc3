import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../api/client';
import { IncompleteList, type ListOptions } from '../api/listProgress';
import type { ListEndpoint } from '../api/listEndpoints';
import { PAGE_SIZE } from '../api/page';
import { readList } from '../api/pager';
import type { ListRange } from '../panel/rangeFields';
import { type ListWords, noteDoubt, withCause } from './listWords';
import type { Item, Run } from './operation';

/** What makes an output item of an entry. */
export type ToOutput = (entry: IDataObject) => IDataObject;

/**
 * Reads a list for an item: up to its limit, from its start page on.
 *
 * @throws {RequestFailure} when not even the first page could be read.
 * @throws {IncompleteList} when something is missing, with what was read.
 */
export async function getList(
	run: Run,
	{ client }: Item,
	source: ListEndpoint,
	range: ListRange,
	words: ListWords,
	toOutput?: ToOutput,
): Promise<IDataObject[]> {
	const { limit, startPage } = range;
	const options = { startPage, needed: limit, pageSize: Math.min(limit, PAGE_SIZE) };
	const entries = entriesOf(run, client, source, words, options);
	const found = await take(limit, entries, toOutput);
	noteNone(run, words.items, found);
	return found;
}

/**
 * Yields the entries of a list once each, and tells the user why some may be missing.
 *
 * @throws {RequestFailure} when not even the first page could be read.
 * @throws {IncompleteList} at the end, when something is missing.
 */
export async function* entriesOf(
	{ notices }: Pick<Run, 'notices'>,
	client: Client,
	source: ListEndpoint,
	words: ListWords,
	options: ListOptions = {},
): AsyncGenerator<IDataObject, void> {
	try {
		yield* readList(client, source, {
			...options,
			onDoubt: (doubt) => noteDoubt(doubt, words, notices),
		});
	} catch (error) {
		throw withCause(error, words);
	}
}

/**
 * Takes entries until there are as many as wanted.
 *
 * @throws {IncompleteList} when something is missing, with what was taken.
 */
export async function take(
	limit: number,
	entries: AsyncIterable<IDataObject>,
	toOutput: ToOutput = (entry) => entry,
): Promise<IDataObject[]> {
	const items: IDataObject[] = [];
	try {
		for await (const entry of entries) {
			items.push(toOutput(entry));
			if (items.length >= limit) break;
		}
	} catch (error) {
		throw error instanceof IncompleteList ? error.with(items) : error;
	}
	return items;
}

/** Yields the entries that are wanted. */
export async function* matching(
	entries: AsyncIterable<IDataObject>,
	isWanted: (entry: IDataObject) => boolean,
): AsyncGenerator<IDataObject, void> {
	for await (const entry of entries) if (isWanted(entry)) yield entry;
}

/** Tells the user that nothing matches, where that is so. */
export function noteNone({ notices }: Run, items: string, found: readonly IDataObject[]): void {
	if (found.length === 0) notices.add(`The service returned no ${items} that match.`, 'info');
}
