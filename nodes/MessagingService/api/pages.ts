import type { IDataObject } from 'n8n-workflow';
import { isObject } from './json';
import { Movement } from './movement';
import type { Page } from './page';
import { RequestFailure } from './requestFailure';
import { areAmong, Seen } from './seen';
import { readNumber } from './url';

/** The largest page that the service gives (interface, Limits). */
export const PAGE_SIZE = 50;

/** How strong the reason is to ask for another page. */
type Outlook =
	/** The service links to it, or its total is not reached. */
	| 'promised'
	/** The service says nothing either way. */
	| 'possible'
	| 'none';

/** When a list counts as read to its end. */
export interface StopPolicy {
	/** Pages in a row without a new item that are put up with. */
	patience: Record<Outlook, number>;
	/** Whether a page that is not full is the last where the service says neither a total nor links. */
	shortPageIsLast: boolean;
	/** Entries after which nothing more is read: no real list is that long. */
	mostEntries: number;
}

/** Asks once too often rather than miss something, since a total may be wrong. */
const THOROUGH: StopPolicy = {
	patience: { promised: 3, possible: 3, none: 0 },
	shortPageIsLast: false,
	// Years of a large team. A Set of JavaScript, which tells them apart, has room for 16 million.
	mostEntries: 10_000_000,
};

/** Believes the service, since somebody is waiting for the list. */
export const QUICK: StopPolicy = {
	patience: { promised: 1, possible: 1, none: 0 },
	shortPageIsLast: true,
	mostEntries: 50_000,
};

export interface PagesOptions {
	/** Gets a page: the first, one by its number as the service counts, or one that the service linked to. */
	fetch(position?: number | URL): Promise<Page>;
	/**
	 * The query parameter with the page number, which is all that is taken from a link that has it. Without one,
	 * only links are followed.
	 */
	pageParameter?: string;
	/** Where to begin, as the service counts; undefined for its first page. */
	startPage?: number;
	/** How many pages may be fetched at a time. */
	prefetch(): number;
	/** How many more items the reader takes. */
	demand?: () => number;
	stop?: StopPolicy;
}

export interface MissingPages {
	cause: unknown;
	/** Their numbers, such as "3, 4 and all from 6 on". */
	pages: string;
}

/** Characters of pages that may be under way at a time, next to the one that is being read. */
const MOST_AHEAD = 20_000_000;

/** Entries without an ID beyond the announced number: as many may be one and the same that changes. */
const MOST_UNANNOUNCED = 5_000;

/** A list that repeats itself with only a few new items in between never ends by itself. */
const REPEATED_PER_NEW = 3;
const REPEATED_AT_LEAST = 500;

/**
 * The pages of a list, one after the other in the order of the service: of each page the items that did not
 * come before, told apart by their `id`. Entries that are no objects are skipped and counted.
 *
 * After the first page, pages are fetched several at a time as far as `total` reaches, and one by one where only
 * `links` or full pages promise more. A first page that cannot be read rejects; a later one is noted as
 * `missing`, and ends the list with what was under way.
 */
export class Pages implements AsyncIterable<IDataObject[]> {
	/** Number of all items by the latest page that says it. */
	total?: number;
	missing?: MissingPages;
	/** Entries that are no objects. */
	skipped = 0;
	readonly seen = new Seen();

	private first?: Page;
	private latest?: Page;
	private readonly options: PagesOptions;
	private readonly stop: StopPolicy;
	private readonly movement = new Movement();
	/** Items that came, repeated ones included. */
	private received = 0;
	/** Characters of the largest page. */
	private largestSize = 1;
	/** Pages in a row that brought nothing new. */
	private fruitless = 0;
	/** Whether one of these brought only what the first page of the list had brought. */
	private repeatsFirst = false;

	constructor(options: PagesOptions) {
		this.options = options;
		this.stop = options.stop ?? THOROUGH;
	}

	/** How many items the service has announced and not given so far; undefined when it announces none. */
	get outstanding(): number | undefined {
		return this.total === undefined ? undefined : Math.max(this.total - this.seen.size, 0);
	}

	/** The same without those that came in after the first page. */
	get unaccounted(): number | undefined {
		if (this.total === undefined) return undefined;
		const atFirst = this.first?.total ?? this.total;
		return Math.max(Math.min(this.total, atFirst) - this.seen.size, 0);
	}

	/** Whether exactly as many items came as the service announces. */
	get isExact(): boolean {
		return this.total === this.seen.size;
	}

	/** Whether the list moved while it was read, so that an item may be missing. */
	get maySlip(): boolean {
		return this.movement.maySlip;
	}

	/** Whether the list grew as fast as it was read, so that its end was not reached. */
	get ranAway(): boolean {
		const { latest, total = 0 } = this;
		if (!this.movement.hasChanged || !latest || latest.entries.length === 0) return false;
		return this.received < total;
	}

	/** Characters of the latest page. */
	get latestSize(): number {
		return this.latest?.size ?? 0;
	}

