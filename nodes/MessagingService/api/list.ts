import type { IDataObject } from 'n8n-workflow';
import type { Client } from './client';
import { fetchPage, type Page } from './page';
import { type MissingPages, PAGE_SIZE, Pages, type PagesOptions } from './pages';
import type { ApiRequest } from './request';
import type { QueryEntry } from './url';

/** A list of the service, and how its paging is spelled. */
export interface ListSource {
	request: ApiRequest;
	limitParameter: string;
	pageParameter: string;
}

/** What of a list is wanted. */
export interface ListQuery extends ListSource {
	/** Number of items to return; Infinity for all. */
	limit: number;
	/** Items asked for with each page; as many as are wanted, at most 50, when left out. */
	pageSize?: number;
	/** Where to begin, as the service counts; undefined for its first page. */
	startPage?: number;
	/**
	 * What keeps items out that came after the first page. Without it, what comes in while pages are read
	 * pushes other items from page to page, past a reader that fetches several at a time.
	 */
	pin?: (first: Page) => QueryEntry[];
	/** What of the service's items is wanted; everything when left out. */
	keep?: (item: IDataObject) => boolean;
	/** What the service should have kept out; everything that is not kept when left out. */
	isForeign?: (item: IDataObject) => boolean;
	/** The most pages that may be fetched at a time. */
	concurrency: number;
}

/** What came of reading a list. */
export interface ListResult {
	items: IDataObject[];
	/** How many items the service gave although it should have kept them out. */
	foreign: number;
	/** How many items the service announced but did not give; undefined when that cannot be told. */
	unaccounted?: number;
	/** Whether the service gave the same items again instead of others. */
	repeats: boolean;
	/** Pages that could not be read, if there are any; `items` holds the rest. */
	missing?: MissingPages;
}

/** A list of which some pages could not be read. */
export class IncompleteList extends Error {
	override name = 'IncompleteList';
	/** What was read. */
	readonly items: IDataObject[];
	/** Why the rest was not. */
	override readonly cause: unknown;
	/** The pages that are missing, as far as their numbers are known. */
	readonly pages?: string;

	constructor(items: IDataObject[], { cause, pages }: Pick<IncompleteList, 'cause' | 'pages'>) {
		super(
			pages === undefined ? 'The list is not complete' : `Page ${pages} of the list is missing`,
		);
		this.items = items;
		this.cause = cause;
		this.pages = pages;
	}

	/** The same failure with other items. */
	map(change: (item: IDataObject) => IDataObject): IncompleteList {
		return new IncompleteList(this.items.map(change), this);
	}
}

/**
 * Reads a list, guided by what the service says of it: see `Pages`.
 *
 * @throws {RequestFailure} when not even the first page could be read.
 */
export async function readList(client: Client, query: ListQuery): Promise<ListResult> {
	const { limit, startPage, keep = () => true, isForeign = (item) => !keep(item) } = query;
	const items: IDataObject[] = [];
	let foreign = 0;
	const pages = new Pages({
		...pageFetcher(() => client, query, query.pageSize ?? Math.min(limit, PAGE_SIZE), query.pin),
		startPage,
		prefetch: () => Math.min(client.congestion.size, query.concurrency),
		demand: () => limit - items.length,
	});
	for await (const page of pages) {
		for (const item of page) {
			if (isForeign(item)) foreign++;
			if (keep(item) && items.length < limit) items.push(item);
		}
	}
	const unaccounted = items.length < limit ? pages.outstanding : 0;
	return {
		items,
		foreign,
		unaccounted: startPage === undefined ? unaccounted : undefined,
		repeats: pages.repeats,
		missing: pages.missing,
	};
}

/**
 * How the pages of a list are got from the service, for `Pages`.
 *
 * @param clientNow the client to fetch with, asked for before each page
 */
export function pageFetcher(
	clientNow: () => Client,
	{ request, limitParameter, pageParameter }: ListSource,
	pageSize: number,
	pin?: ListQuery['pin'],
): Pick<PagesOptions, 'fetch' | 'isOwn' | 'pageParameter'> {
	const size = [limitParameter, String(pageSize)] as const;
	let pinned: QueryEntry[] | undefined;
	return {
		pageParameter,
		isOwn: (link) => clientNow().isOwn(link),
		fetch: async (position) => {
			if (position instanceof URL) return await fetchPage(clientNow(), request, position);
			const number = position === undefined ? [] : [[pageParameter, String(position)] as const];
			const query = [...(request.query ?? []), ...(pinned ?? []), size, ...number];
			const page = await fetchPage(clientNow(), { ...request, query });
			pinned ??= pin?.(page) ?? [];
			return page;
		},
	};
}
