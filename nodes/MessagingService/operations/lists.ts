import { deepCopy, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import { BoundedMap } from '../api/boundedMap';
import type { Client } from '../api/client';
import type { ListEndpoint, ListNoun } from '../api/listEndpoints';
import { type Verdict, WHOLE } from '../api/listProgress';
import { readPages } from '../api/pager';
import { describeWarning, failedList } from '../words/lists';
import { Problem } from '../words/problem';
import type { Run } from './operation';

/** A list as it is read, page by page, and how that has ended. */
export type Pages<Page> = AsyncGenerator<Page, Verdict>;

/** What was taken of a list. */
export interface Taken<Item> {
	items: Item[];
	/** Whole, too, if there was enough before the end. */
	verdict: Verdict;
}

/**
 * Takes what is wanted of a list until there is enough.
 *
 * @param select gives what is wanted of a page
 */
export async function take<Page, Item>(
	pages: Pages<Page>,
	limit: number,
	select: (page: Page) => readonly Item[],
): Promise<Taken<Item>> {
	const items: Item[] = [];
	for (;;) {
		const { done, value } = await pages.next();
		if (done) return { items, verdict: value };
		// One by one, since a page may have more than a call can have arguments.
		for (const item of select(value)) items.push(item);
		if (items.length >= limit) return { items: items.slice(0, limit), verdict: WHOLE };
	}
}

/**
 * What was taken of a list, for the output: copies, if another item may get the same. A notice says why something may be
 * missing.
 *
 * @param isWholeOrFails whether to fail in place of such a notice
 * @throws {RequestFailure | Problem} when the list could not be read to its end, with what was taken.
 */
export function conclude<Item extends IDataObject>(
	{ context, notices }: Run,
	noun: ListNoun,
	{ items, verdict }: Taken<Item>,
	isWholeOrFails = false,
): Item[] {
	const output = isAlone(context) ? items : items.map((item) => deepCopy(item));
	if (verdict.kind === 'error') throw failedList(verdict, noun, output);
	if (verdict.kind === 'warning') {
		const words = describeWarning(verdict, noun);
		if (isWholeOrFails) throw new Problem('The list may lack something', words, { items: output });
		notices.add(words, 'warning');
	}
	return output;
}

/** How many lists of a run are read at a time, and kept for items to come: one may have tens of thousands of entries. */
export const MAX_LISTS = 4;

/** What was read of a list so far, and what reads on. */
interface SharedList<Page> {
	source: Pages<Page>;
	results: Array<ReturnType<Pages<Page>['next']>>;
}

/** Whether a run has one item only, so that nothing of a list need be kept for others. */
const isAlone = (context: IExecuteFunctions) => context.getInputData().length === 1;

/** Lists that items of a run share: each reads from the beginning, and the list goes on when one wants more. */
export class SharedLists<Page> {
	private readonly lists = new BoundedMap<string, SharedList<Page>>(MAX_LISTS);

	/**
	 * Yields the pages of a list in their order. Whoever comes after a reading that failed reads anew.
	 *
	 * @param key the same for all who read the same list
	 * @param open begins to read the list; lazily, as a generator does
	 */
	async *read(key: string, open: () => Pages<Page>): Pages<Page> {
		const list = this.lists.get(key) ?? { source: open(), results: [] };
		this.lists.set(key, list);
		for (let index = 0; ; index++) {
			const { done, value } = await (list.results[index] ??= list.source.next());
			if (!done) {
				yield value;
				continue;
			}
			if (value.kind === 'error') this.lists.delete(key);
			return value;
		}
	}
}

/** Reads a list, together with the other items of the run that read the same. */
export function pagesOf<Page>(
	{ context, shared }: Run,
	Lists: new () => SharedLists<Page>,
	key: string,
	open: () => Pages<Page>,
): Pages<Page> {
	return isAlone(context) ? open() : shared(Lists).read(key, open);
}

/** Lists of inboxes and of templates. */
class EntryLists extends SharedLists<IDataObject[]> {}

/**
 * Reads what an item wants of a list of inboxes or templates, with the transport options of the item that reads it first.
 *
 * @param select gives what is wanted of a page
 * @throws {RequestFailure | Problem} when the list could not be read to its end, with what was taken.
 */
export async function readEntries<Entry extends IDataObject>(
	run: Run,
	{ client, endpoint, limit }: { client: Client; endpoint: ListEndpoint; limit: number },
	select: (entries: readonly IDataObject[]) => readonly Entry[],
): Promise<Entry[]> {
	const key = JSON.stringify(endpoint.request);
	const pages = pagesOf(run, EntryLists, key, () => readPages(client, endpoint, limit));
	return conclude(run, endpoint.noun, await take(pages, limit, select));
}
