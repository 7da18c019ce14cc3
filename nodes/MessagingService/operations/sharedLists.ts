import type { IDataObject } from 'n8n-workflow';
import { BoundedMap } from '../api/boundedMap';
import type { Client } from '../api/client';
import type { ListEndpoint } from '../api/listEndpoints';
import { readPages } from '../api/pager';
import type { Pages } from './lists';

/** How many lists of a run are read at a time, and kept for items to come: one may have tens of thousands of entries. */
export const MAX_LISTS = 4;

/** What was read of a list so far, and what reads on. */
interface SharedList<Page> {
	source: Pages<Page>;
	results: Array<ReturnType<Pages<Page>['next']>>;
}

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
			if (value.kind === 'error' && this.lists.get(key) === list) this.lists.delete(key);
			return value;
		}
	}
}

/** Lists of inboxes and of templates. */
export class EntryLists extends SharedLists<IDataObject[]> {
	/** Reads a list of the service, with the transport options of the item that reads it first. */
	readFrom(client: Client, endpoint: ListEndpoint, limit?: number): Pages<IDataObject[]> {
		const key = JSON.stringify(endpoint.request);
		return this.read(key, () => readPages(client, endpoint, limit));
	}
}
