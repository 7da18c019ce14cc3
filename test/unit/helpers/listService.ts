import type { IDataObject } from 'n8n-workflow';
import type { Clock } from '../../../nodes/MessagingService/api/time';
import type { Http, HttpRequest, ApiResponse } from '../../../nodes/MessagingService/api/request';
import { response } from './api';

/**
 * How a service links its pages: as addresses, by the query alone, by the query and from the last page to itself, by a
 * cursor instead of a number, each page only to itself, with empty texts only, or not at all.
 */
export const LINKS = [
	'absolute',
	'relative',
	'lastToItself',
	'cursor',
	'self',
	'empty',
	'none',
] as const;
/** What it counts: all entries, no more than its window, at most a hundred, those of each page, nothing, or wrongly. */
export const TOTALS = [
	'right',
	'ofWindow',
	'capped',
	'ofPage',
	'missing',
	'tooSmall',
	'tooLarge',
] as const;
/**
 * What it gives behind its last page: no entries, no list in several ways, its last page again, or a status. An empty list
 * is given in the same way.
 */
export const ENDS = [
	'empty',
	'null',
	'braces',
	'nothing',
	204,
	'lastPage',
	400,
	404,
	416,
	422,
] as const;

/** How a service pages its lists. */
export interface Dialect {
	firstPage: 0 | 1;
	links: (typeof LINKS)[number];
	total: (typeof TOTALS)[number];
	/** What it cuts larger pages down to. */
	maxPageSize: number;
	/** What it calls the number of a page. */
	pageParameter: string;
	ignoresPage: boolean;
	beyondEnd: (typeof ENDS)[number];
	/** It gives no more than so many entries of a list, as if that were its end. */
	window: number;
	/** How many new items come in, at the top of the list, before each request but the first. */
	newItems: number;
	/** How many items are taken away from the top of the list, before each request but the first. */
	lostItems: number;
}

/** A service as the interface describes it. */
export const PLAIN: Dialect = {
	firstPage: 1,
	links: 'absolute',
	total: 'right',
	maxPageSize: 50,
	pageParameter: 'page',
	ignoresPage: false,
	beyondEnd: 'empty',
	window: Infinity,
	newItems: 0,
	lostItems: 0,
};

/** A page that fails with status 503, counted from 0, so often. */
export interface Fault {
	page: number;
	times: number;
}

const PATH = '/api/public/messages';
const ORIGIN = 'https://messaging.example.com';

// Ends a test that would otherwise go on for ever.
const MOST_REQUESTS = 2_000;

/** A service in memory that gives a list, page by page. */
export class ListService {
	requests = 0;
	/** How many requests are not answered yet. */
	underWay = 0;

	private readonly dialect: Dialect;
	private readonly faults: readonly Fault[];
	private readonly failed = new Map<number, number>();
	private items: readonly IDataObject[];

	constructor(dialect: Dialect, items: readonly IDataObject[], faults: readonly Fault[] = []) {
		this.dialect = dialect;
		this.items = items;
		this.faults = faults;
	}

	/** Answers requests; how long each takes comes from `latencies`, over and over. */
	http(clock: Clock, latencies: readonly number[] = [0]): Http {
		return async (request) => {
			this.underWay++;
			const answer = this.answer(request);
			await clock.wait(latencies[this.requests % latencies.length]);
			this.underWay--;
			return answer;
		};
	}

	private answer({ url }: HttpRequest): ApiResponse {
		const { newItems, lostItems, beyondEnd, maxPageSize, window } = this.dialect;
		if (this.requests++ > 0) this.change(newItems, lostItems);
		if (this.requests > MOST_REQUESTS) return response(500, 'too many requests');
		const query = new URL(url).searchParams;
		const given = this.items.slice(0, window);
		const size = Math.min(Number(query.get('limit')), maxPageSize);
		const last = Math.max(Math.ceil(given.length / size) - 1, 0);
		const asked = this.pageOf(query);
		const isBeyond = asked > last && beyondEnd !== 'empty' && beyondEnd !== 'lastPage';
		if (isBeyond) return endOf(beyondEnd);
		const page = beyondEnd === 'lastPage' ? Math.min(asked, last) : asked;
		if (this.fails(page)) return response(503);
		const data = given.slice(page * size, (page + 1) * size);
		const links = this.linksOf(page, size, last);
		return response(200, JSON.stringify({ data, ...this.totalOf(data.length), ...links }));
	}

	private change(newItems: number, lostItems: number): void {
		const batch = this.requests;
		const items = Array.from({ length: newItems }, (_, i) => ({ id: `new-${batch}-${i}` }));
		this.items = [...items, ...this.items.slice(lostItems)];
	}

	/** The page that is meant, counted from 0. */
	private pageOf(query: URLSearchParams): number {
		const { ignoresPage, firstPage, pageParameter } = this.dialect;
		const cursor = query.get('cursor');
		if (cursor !== null) return Number(cursor.slice(1));
		return ignoresPage ? 0 : Number(query.get(pageParameter) ?? firstPage) - firstPage;
	}

	private fails(page: number): boolean {
		const failed = this.failed.get(page) ?? 0;
		this.failed.set(page, failed + 1);
		return this.faults.some((fault) => fault.page === page && failed < fault.times);
	}

	private totalOf(onPage: number): { total?: number } {
		const { length } = this.items;
		switch (this.dialect.total) {
			case 'right':
				return { total: length };
			case 'ofWindow':
				return { total: Math.min(length, this.dialect.window) };
			case 'capped':
				return { total: Math.min(length, 100) };
			case 'ofPage':
				return { total: onPage };
			case 'tooSmall':
				return { total: Math.floor(length / 2) };
			case 'tooLarge':
				return { total: length * 2 + 7 };
			case 'missing':
				return {};
		}
	}

	private linksOf(page: number, size: number, last: number): { links?: IDataObject } {
		const { firstPage, pageParameter, links } = this.dialect;
		if (links === 'none') return {};
		if (links === 'self') return { links: { self: `${ORIGIN}${PATH}?limit=${size}` } };
		const base = links === 'absolute' ? ORIGIN + PATH : '';
		const link = (number: number, exists: boolean) => {
			if (links === 'empty' || !exists) return '';
			const position =
				links === 'cursor' ? `cursor=c${number}` : `${pageParameter}=${number + firstPage}`;
			return `${base}?limit=${size}&${position}`;
		};
		return {
			links: {
				self: link(page, true),
				prev: link(page - 1, page > 0),
				next:
					links === 'lastToItself'
						? link(Math.min(page + 1, last), true)
						: link(page + 1, page < last),
			},
		};
	}
}

/** The answer behind the last page. */
function endOf(end: Exclude<Dialect['beyondEnd'], 'empty' | 'lastPage'>): ApiResponse {
	if (typeof end === 'number') return response(end, '');
	return response(200, { null: '{"data":null}', braces: '{}', nothing: '' }[end]);
}
