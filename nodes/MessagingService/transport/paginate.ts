import { type IDataObject, NodeApiError } from 'n8n-workflow';
import type { ApiRequest, Client, TransportOptions } from './client';
import { Gathered } from './gather';
import { fetchPage, type Page } from './page';
import type { QueryEntry } from './url';

/** What of a list is wanted. */
export interface ListRequest {
	request: ApiRequest;
	limitParameter: string;
	pageParameter: string;
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
	/** Pages fetched at a time. */
	concurrency: number;
}

/** What came of reading a list. */
export interface ListResult {
	items: IDataObject[];
	/** How many items the service gave although it should have kept them out. */
	foreign: number;
	/** How many items the service announced but did not give; undefined when that cannot be told. */
	missing?: number;
	/** Whether the service gave the same items again instead of others. */
	cameAgain: boolean;
	/** The failure that left pages out, if there was one; `items` holds the rest. */
	failure?: { cause: unknown; pages: string };
}

/** The largest page that the service gives (interface, Limits). */
export const PAGE_SIZE = 50;

// A list that goes on without anything new is given up after so many pages.
const FRUITLESS_PAGES = 3;

/**
 * Reads a list, guided by what the service says of it.
 *
 * After the first page the rest is fetched several pages at a time as far as `total` reaches, and page
 * by page where only `links` or full pages promise more. The order is the service's; each item comes
 * once by its `id`. A page that fails for good does not lose the others: see `failure`.
 *
 * @throws {NodeApiError} when not even the first page could be read.
 */
export async function readList(
	client: Client,
	list: ListRequest,
	transport: TransportOptions,
): Promise<ListResult> {
	const gathered = new Gathered(list);
	const first = await fetchFor(client, list, transport)(list.startPage);
	gathered.take(first);
	const fetch = fetchFor(client, list, transport, list.pin?.(first));
	const failure = await readRest(client, gathered, first, list, fetch);
	return {
		items: gathered.items,
		foreign: gathered.foreign,
		missing: list.startPage === undefined ? gathered.remaining : undefined,
		cameAgain: gathered.repeatsOfFirstPage > 0 || gathered.goesInCircles,
		failure,
	};
}

/** Fetches a page by its number, or by the address that the service linked to. */
type Fetch = (page?: number | URL) => Promise<Page>;

type Failure = ListResult['failure'];

function fetchFor(
	client: Client,
	list: ListRequest,
	transport: TransportOptions,
	pin: QueryEntry[] = [],
): Fetch {
	const size = String(list.pageSize ?? Math.min(list.limit, PAGE_SIZE));
	const query = [...(list.request.query ?? []), ...pin, [list.limitParameter, size] as const];
	return async (page) => {
		if (page instanceof URL) return await fetchPage(client, list.request, transport, page);
		const number = page === undefined ? [] : [[list.pageParameter, String(page)] as const];
		const request = { ...list.request, query: [...query, ...number] };
		return await fetchPage(client, request, transport);
	};
}

async function readRest(
	client: Client,
	gathered: Gathered,
	first: Page,
	list: ListRequest,
	fetch: Fetch,
): Promise<Failure> {
	if (!goesOn(gathered, first)) return undefined;
	if (first.next && !client.isOwn(first.next)) {
		return { cause: client.foreignLink(list.request, first.next), pages: '2 and all after it' };
	}
	const linked = first.next && readPageNumber(first.next, list.pageParameter);
	if (first.next && linked === undefined) return await followLinks(gathered, first, fetch);
	if (linked !== undefined) return await countPages(gathered, first, linked, list, fetch);
	if (list.startPage !== undefined) {
		return await countPages(gathered, first, list.startPage + 1, list, fetch);
	}
	// Where the service counts from is not shown. Going on with page 1 is right either way: it is the
	// second page, or the first again, of which nothing is taken twice.
	gathered.expectRepeat();
	return await countPages(gathered, first, 1, list, fetch);
}

/** Several pages at a time, in order, as far as the service's total reaches; one by one beyond it. */
async function countPages(
	gathered: Gathered,
	first: Page,
	begin: number,
	list: ListRequest,
	fetch: Fetch,
): Promise<Failure> {
	const underWay: Array<Promise<Page | { cause: unknown }>> = [];
	const failed: number[] = [];
	let cause: unknown;
	let taken = begin - 1;
	let latest = first;

	const reach = () =>
		Math.max(
			taken + Math.ceil((gathered.remaining ?? 0) / Math.max(first.items.length, 1)),
			goesOn(gathered, latest) ? taken + 1 : 0,
		);
	const fill = () => {
		for (
			let next = taken + underWay.length + 1;
			failed.length === 0 && underWay.length < list.concurrency && next <= reach();
			next++
		) {
			underWay.push(fetch(next).catch((error: unknown) => ({ cause: error })));
		}
	};

	for (fill(); underWay.length > 0 && !gathered.isFull; fill()) {
		const page = await underWay[0];
		underWay.shift();
		taken++;
		if ('cause' in page) {
			if (failed.length === 0 && isPastTheEnd(gathered, latest, page.cause)) break;
			cause ??= page.cause;
			failed.push(taken);
			continue;
		}
		gathered.take(page);
		latest = page;
		if (gathered.fruitlessPages >= FRUITLESS_PAGES || gathered.goesInCircles) break;
	}
	// What was asked for too much must not go on behind the back of a finished run.
	await Promise.all(underWay);
	if (failed.length === 0) return undefined;
	const accountedFor = failed.length * first.items.length;
	const rest = (gathered.remaining ?? Infinity) > accountedFor;
	return { cause, pages: failed.join(', ') + (rest ? ` and all from ${taken + 1} on` : '') };
}

/** One by one, where the links say more than the number of a page. */
async function followLinks(gathered: Gathered, first: Page, fetch: Fetch): Promise<Failure> {
	const visited = new Set<string>();
	let page = first;
	for (let { next } = page; next && goesOn(gathered, page); { next } = page) {
		if (visited.has(next.href)) return undefined;
		visited.add(next.href);
		try {
			page = await fetch(next);
		} catch (cause) {
			return { cause, pages: `${next.pathname}${next.search} on` };
		}
		gathered.take(page);
	}
	return undefined;
}

/** Whether there is reason to ask for the page after this one. */
function goesOn(gathered: Gathered, page: Page): boolean {
	if (gathered.isFull || gathered.goesInCircles) return false;
	if (gathered.fruitlessPages >= FRUITLESS_PAGES) return false;
	if (page.next) return true;
	const { remaining } = gathered;
	if (page.hasLinks) return remaining !== undefined && remaining > 0;
	// Without links only an empty page is the end for certain, since the total may be wrong.
	return page.items.length > 0 && gathered.fruitlessPages <= 0;
}

/** Whether a page that nothing promised was refused: some services answer so beyond the last page. */
function isPastTheEnd(gathered: Gathered, latest: Page, cause: unknown): boolean {
	const isPromised = latest.next !== undefined || (gathered.remaining ?? 0) > 0;
	return (
		!isPromised && cause instanceof NodeApiError && ['400', '404'].includes(cause.httpCode ?? '')
	);
}

function readPageNumber(link: URL, pageParameter: string): number | undefined {
	const value = link.searchParams.get(pageParameter);
	return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
}
