import type { IDataObject } from 'n8n-workflow';
import type { Client } from './client';
import { fetchPage } from './page';
import { type MissingPages, PAGE_SIZE, Pages, type PagesOptions } from './pages';
import type { ApiRequest } from './request';
import { identityOf } from './seen';

/** A list of the service, and how its paging is spelled. */
export interface ListSource {
	request: ApiRequest;
	limitParameter: string;
	pageParameter: string;
}

/** What of a list is wanted. */
export interface ListFilter {
	isWanted(item: IDataObject): boolean;
	/** How many more are wanted; as the limit says when left out. */
	left?(): number;
}

export interface ListQuery extends ListSource {
	/** Number of items to return; Infinity for all. */
	limit: number;
	/** Items asked for with each page; as many as are wanted, at most 50, when left out. */
	pageSize?: number;
	/** Where to begin, as the service counts; undefined for its first page. */
	startPage?: number;
	/** Makes what picks the wanted items, anew for each reading, since it may count them; everything when left out. */
	newFilter?: () => ListFilter;
	/** What the service should have kept out by its own filters; nothing when left out. */
	isUnmatched?: (item: IDataObject) => boolean;
	/** The most pages that may be fetched at a time. */
	concurrency: number;
}

export interface ListResult {
	items: IDataObject[];
	/** How many items were read for these. */
	read: number;
	/** How many items the service gave although it should have kept them out. */
	unmatched: number;
	/** How many entries were no objects, and were left out. */
	skipped: number;
	/** How many items the service announced but did not give; undefined when that cannot be told. */
	unaccounted?: number;
	/** Whether the list moved both times that it was read, so that items may be missing. */
	mayMissItems: boolean;
	/** Whether reading was given up, since there was more than n8n can hold. */
	isEndless: boolean;
	/** Whether the service gave the same items again instead of others. */
	repeats: boolean;
	/** Pages that could not be read, if there are any; `items` holds the rest. */
	missing?: MissingPages;
}

/** A list of which some pages could not be read. */
export class IncompleteList extends Error {
	override name = 'IncompleteList';
	readonly items: IDataObject[];
	override readonly cause: unknown;
	/** The pages that are missing, as far as their numbers are known. */
	readonly pages?: string;

	constructor(items: IDataObject[], { cause, pages }: Pick<IncompleteList, 'cause' | 'pages'>) {
		super('The list could not be read to its end');
		this.items = items;
		this.cause = cause;
		this.pages = pages;
	}

	map(change: (item: IDataObject) => IDataObject): IncompleteList {
		return new IncompleteList(this.items.map(change), this);
	}
}

/** Characters of the pages with what is returned. n8n cannot store more than this: it is the longest text of JavaScript. */
const MOST_KEPT = 500_000_000;

/**
 * Reads a list, guided by what the service says of it: see `Pages`. One that moves while its pages are read is read
 * once more, one page after the other, and what is new is added.
 *
 * @throws {RequestFailure} when not even the first page could be read.
 */
export async function readList(client: Client, query: ListQuery): Promise<ListResult> {
	const reading = readGradually(client, query);
	for (;;) {
		const { done, value } = await reading.next();
		if (done) return value;
	}
}

/**
 * Reads a list as `readList` does, but only as far as somebody asks for more: gives what is wanted of each page, and
 * in the end what came of it all. With a concurrency of 1, no page is fetched ahead. What is read again comes again.
 */
export async function* readGradually(
	client: Client,
	query: ListQuery,
): AsyncGenerator<IDataObject[], ListResult> {
	const first = yield* readOnce(client, query);
	if (!first.mayMissItems || first.missing || first.isEndless) return first;
	const second = yield* readOnce(client, { ...query, concurrency: 1 });
	const items = merge(first.items, second.items);
	// What comes twice alike has not moved: the service's total counts something else.
	const isAlike = items.length === first.items.length && second.read === first.read;
	const mayMissItems = second.mayMissItems && !isAlike;
	return { ...second, items: items.slice(0, query.limit), mayMissItems };
}

async function* readOnce(
	client: Client,
	query: ListQuery,
): AsyncGenerator<IDataObject[], ListResult> {
	const { limit, startPage, concurrency, newFilter, isUnmatched = () => false } = query;
	const filter = newFilter?.();
	const items: IDataObject[] = [];
	let unmatched = 0;
	let kept = 0;
	const left = () => Math.min(limit - items.length, filter?.left?.() ?? Infinity);
	const pages: Pages = new Pages({
		...pageFetcher(client, query, query.pageSize ?? Math.min(limit, PAGE_SIZE)),
		startPage,
		prefetch: () => Math.min(client.congestion.size, concurrency),
		demand: () => (kept > MOST_KEPT ? 0 : left()),
		isThinned: filter !== undefined,
	});
	for await (const page of pages) {
		const before = items.length;
		for (const item of page) {
			if (isUnmatched(item)) unmatched++;
			if (left() > 0 && (filter?.isWanted(item) ?? true)) items.push(item);
		}
		if (items.length > before) kept += pages.latestSize;
		yield items.slice(before);
	}
	const { mayMissItems, missing, repeats, skipped } = pages;
	const isShort = left() > 0;
	const unaccounted = isShort ? pages.unaccounted : 0;
	return {
		items,
		read: pages.seen.size,
		unmatched,
		skipped,
		// A part of a list cannot be checked against its total.
		unaccounted: startPage === undefined ? unaccounted : undefined,
		mayMissItems,
		isEndless: isShort && (kept > MOST_KEPT || pages.isEndless),
		repeats,
		missing,
	};
}

/** Both readings of a list in one order: what only the second one has stands behind what it follows there. */
function merge(first: readonly IDataObject[], second: readonly IDataObject[]): IDataObject[] {
	const known = new Set<unknown>(first.map(identityOf));
	const top: IDataObject[] = [];
	const behind = new Map<unknown, IDataObject[]>();
	let place = top;
	for (const item of second) {
		const id = identityOf(item);
		if (id === undefined) continue;
		if (!known.has(id)) place.push(item);
		else behind.set(id, (place = []));
	}
	return [...top, ...first.flatMap((item) => [item, ...(behind.get(identityOf(item)) ?? [])])];
}

/** Fetches the pages of a list, for `Pages`. */
function pageFetcher(
	client: Client,
	{ request, limitParameter, pageParameter }: ListSource,
	pageSize: number,
): Pick<PagesOptions, 'fetch' | 'pageParameter'> {
	const size = [limitParameter, String(pageSize)] as const;
	return {
		pageParameter,
		fetch: async (position) => {
			if (position instanceof URL) return await fetchPage(client, request, position);
			const number = position === undefined ? [] : [[pageParameter, String(position)] as const];
			const query = [...(request.query ?? []), size, ...number];
			return await fetchPage(client, { ...request, query });
		},
	};
}
