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
	/** The query parameter with the page number. Without one, only links are followed. */
	pageParameter?: string;
	/** Where to begin, as the service counts; undefined for its first page. */
	startPage?: number;
	/** How many pages may be fetched at a time. */
	prefetch(): number;
	/** How many more items the reader takes. */
	demand?: () => number;
	/** Whether the reader takes only some of the items, so that its demand does not say how far it reads. */
	isThinned?: boolean;
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
/** Characters of pages that may be under way at a time, beside the one that is being read. */
const MOST_AHEAD = 20_000_000;
/** Entries without an ID beyond the announced number: as many may be one and the same that changes. */
const MOST_UNANNOUNCED = 5_000;
/** A list that repeats itself with only a few new items in between never ends by itself. */
const REPEATED_PER_NEW = 3;
const REPEATED_AT_LEAST = 500;

/**
 * One reading of a list, page by page in the order of the service: of each page the items that did not come before,
 * told apart by their `id`. Entries that are no objects are skipped and counted.
 *
 * Where the pages are numbered, several are fetched at a time, as far as `total` reaches. Where links say more than a
 * number, and beyond the total, they are fetched one by one. A first page that cannot be read rejects; a later one is
 * noted as `missing`, and ends the list with what was under way.
 */
export class Pages implements AsyncIterable<IDataObject[]> {
	missing?: MissingPages;
	/** Entries that are no objects. */
	skipped = 0;
	readonly seen = new Seen();

	private first?: Page;
	private latest?: Page;
	private readonly options: PagesOptions;
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
	/** Whether a link led to a page that was read before. */
	private linksBack = false;
	/** Whether one of these brought only what the first page of the list had brought. */
	private repeatsFirst = false;
	private highestTotal = 0;
	private hasGrown = false;
	private hasShrunk = false;
	/** Whether a page had both new entries and entries of an earlier page. */
	private overlaps = false;
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

	/**
	 * Whether the list moved so that an item may have slipped past the reader. New entries push the others down: read
	 * one after the other, pages only repeat some then, but side by side, one may be read before the push and the one
	 * above it after. Entries that are taken away pull the others up, out of the pages that are still to be read.
	 */
	get mayMissItems(): boolean {
		// A total that is less than what came counts something else, such as the entries of each page.
		const isTotalTrusted = this.highestTotal >= this.seen.identified;
		const hasChanged = this.hasGrown || this.hasShrunk;
		if (this.isSideBySide && (this.overlaps || (hasChanged && isTotalTrusted))) return true;
		return (this.hasShrunk && isTotalTrusted) || (hasChanged && this.endsEarly);
	}

	/** Whether there was so much of it, or so little for so many pages, that it is taken for one without an end. */
	get isEndless(): boolean {
		const { size, identified } = this.seen;
		const unannounced = size - identified - (this.total ?? Infinity);
		if (this.emptyPages >= MOST_EMPTY) return true;
		return this.received >= MOST_ENTRIES || unannounced >= MOST_UNANNOUNCED;
	}

	/** Whether the service gave the same items again instead of others. */
	get repeats(): boolean {
		const isCutOff = this.isTired && this.latest?.next !== undefined;
		return this.repeatsFirst || this.goesInCircles || this.linksBack || isCutOff;
	}

