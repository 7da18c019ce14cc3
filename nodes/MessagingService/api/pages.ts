import type { IDataObject } from 'n8n-workflow';
import { isObject } from './json';
import type { Page } from './page';
import { RequestFailure } from './requestFailure';
import { Seen } from './seen';
import { readNumber } from './url';

/** The largest page that the service gives (interface, Limits). */
export const PAGE_SIZE = 50;

export interface PagesOptions {
	/** Gets a page: the first, one by its number as the service counts, or one that the service linked to. */
	fetch(position?: number | URL): Promise<Page>;
	/** The query parameter with the page number. */
	pageParameter: string;
	/** Where to begin, as the service counts; undefined for its first page. */
	startPage?: number;
	/** How many pages may be fetched at a time. */
	prefetch(): number;
	/** How many more items the reader takes. */
	demand(): number;
	/** Whether the reader takes only some of the items, so that its demand does not say how far it reads. */
	isThinned: boolean;
}

export interface MissingPages {
	cause: unknown;
	/** Their numbers, such as "3, 4 and all from 6 on". */
	pages: string;
}

/** Pages in a row that only repeat entries, or are empty and lead nowhere. A total may be wrong, so one is not enough. */
const MOST_VAIN = 3;
/** Empty pages in a row that link to a next one, as a service gives them that filters after paging. */
const MOST_EMPTY = 1_000;
/** No real list has so many entries. */
const MOST_ENTRIES = 10_000_000;
/** A list that repeats itself with only a few new items in between never ends by itself. */
const REPEATED_PER_NEW = 3;
const REPEATED_AT_LEAST = 500;
/** Characters of pages that may be under way at a time, beside the one that is being read. */
const MOST_AHEAD = 20_000_000;

/** A page that could not be read. */
interface Failed {
	cause: unknown;
}

/**
 * One reading of a list, page by page in the order of the service: of each page the items that did not come before,
 * told apart by their `id`. Entries that are no objects are skipped and counted.
 *
 * Where the pages are numbered, several are fetched at a time, as far as `total` reaches. Where a link says more than a
 * number, and beyond the total, they are fetched one by one. A first page that cannot be read rejects; a later one is
 * noted as `missing`, and ends the list with what was under way.
 */
export class Pages implements AsyncIterable<IDataObject[]> {
	missing?: MissingPages;
	/** Entries that are no objects. */
	skipped = 0;
	/**
	 * Whether items may have slipped past the reader. Entries that are taken away pull the others up, out of the pages
	 * that are still to be read. New ones push them down: read one after the other, pages only repeat some then, but side
	 * by side, one may be read before the push and the one above it after.
	 */
	mayMissItems = false;
	readonly seen = new Seen();

	private readonly options: PagesOptions;
	private first?: Page;
	private latest?: Page;
	/** Number of all items by the latest page that says it. */
	private total?: number;
	/** Entries that came, repeated ones included. */
	private received = 0;
	/** Characters of the largest page. */
	private largestSize = 1;
	/** Pages in a row that brought nothing new, but for the empty ones that link to a next page. */
	private vainPages = 0;
	/** Empty pages since the last new entry that link to a next page. */
	private emptyPages = 0;
	/** Whether the first page came again instead of another one, or a link led back. */
	private leadsBack = false;
	private isSideBySide = false;

	constructor(options: PagesOptions) {
		this.options = options;
	}

	/**
	 * How many items the service has announced and not given, without those that came in after the first page;
	 * undefined when it announces none.
	 */
	get unaccounted(): number | undefined {
		const added = Math.max((this.total ?? 0) - (this.first?.total ?? this.total ?? 0), 0);
		return this.outstanding === undefined ? undefined : Math.max(this.outstanding - added, 0);
	}

	/** Whether there was so much of it, or so little for so many pages, that it is taken for one without an end. */
	get isEndless(): boolean {
		return this.emptyPages >= MOST_EMPTY || this.received >= MOST_ENTRIES;
	}

	/** Whether the service gave the same items again instead of others. */
	get repeats(): boolean {
		const isCutOff = this.vainPages >= MOST_VAIN && this.latest?.next !== undefined;
		return this.leadsBack || this.goesInCircles || isCutOff;
	}

