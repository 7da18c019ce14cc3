import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { Answer, Answerer } from './api';
import type { VirtualClock } from './virtualClock';

/** How a service pages its lists. */
export interface Dialect {
	firstPage: 0 | 1;
	/** How it links its pages: as addresses, by the query alone, with empty texts only, or not at all. */
	links: 'absolute' | 'relative' | 'empty' | 'none';
	total: 'right' | 'missing' | 'tooSmall' | 'tooLarge';
	/** What it cuts larger pages down to. */
	maxPageSize: number;
	/** What it calls the number of a page. */
	pageParameter: string;
	ignoresPage: boolean;
	/** Whether it gives its last page again beyond the end, instead of an empty one. */
	repeatsLastPage: boolean;
	/** How many new items come in, at the top of the list, before each request but the first. */
	newItems: number;
}

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
	answerer(clock: VirtualClock, latencies: readonly number[] = [0]): Answerer {
		return async (request) => {
			const answer = this.answer(request);
			await clock.wait(latencies[this.requests % latencies.length]);
			return answer;
		};
	}

	private answer({ url }: IHttpRequestOptions): Answer {
		if (this.requests++ > 0) this.receiveNewItems();
		if (this.requests > MOST_REQUESTS) return { statusCode: 500, body: 'too many requests' };
		const query = new URL(url).searchParams;
		const size = Math.min(Number(query.get('limit')), this.dialect.maxPageSize);
		const page = this.pageOf(query, size);
		if (this.fails(page)) return { statusCode: 503, body: '' };
		const data = this.items.slice(page * size, (page + 1) * size);
		const body = { data, ...this.totalOf(), ...this.linksOf(page, size) };
		return { statusCode: 200, body: JSON.stringify(body) };
	}

	private receiveNewItems(): void {
		const { newItems } = this.dialect;
		const batch = this.requests;
		const items = Array.from({ length: newItems }, (_, i) => ({ id: `new-${batch}-${i}` }));
		this.items = [...items, ...this.items];
	}

	/** The page that is meant, counted from 0. */
	private pageOf(query: URLSearchParams, size: number): number {
		const { ignoresPage, repeatsLastPage, firstPage, pageParameter } = this.dialect;
		if (ignoresPage) return 0;
		const page = Number(query.get(pageParameter) ?? firstPage) - firstPage;
		const last = Math.max(Math.ceil(this.items.length / size) - 1, 0);
		return repeatsLastPage ? Math.min(page, last) : page;
	}

	private fails(page: number): boolean {
		const failed = this.failed.get(page) ?? 0;
		this.failed.set(page, failed + 1);
		return this.faults.some((fault) => fault.page === page && failed < fault.times);
	}

	private totalOf(): { total?: number } {
		const { length } = this.items;
		switch (this.dialect.total) {
			case 'right':
				return { total: length };
			case 'tooSmall':
				return { total: Math.floor(length / 2) };
			case 'tooLarge':
				return { total: length * 2 + 7 };
			case 'missing':
				return {};
		}
	}

	private linksOf(page: number, size: number): { links?: IDataObject } {
		if (this.dialect.links === 'none') return {};
		const { firstPage, pageParameter, links } = this.dialect;
		const base = links === 'absolute' ? ORIGIN + PATH : '';
		const link = (number: number, exists: boolean) =>
			links === 'empty' || !exists
				? ''
				: `${base}?limit=${size}&${pageParameter}=${number + firstPage}`;
		return {
			links: {
				self: link(page, true),
				prev: link(page - 1, page > 0),
				next: link(page + 1, (page + 1) * size < this.items.length),
			},
		};
	}
}
