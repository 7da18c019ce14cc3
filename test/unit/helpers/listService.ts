import type { IDataObject } from 'n8n-workflow';
import type { Clock } from '../../../nodes/MessagingService/api/time';
import type { Http, HttpRequest, ApiResponse } from '../../../nodes/MessagingService/api/request';
import { type Listing, servePage } from '../../../sandbox/service/paging';
import { defaultSettings, type Dialect as AnyDialect } from '../../../sandbox/service/settings';
import { response } from './api';

/** How a service links its pages. */
export const LINKS = [
	'absolute',
	'relative',
	'lastToItself',
	'cursor',
	'self',
	'empty',
	'none',
] as const satisfies Array<AnyDialect['links']>;
/** What it counts. */
export const TOTALS = [
	'right',
	'ofWindow',
	'capped',
	'ofPage',
	'missing',
	'tooSmall',
	'tooLarge',
] as const satisfies Array<AnyDialect['total']>;
/** What it gives behind its last page. */
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
] as const satisfies Array<AnyDialect['beyondEnd']>;

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
		const { newItems, lostItems, ignoresPage, pageParameter, ...own } = this.dialect;
		if (this.requests++ > 0) this.change(newItems, lostItems);
		if (this.requests > MOST_REQUESTS) return response(500, 'too many requests');
		const { origin, pathname, search, searchParams } = new URL(url);
		const limit = Number(searchParams.get('limit'));
		const page = searchParams.get(pageParameter);
		let served: number | undefined;
		const listing: Listing = {
			total: this.items.length,
			slice: (offset, count) => {
				served = offset / Math.min(limit, own.maxPageSize);
				return this.items.slice(offset, offset + count);
			},
		};
		const { status, body } = servePage(
			listing,
			{ limit, ...(page !== null && { page: Number(page) }) },
			{ origin, path: pathname, query: search.slice(1) },
			{ ...defaultSettings.dialect, ...own, ignorePage: ignoresPage },
			pageParameter,
		);
		if (served !== undefined && this.fails(served)) return response(503);
		return response(status, body === undefined ? '' : JSON.stringify(body));
	}

	private change(newItems: number, lostItems: number): void {
		const batch = this.requests;
		const items = Array.from({ length: newItems }, (_, i) => ({ id: `new-${batch}-${i}` }));
		this.items = [...items, ...this.items.slice(lostItems)];
	}

	private fails(page: number): boolean {
		const failed = this.failed.get(page) ?? 0;
		this.failed.set(page, failed + 1);
		return this.faults.some((fault) => fault.page === page && failed < fault.times);
	}
}