	/** Characters of the latest page. */
	get latestSize(): number {
		return this.latest?.size ?? 0;
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<IDataObject[]> {
		const { fetch, startPage } = this.options;
		let latest = await fetch(startPage);
		yield this.take(latest);
		const size = Math.max(latest.entries.length, 1);
		const linked = latest.next && this.numberIn(latest.next);
		let link = linked === undefined ? latest.next : undefined;
		const followed = new Set(link && [link.href]);
		// Where the service counts from is not shown. Page 1 is right either way: it is the second page, or the first
		// again, of which nothing is taken twice.
		let number = link ? 2 : (linked ?? (startPage ?? 0) + 1);
		let mayRepeat = latest.next === undefined && startPage === undefined;
		const underWay: Array<Promise<Page | Failed>> = [];
		const failed: number[] = [];

		try {
			while (!this.isOver) {
				const most = failed.length === 0 && this.wants(latest) ? this.mostAtOnce(link, size) : 0;
				while (underWay.length < most) {
					underWay.push(this.attempt(link ?? number + underWay.length));
				}
				this.isSideBySide ||= underWay.length > 1;
				const page = await underWay.shift();
				if (!page) break;
				const current = number++;
				if ('cause' in page) {
					if (failed.length === 0 && this.isPastTheEnd(latest, page.cause)) break;
					failed.push(current);
					this.missing ??= { ...page, pages: '' };
					continue;
				}
				latest = link ? page : this.withoutLinkBack(page, current);
				yield this.take(latest, mayRepeat);
				mayRepeat = false;
				if (!link) continue;
				link = page.next;
				if (!link) break;
				this.leadsBack = followed.has(link.href);
				if (this.leadsBack) break;
				followed.add(link.href);
			}
		} finally {
			// What was prefetched must not go on behind the back of a finished run.
			await Promise.all(underWay);
		}
		if (!this.missing) return;
		const rest = this.options.isThinned ? this.outstanding : this.remaining;
		const isMore = (rest ?? Infinity) > failed.length * size;
		this.missing.pages = failed.join(', ') + (isMore ? ` and all from ${number} on` : '');
	}

	private numberIn(link: URL): number | undefined {
		return readNumber(link, this.options.pageParameter);
	}

	/** How many pages may be under way: one where the next is only known by its link, or where no total reaches further. */
	private mostAtOnce(link: URL | undefined, size: number): number {
		if (link) return 1;
		const promised = Math.ceil((this.remaining ?? 0) / size);
		const room = Math.floor(MOST_AHEAD / this.largestSize);
		return Math.min(this.options.prefetch(), Math.max(Math.min(promised, room), 1));
	}

	private async attempt(position: number | URL): Promise<Page | Failed> {
		try {
			return await this.options.fetch(position);
		} catch (cause) {
			return { cause };
		}
	}

	/** A page whose link leads to itself or back says nothing by its links. */
	private withoutLinkBack(page: Page, number: number): Page {
		const linked = page.next && this.numberIn(page.next);
		const leadsBack = linked !== undefined && linked <= number;
		return leadsBack ? { ...page, next: undefined, hasLinks: false } : page;
	}

	/**
	 * Notes what a page says, and gives its new items.
	 *
	 * @param mayRepeat whether it may be the first page again for a good reason
	 */
	private take(page: Page, mayRepeat = false): IDataObject[] {
		const { entries, total = this.total, next } = page;
		this.first ??= page;
		this.latest = page;
		this.largestSize = Math.max(this.largestSize, page.size);
		const fresh = this.seen.add(entries);
		const overlaps = fresh.length > 0 && fresh.length < entries.length;
		const change = (total ?? 0) - (this.total ?? total ?? 0);
		this.mayMissItems ||= change < 0 || (this.isSideBySide && (change > 0 || overlaps));
		this.total = total;
		this.received += entries.length;
		if (fresh.length > 0) {
			this.vainPages = 0;
			this.emptyPages = 0;
			this.leadsBack = false;
		} else if (entries.length === 0 && next) {
			this.emptyPages++;
		} else if (!mayRepeat) {
			this.vainPages++;
			this.leadsBack ||= entries.length > 0 && isAlike(entries, this.first.entries);
		}
		const items = fresh.filter(isObject);
		this.skipped += fresh.length - items.length;
		return items;
	}

	/** How many items the service has announced and not given so far; undefined when it announces none. */
	private get outstanding(): number | undefined {
		return this.total === undefined ? undefined : Math.max(this.total - this.seen.size, 0);
	}

	/** How many of the outstanding items the reader takes. */
	private get remaining(): number | undefined {
		return this.outstanding === undefined
			? undefined
			: Math.min(this.outstanding, this.options.demand());
	}

	private get goesInCircles(): boolean {
		return this.received > REPEATED_PER_NEW * this.seen.size + REPEATED_AT_LEAST;
	}

	/** Whether nothing more is taken, whatever the service promises. */
	private get isOver(): boolean {
		const isInVain = this.vainPages >= MOST_VAIN || this.goesInCircles;
		return this.options.demand() <= 0 || isInVain || this.isEndless;
	}

	/** Whether there may be a page after this one: the service promises it, or says nothing of it either way. */
	private wants(page: Page): boolean {
		return this.promisesMore(page) || (!page.hasLinks && page.entries.length > 0);
	}

	/** Whether the service links to another page, or its total is not reached. */
	private promisesMore({ next }: Page): boolean {
		return next !== undefined || (this.remaining ?? 0) > 0;
	}

	/** Whether a page that nothing promised was refused: some services answer so beyond the last page. */
	private isPastTheEnd(latest: Page, cause: unknown): boolean {
		// Of a total, nobody knows how much was on the pages before the start page.
		const isPromised =
			this.options.startPage === undefined ? this.promisesMore(latest) : latest.next !== undefined;
		if (isPromised || !(cause instanceof RequestFailure)) return false;
		return cause.status === 400 || cause.status === 404;
	}
}

function isAlike(entries: readonly unknown[], others: readonly unknown[]): boolean {
	return JSON.stringify(entries) === JSON.stringify(others);
}
