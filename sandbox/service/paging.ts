import { failure, json, type Answer } from './answer.ts';
import type { ReceivedRequest } from './receiveLog.ts';
import type { Dialect } from './settings.ts';

/** When the request names none. */
const DEFAULT_PAGE_SIZE = 20;

/** A list as the handler has it: how many, and how to get a part of it. */
export interface Listing {
	total: number;
	slice(offset: number, count: number): unknown[];
}

/** The listing of an array. */
export function listingOf(items: readonly unknown[]): Listing {
	return {
		total: items.length,
		slice: (offset, count) => items.slice(offset, offset + count),
	};
}

const foreignOrigin = 'https://elsewhere.example.net';

/** Serves the page that a query asks for, in the documented envelope and the dialect's way. */
export function servePage(
	listing: Listing,
	{ limit: asked = DEFAULT_PAGE_SIZE, page }: { limit?: number; page?: number },
	entry: ReceivedRequest,
	dialect: Dialect,
): Answer {
	if (asked < 1) return failure(400, 'limit must be at least 1');

	const size = Math.floor(Math.min(asked, dialect.maxPageSize));
	const pages = Math.max(1, Math.ceil(listing.total / size));
	const index = pageIndex(page, pages, dialect);
	const served = dialect.repeatLastPage ? Math.min(index, pages - 1) : index;

	return json(200, {
		data: listing.slice(served * size, size),
		total: reportedTotal(dialect, listing.total),
		links: pageLinks(entry, index, pages, dialect),
	});
}

function pageIndex(page: number | undefined, pages: number, dialect: Dialect): number {
	if (page === undefined || dialect.ignorePage) return 0;
	// Far beyond the end is the same as just beyond it, and keeps offsets in the range of numbers.
	return Math.min(Math.max(0, Math.floor(page) - dialect.firstPage), pages);
}

function reportedTotal({ total }: Dialect, right: number): number | undefined {
	switch (total) {
		case 'right':
			return right;
		case 'missing':
			return undefined;
		case 'tooSmall':
			return Math.floor(right / 2);
		case 'tooLarge':
			return right * 2 + 7;
	}
}

function pageLinks(
	{ headers, path, query }: ReceivedRequest,
	index: number,
	pages: number,
	{ links, endLinks, firstPage, overrideNames }: Dialect,
): Record<string, string | undefined> | undefined {
	if (links === 'none') return undefined;
	const bases = { absolute: `http://${headers.host ?? ''}`, relative: '', foreign: foreignOrigin };
	const link = (target: number) => {
		const search = new URLSearchParams(query);
		search.set(overrideNames.pageParameter, String(target + firstPage));
		return `${bases[links]}${path}?${search.toString()}`;
	};
	const end = endLinks === 'empty' ? '' : undefined;
	return {
		next: index + 1 < pages ? link(index + 1) : end,
		prev: index > 0 ? link(index - 1) : end,
		self: link(index),
	};
}
