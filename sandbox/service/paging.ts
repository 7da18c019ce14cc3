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

/** A page, counted from 0, that no list has, and whose offset is a number like any other. */
const FAR_BEYOND = 1_000_000_000;

const foreignOrigin = 'https://elsewhere.example.net';

/** Which page is asked for; in the wrong words, it is the first one. */
interface PageQuery {
	limit?: number;
	page?: number;
}

/** Serves the page that a query asks for, in the documented envelope and the dialect's way. */
export function servePage(
	listing: Listing,
	{ limit = DEFAULT_PAGE_SIZE, page }: PageQuery,
	request: Pick<ReceivedRequest, 'origin' | 'path' | 'query'>,
	dialect: Dialect,
	pageParameter = dialect.overrideNames.pageParameter,
): Answer {
	if (limit < 1) return failure(400, 'limit must be at least 1');

	const given = Math.min(listing.total, dialect.window);
	const size = Math.floor(Math.min(limit, dialect.maxPageSize));
	const pages = Math.max(1, Math.ceil(given / size));
	const asked = cursorOf(request.query) ?? pageIndex(page, dialect);
	const index = Math.min(asked, dialect.beyondEnd === 'lastPage' ? pages - 1 : FAR_BEYOND);
	if (index >= pages && dialect.beyondEnd !== 'empty') return endOf(dialect.beyondEnd);

	const offset = index * size;
	const data = listing.slice(offset, Math.max(0, Math.min(size, given - offset)));
	return json(200, {
		data,
		total: reportedTotal(dialect, listing.total, data.length),
		links: pageLinks(request, index, pages, dialect, pageParameter),
	});
}

/** What comes behind the last page in place of a page. */
function endOf(end: Dialect['beyondEnd']): Answer {
	switch (end) {
		case 'null':
			return json(200, { data: null });
		case 'braces':
			return json(200, {});
		case 'nothing':
			return { status: 200 };
		case 204:
			return { status: 204 };
		default:
			return failure(Number(end), 'There is no such page');
	}
}

/** The page that a link with a cursor names, counted from 0. */
function cursorOf(query: string): number | undefined {
	const [, page] = /\bcursor=c(\d+)/.exec(query) ?? [];
	return page === undefined ? undefined : Number(page);
}

/** The page that a number names, counted from 0. */
function pageIndex(page: number | undefined, { ignorePage, firstPage }: Dialect): number {
	return page === undefined || ignorePage ? 0 : Math.max(0, Math.floor(page) - firstPage);
}

function reportedTotal(
	{ total, window }: Dialect,
	right: number,
	onPage: number,
): number | undefined {
	switch (total) {
		case 'right':
			return right;
		case 'ofWindow':
			return Math.min(right, window);
		case 'capped':
			return Math.min(right, 100);
		case 'ofPage':
			return onPage;
		case 'missing':
			return undefined;
		case 'tooSmall':
			return Math.floor(right / 2);
		case 'tooLarge':
			return right * 2 + 7;
	}
}

function pageLinks(
	{ origin, path, query }: Pick<ReceivedRequest, 'origin' | 'path' | 'query'>,
	index: number,
	pages: number,
	{ links, endLinks, firstPage }: Dialect,
	pageParameter: string,
): Record<string, string | undefined> | undefined {
	if (links === 'none') return undefined;
	const base = { absolute: origin, self: origin, foreign: foreignOrigin }[String(links)] ?? '';
	const link = (target: number) => {
		const search = new URLSearchParams(query);
		search.delete('cursor');
		search.delete(pageParameter);
		if (links === 'cursor') search.set('cursor', `c${target}`);
		else if (links !== 'self') search.set(pageParameter, String(target + firstPage));
		return `${base}${path}?${search.toString()}`;
	};
	if (links === 'self') return { self: link(index) };
	if (links === 'empty') return { next: '', prev: '', self: '' };
	const last = pages - 1;
	const end = endLinks === 'empty' ? '' : undefined;
	return {
		next: index < last || links === 'lastToItself' ? link(Math.min(index + 1, last)) : end,
		prev: index > 0 ? link(index - 1) : end,
		self: link(index),
	};
}
