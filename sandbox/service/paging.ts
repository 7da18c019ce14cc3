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

	const given = Math.min(listing.total, dialect.window);
	const size = Math.floor(Math.min(asked, dialect.maxPageSize));
	const pages = Math.max(1, Math.ceil(given / size));
	const index = pageIndex(page, pages, dialect);
	const isBeyond = index >= pages;
	if (isBeyond && dialect.beyondEnd !== 'lastPage') {
		const end = endOf(dialect.beyondEnd);
		if (end) return end;
	}
	const served = isBeyond && dialect.beyondEnd === 'lastPage' ? pages - 1 : index;
	const offset = served * size;

	return json(200, {
		data: listing.slice(offset, Math.max(0, Math.min(size, given - offset))),
		total: reportedTotal(dialect, listing.total),
		links: pageLinks(entry, index, pages, dialect),
	});
}

/** What comes behind the last page in place of a page; undefined for one without entries. */
function endOf(end: Exclude<Dialect['beyondEnd'], 'lastPage'>): Answer | undefined {
	switch (end) {
		case 'empty':
			return undefined;
		case 'null':
			return json(200, { data: null });
		case 'braces':
			return json(200, {});
		case 'nothing':
			return { status: 200 };
		case 204:
			return { status: 204 };
		default:
			return failure(end, 'There is no such page');
	}
}

function pageIndex(page: number | undefined, pages: number, dialect: Dialect): number {
	if (page === undefined || dialect.ignorePage) return 0;
	// Far beyond the end is the same as just beyond it, and keeps offsets in the range of numbers.
	return Math.min(Math.max(0, Math.floor(page) - dialect.firstPage), pages);
}

function reportedTotal({ total, window }: Dialect, right: number): number | undefined {
	switch (total) {
		case 'right':
			return right;
		case 'ofWindow':
			return Math.min(right, window);
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
