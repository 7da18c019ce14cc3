import type { IDataObject } from 'n8n-workflow';
import type { Client } from './client';
import { fetchPage, type Page } from './page';
import { type MissingPages, PAGE_SIZE, Pages, type PagesOptions } from './pages';
import type { ApiRequest } from './request';
import type { Seen } from './seen';
import type { QueryEntry } from './url';

/** A list of the service, and how its paging is spelled. */
export interface ListSource {
	request: ApiRequest;
	limitParameter: string;
	pageParameter: string;
}

export interface ListQuery extends ListSource {
	/** Number of items to return; Infinity for all. */
	limit: number;
	/** Items asked for with each page; as many as are wanted, at most 50, when left out. */
	pageSize?: number;
	/** Where to begin, as the service counts; undefined for its first page. */
	startPage?: number;
	/**
	 * What keeps items out that are newer than the first page, for a list that moves while it is read. Whether the
	 * service understands it is checked; none where it returns undefined.
	 */
	pin?: (first: Page) => QueryEntry[] | undefined;
	/** What of the service's items is wanted; everything when left out. */
	keep?: (item: IDataObject) => boolean;
	/** What the service should have kept out; everything that is not kept when left out. */
	isForeign?: (item: IDataObject) => boolean;
	/** The most pages that may be fetched at a time. */
	concurrency: number;
}

export interface ListResult {
	items: IDataObject[];
	/** How many items the service gave although it should have kept them out. */
	foreign: number;
	/** How many entries were no objects, and were left out. */
	skipped: number;
	/** How many items the service announced but did not give; undefined when that cannot be told. */
	unaccounted?: number;
	/** Whether the list moved each time while it was read, so that items may be missing. */
	isUnsettled: boolean;
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

/** How often a list that moves is read one page after the other. */
const CAREFUL_READINGS = 3;

/** One way to read a list from its beginning. */
interface Way {
	concurrency: number;
	pin?: ListQuery['pin'];
	/** Whether it ends as soon as the list moves, for the next way to do better. */
	isTentative: boolean;
}

interface Reading {
	result: ListResult;
	/** Whether nothing can have slipped past it. */
	isSettled: boolean;
	seen: Seen;
}

/**
 * Reads a list, guided by what the service says of it: see `Pages`. One that moves while its pages are read side
 * by side is read again: first as it was at the first page, if the service can do that, else page by page.
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
	for (const way of tentativeWays(query)) {
		const { result, isSettled } = yield* readOnce(client, query, way);
		if (isSettled) return result;
	}
	let earlier: Seen | undefined;
	for (let readings = 1; ; readings++) {
		const way = { concurrency: 1, isTentative: false };
		const { result, isSettled, seen } = yield* readOnce(client, query, way);
		// What comes twice alike has not moved: the service's total counts something else.
		if (isSettled || (earlier && seen.isSameAs(earlier))) return result;
		if (readings === CAREFUL_READINGS) return { ...result, isUnsettled: true };
		earlier = seen;
	}
}

function tentativeWays({ concurrency, limit, startPage, pin }: ListQuery): Way[] {
	if (concurrency === 1) return [];
	const quick: Way = { concurrency, isTentative: true };
	// A part of a list cannot be checked against its total.
	const isWhole = limit === Infinity && startPage === undefined;
	return pin && isWhole ? [quick, { ...quick, pin }] : [quick];
}

async function* readOnce(
	client: Client,
	query: ListQuery,
	way: Way,
): AsyncGenerator<IDataObject[], Reading> {
	const { limit, startPage, keep = () => true, isForeign = (item) => !keep(item) } = query;
	const items: IDataObject[] = [];
	let foreign = 0;
	let kept = 0;
	const pages: Pages = new Pages({
		...pageFetcher(() => client, query, query.pageSize ?? Math.min(limit, PAGE_SIZE), way.pin),
		startPage,
		prefetch: () => Math.min(client.congestion.size, way.concurrency),
		demand: () => {
			const isGivenUp = kept > MOST_KEPT || (way.isTentative && pages.maySlip);
			return isGivenUp ? 0 : limit - items.length;
		},
	});
	// Many pages may be there at once, and thousands of items may look for something else in each entry.
	const slices = client.slices();
	for await (const page of pages) {
		const before = items.length;
		for (const item of page) {
			if (isForeign(item)) foreign++;
			if (keep(item) && items.length < limit) items.push(item);
			const pause = slices.next();
			if (pause) await pause;
		}
		if (items.length > before) kept += pages.latestSize;
		yield items.slice(before);
	}
	const { isExact, missing, repeats, skipped } = pages;
	const isShort = items.length < limit;
	const isEndless = isShort && (kept > MOST_KEPT || pages.isEndless);
	const isMoving = pages.maySlip || (isShort && pages.ranAway);
	const unaccounted = isShort ? pages.unaccounted : 0;
	return {
		// A bound that nobody set is believed only where everything came that was announced without it.
		isSettled: isEndless || (!isMoving && (way.pin === undefined || (isExact && !missing))),
		seen: pages.seen,
		result: {
			items,
			foreign,
			skipped,
			unaccounted: startPage === undefined ? unaccounted : undefined,
			isUnsettled: false,
			isEndless,
			repeats,
			missing,
		},
	};
}

/**
 * Fetches the pages of a list, for `Pages`.
 *
 * @param clientNow the client to fetch with, asked for before each page
 */
export function pageFetcher(
	clientNow: () => Client,
	{ request, limitParameter, pageParameter }: ListSource,
	pageSize: number,
	pin?: ListQuery['pin'],
): Pick<PagesOptions, 'fetch' | 'pageParameter'> {
	const size = [limitParameter, String(pageSize)] as const;
	let pinned: QueryEntry[] | undefined;
	return {
		pageParameter,
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
