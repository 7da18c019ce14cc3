import { failure, json, type Answer } from './answer.ts';
import type { Dialect } from './settings.ts';

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

interface PageRequest {
	limit?: number;
	page?: number;
	dialect: Dialect;
	/** Origin of this server, for absolute links. */
	origin: string;
	/** Path with query of the request, for the links. */
	url: string;
}

const foreignOrigin = 'https://elsewhere.example.net';

/** Serves one page in the pagination envelope of interface.md, in the dialect's way. */
export function servePage(listing: Listing, request: PageRequest): Answer {
	const { dialect } = request;
	const asked = request.limit ?? dialect.defaultPageSize;
	if (asked < 1) return failure(400, 'limit must be at least 1');

	const size = Math.floor(Math.min(asked, dialect.maxPageSize));
	const pages = Math.max(1, Math.ceil(listing.total / size));
	const index = pageIndex(request, pages);
	const served = dialect.repeatLastPage ? Math.min(index, pages - 1) : index;

	const total = reportedTotal(dialect, listing.total);
	const links = pageLinks(request, index, pages);
	return json(200, {
		data: listing.slice(served * size, size),
		...(total === undefined ? {} : { total }),
		...(links === undefined ? {} : { links }),
	});
}

function pageIndex({ page, dialect }: PageRequest, pages: number): number {
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
	{ dialect, origin, url }: PageRequest,
	index: number,
	pages: number,
): Record<string, string> | undefined {
	if (dialect.links === 'none') return undefined;
	const bases = { absolute: origin, relative: '', foreign: foreignOrigin };
	const base = bases[dialect.links];
	const [path = '', query] = url.split('?');
	const link = (target: number) => {
		const search = new URLSearchParams(query);
		search.set(dialect.customNames.pageParameter, String(target + dialect.firstPage));
		return `${base}${path}?${search.toString()}`;
	};
	const end = dialect.endLinks === 'empty' ? '' : undefined;
	const entries = {
		next: index + 1 < pages ? link(index + 1) : end,
		prev: index > 0 ? link(index - 1) : end,
		self: link(index),
	};
	return Object.fromEntries(
		Object.entries(entries).flatMap(([name, value]) =>
			value === undefined ? [] : [[name, value]],
		),
	);
}