	/** Whether so much came that the list is taken for one without an end. */
	get isEndless(): boolean {
		const { size, identified } = this.seen;
		const unannounced = size - identified - (this.total ?? Infinity);
		return this.received >= this.stop.mostEntries || unannounced >= MOST_UNANNOUNCED;
	}

	/** How many of the outstanding items the reader takes. */
	private get remaining(): number | undefined {
		return this.outstanding === undefined ? undefined : Math.min(this.outstanding, this.demand);
	}

	/** Whether the service gave the same items again instead of others. */
	get repeats(): boolean {
		return this.repeatsFirst || this.goesInCircles;
	}

	get expectsMore(): boolean {
		return !this.latest || this.wants(this.latest);
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<IDataObject[]> {
		const { fetch, pageParameter, startPage } = this.options;
		const first = await fetch(startPage);
		yield this.take(first);
		const { next: link } = first;
		const linked =
			link && pageParameter !== undefined ? readNumber(link, pageParameter) : undefined;
		if (link && linked === undefined) yield* this.followLinks(first);
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
			const wanted = Math.ceil((this.remaining ?? 0) / size);
			const room = Math.floor(MOST_AHEAD / this.largestSize);
			return Math.min(this.options.prefetch(), Math.max(Math.min(wanted, room), 1));
		};
		const prefetch = () => {
			for (let pages = expected(); underWay.length < pages; ) {
				underWay.push(this.attempt(next + underWay.length));
			}
		};

		try {
			for (prefetch(); underWay.length > 0 && !this.isOver; prefetch()) {
				const isSideBySide = underWay.length > 1;
				const page = await underWay[0];
				underWay.shift();
				const number = next++;
				if (!('cause' in page)) {
					latest = this.withoutLinkBack(page, number);
					const isCounted = !(mayRepeatFirst && number === begin);
					yield this.take(latest, { isCounted, isSideBySide });
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
		const rest = (this.remaining ?? Infinity) > failed.length * size;
		this.missing.pages = failed.join(', ') + (rest ? ` and all from ${next} on` : '');
	}

	/** A page whose link to the next leads to itself, or to an earlier one, as if it had no links: they say nothing. */
	private withoutLinkBack(page: Page, number: number): Page {
		const { next } = page;
		const linked = next && readNumber(next, this.options.pageParameter ?? '');
		return linked !== undefined && linked <= number
			? { ...page, next: undefined, hasLinks: false }
			: page;
	}

	/** One by one, where the links say more than the number of a page. */
	private async *followLinks(first: Page): AsyncGenerator<IDataObject[]> {
		let page = first;
		for (let number = 2; page.next && this.wants(page); number++) {
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

	/** Notes what a page says and gives its new items. */
	private take(page: Page, { isCounted = true, isSideBySide = false } = {}): IDataObject[] {
		const { entries, total } = page;
		this.first ??= page;
		this.latest = page;
		this.largestSize = Math.max(this.largestSize, page.size);
		this.total = total ?? this.total;
		const fresh = this.seen.add(entries);
		const known = entries.length - fresh.length;
		this.received += entries.length;
		const { identified } = this.seen;
		this.movement.note({ total, fresh: fresh.length, known, identified, isSideBySide });
		if (fresh.length > 0) {
			this.fruitless = 0;
			this.repeatsFirst = false;
		} else if (isCounted) {
			this.fruitless++;
			this.repeatsFirst ||= known > 0 && areAmong(entries, this.first.entries);
		}
		const items = fresh.filter(isObject);
		this.skipped += fresh.length - items.length;
		return items;
	}

	private get demand(): number {
		return this.options.demand?.() ?? Infinity;
	}

	private get goesInCircles(): boolean {
		return this.received > REPEATED_PER_NEW * this.seen.size + REPEATED_AT_LEAST;
	}

	/** Whether nothing more is taken, whatever the service promises. */
	private get isOver(): boolean {
		const { promised } = this.stop.patience;
		return this.demand <= 0 || this.goesInCircles || this.isEndless || this.fruitless >= promised;
	}

	private wants(page: Page): boolean {
		return !this.isOver && this.fruitless < this.stop.patience[this.outlook(page)];
	}

	private outlook(page: Page): Outlook {
		if (page.next || (this.remaining ?? 0) > 0) return 'promised';
		if (page.hasLinks || page.entries.length === 0) return 'none';
		return this.stop.shortPageIsLast && this.isShort(page) ? 'none' : 'possible';
	}

	private isShort({ entries, total }: Page): boolean {
		return entries.length < (total === undefined ? (this.first?.entries.length ?? 0) : PAGE_SIZE);
	}

	/** Whether a page that nothing promised was refused: some services answer so beyond the last page. */
	private isPastTheEnd(latest: Page, cause: unknown): boolean {
		if (this.outlook(latest) === 'promised' || !(cause instanceof RequestFailure)) return false;
		return cause.status === 400 || cause.status === 404;
	}
}