	/** Characters of the latest page. */
	get latestSize(): number {
		return this.latest?.size ?? 0;
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<IDataObject[]> {
		const { fetch, pageParameter, startPage } = this.options;
		const first = await fetch(startPage);
		yield this.take(first);
		const linked = first.next && readNumber(first.next, pageParameter ?? '');
		if (first.next && linked === undefined) yield* this.followLinks(first);
		else if (linked !== undefined) yield* this.countFrom(linked, first);
		else if (startPage !== undefined) yield* this.countFrom(startPage + 1, first);
		// Where the service counts from is not shown. Page 1 is right either way: it is the second page, or
		// the first again, of which nothing is taken twice.
		else if (pageParameter !== undefined) yield* this.countFrom(1, first, { mayRepeatFirst: true });
	}

	/** Several pages at a time, as far as the total reaches; one by one beyond it. */
	private async *countFrom(
		begin: number,
		first: Page,
		{ mayRepeatFirst = false } = {},
	): AsyncGenerator<IDataObject[]> {
		const size = Math.max(first.entries.length, 1);
		const underWay: Array<Promise<Page | { cause: unknown }>> = [];
		const failed: number[] = [];
		let next = begin;
		let latest = first;

		const expected = () => {
			if (failed.length > 0 || !this.wants(latest)) return 0;
			const promised = Math.ceil((this.remaining ?? 0) / size);
			const room = Math.floor(MOST_AHEAD / this.largestSize);
			return Math.min(this.options.prefetch(), Math.max(Math.min(promised, room), 1));
		};
		const prefetch = () => {
			for (let pages = expected(); underWay.length < pages; ) {
				underWay.push(this.attempt(next + underWay.length));
			}
		};

		try {
			for (prefetch(); underWay.length > 0 && !this.isOver; prefetch()) {
				this.isSideBySide ||= underWay.length > 1;
				const page = await underWay[0];
				underWay.shift();
				const number = next++;
				if (!('cause' in page)) {
					latest = this.withoutLinkBack(page, number);
					yield this.take(latest, { mayRepeat: mayRepeatFirst && number === begin });
					continue;
				}
				if (failed.length === 0 && this.isPastTheEnd(latest, page.cause)) break;
				failed.push(number);
				this.missing ??= { cause: page.cause, pages: '' };
			}
		} finally {
			// What was prefetched must not go on behind the back of a finished run.
			await Promise.all(underWay);
		}
		if (!this.missing) return;
		const rest = this.options.isThinned ? this.outstanding : this.remaining;
		const isMore = (rest ?? Infinity) > failed.length * size;
		this.missing.pages = failed.join(', ') + (isMore ? ` and all from ${next} on` : '');
	}

	/** A page whose link leads to itself or back says nothing by its links. */
	private withoutLinkBack(page: Page, number: number): Page {
		const linked = page.next && readNumber(page.next, this.options.pageParameter ?? '');
		const leadsBack = linked !== undefined && linked <= number;
		return leadsBack ? { ...page, next: undefined, hasLinks: false } : page;
	}

	/** One by one, where the links say more than the number of a page. */
	private async *followLinks(first: Page): AsyncGenerator<IDataObject[]> {
		let page = first;
		const followed = new Set<string>();
		for (let number = 2; page.next && this.wants(page); number++) {
			this.linksBack = followed.has(page.next.href);
			if (this.linksBack) return;
			followed.add(page.next.href);
			const next = await this.attempt(page.next);
			if ('cause' in next) {
				this.missing = { cause: next.cause, pages: `${number} and all after it` };
				return;
			}
			page = next;
			yield this.take(page);
		}
	}

	private async attempt(position: number | URL): Promise<Page | { cause: unknown }> {
		try {
			return await this.options.fetch(position);
		} catch (cause) {
			return { cause };
		}
	}

	/** Notes what a page says, and gives its new items. */
	private take(page: Page, { mayRepeat = false } = {}): IDataObject[] {
		const { entries, total, next } = page;
		this.first ??= page;
		this.latest = page;
		this.largestSize = Math.max(this.largestSize, page.size);
		this.noteTotal(total);
		const fresh = this.seen.add(entries);
		const known = entries.length - fresh.length;
		this.received += entries.length;
		this.overlaps ||= fresh.length > 0 && known > 0;
		if (fresh.length > 0) {
			this.vainPages = 0;
			this.emptyPages = 0;
			this.repeatsFirst = false;
		} else if (entries.length === 0 && next) {
			this.emptyPages++;
		} else if (!mayRepeat) {
			this.vainPages++;
			this.repeatsFirst ||= known > 0 && areAmong(entries, this.first.entries);
		}
		const items = fresh.filter(isObject);
		this.skipped += fresh.length - items.length;
		return items;
	}

	private noteTotal(total: number | undefined): void {
		if (total === undefined) return;
		this.hasGrown ||= total > (this.total ?? total);
		this.hasShrunk ||= total < (this.total ?? total);
		this.highestTotal = Math.max(this.highestTotal, total);
		this.total = total;
	}

	/** How many items the service has announced and not given so far; undefined when it announces none. */
	private get outstanding(): number | undefined {
		return this.total === undefined ? undefined : Math.max(this.total - this.seen.size, 0);
	}

	/** How many of the outstanding items the reader takes. */
	private get remaining(): number | undefined {
		return this.outstanding === undefined ? undefined : Math.min(this.outstanding, this.demand);
	}

	private get demand(): number {
		return this.options.demand?.() ?? Infinity;
	}

	/** Whether reading stopped before the place where the list ends by its total. */
	private get endsEarly(): boolean {
		const { latest, received, total = 0 } = this;
		return this.demand > 0 && latest?.entries.length !== 0 && received < total;
	}

	private get goesInCircles(): boolean {
		return this.received > REPEATED_PER_NEW * this.seen.size + REPEATED_AT_LEAST;
	}

	private get isTired(): boolean {
		return this.vainPages >= MOST_VAIN;
	}

	/** Whether nothing more is taken, whatever the service promises. */
	private get isOver(): boolean {
		return this.demand <= 0 || this.goesInCircles || this.isEndless || this.isTired;
	}

	private wants(page: Page): boolean {
		return !this.isOver && (this.promisesMore(page) || this.mayHaveMore(page));
	}

	/** Whether the service links to another page, or its total is not reached. */
	private promisesMore({ next }: Page): boolean {
		return next !== undefined || (this.remaining ?? 0) > 0;
	}

	/** Whether the service says nothing of another page either way. */
	private mayHaveMore({ hasLinks, entries }: Page): boolean {
		return !hasLinks && entries.length > 0;
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

/** Whether all entries of a page are among the others. */
function areAmong(entries: readonly unknown[], others: readonly unknown[]): boolean {
	const seen = new Seen();
	seen.add(others);
	return seen.add(entries).length === 0;
}
