import type { IDataObject } from 'n8n-workflow';
import { exactIdOf, isObject } from './json';
import { type Doubt, IncompleteList } from './incompleteList';
import type { ListEndpoint } from './listEndpoints';
import { type ListRange, type Page, pageSizeOf } from './page';
import { RequestFailure } from './request';

/** This many pages in a row that are empty or half repeats end a list. A total may be wrong, so one is not enough. */
const MAX_PAGES_WITHOUT_PROGRESS = 3;
/** The most characters in all pages together. n8n stores them as one string, which cannot be much longer. */
const MAX_CHARACTERS = 500_000_000;

/** How a list has ended; `unconfirmedEnd` when the next page was refused, and nothing tells whether there was more. */
type End = 'inOrder' | 'unconfirmedEnd' | 'repeats' | 'tooLong';

/**
 * How far a list was read, page by page: tells what is new on each page, whether the list is over, and whether something
 * is missing from it then.
 */
export class ListProgress {
	/** What identifies the entries that were read. */
	readonly seen = new Set<string | number>();
	/** Whether several pages are fetched at a time, from the second one on. */
	isParallel = false;
	/** Length of the longest page in characters. */
	largestPage = 0;
	/** Whether entries moved between pages meanwhile, so that some may have been passed over. */
	private hasMoved = false;
	private readonly endpoint: ListEndpoint;
	private readonly range: ListRange;
	private pages = 0;
	private latest?: Page;
	private end?: End;
	/** The smallest total that a page announced. A later one may count entries that came in meanwhile. */
	private total?: number;
	private characters = 0;
	/** The most entries on a page before the latest. */
	private mostEntries = 0;
	/** How many pages in a row, up to the latest, were empty or at least half repeats. */
	private pagesWithoutProgress = 0;

	constructor(endpoint: ListEndpoint, range: ListRange) {
		this.endpoint = endpoint;
		this.range = range;
	}

	/** Adds the next page, and gives its entries that were not on the pages before. */
	add(page: Page): IDataObject[] {
		const { entries, size } = page;
		// Some services count only the entries of each page.
		const total = this.seen.size > 0 && page.total === entries.length ? undefined : page.total;
		const fresh = entries.filter((entry) => this.isNew(identityOf(entry)));
		if (this.latest) {
			this.noteMoves(this.latest, page, total, fresh.length);
			this.mostEntries = Math.max(this.mostEntries, this.latest.entries.length);
		}
		this.latest = page;
		this.pages++;
		if (total !== undefined) this.total = Math.min(total, this.total ?? total);
		this.characters += size;
		this.largestPage = Math.max(this.largestPage, size);
		this.pagesWithoutProgress =
			fresh.length > entries.length / 2 ? 0 : this.pagesWithoutProgress + 1;
		this.end = this.findEnd(page);
		return fresh.filter(isObject);
	}

	/** Notes that the next page failed. If it did so as services do beyond the end, the list is over. */
	noteFailure(failure: unknown): void {
		const { latest, missing } = this;
		const status = failure instanceof RequestFailure ? failure.status : undefined;
		if (!latest || latest.next !== undefined || status === undefined) return;
		// The total promises more; but it may be too large, if the links say that the list has ended.
		if (missing && !latest.isLast) return;
		const isUsualBeyondEnd = [400, 404].includes(status);
		const isFull = this.isFull(latest);
		if (missing === 0) {
			// The total is reached; but it may be too small, or count only the entries of this one page.
			const isExact =
				this.total === this.seen.size && !(isFull && this.total === latest.entries.length);
			this.end = isUsualBeyondEnd || isExact ? 'inOrder' : 'unconfirmedEnd';
		} else if (isUsualBeyondEnd) {
			// A page that is not full was the last one. But the service may not know page numbers at all.
			const isNumberRefused = status === 400 && this.pages === 1;
			this.end = isFull || isNumberRefused ? 'unconfirmedEnd' : 'inOrder';
		}
	}

	/** Whether to read the list once more: entries may have been passed over. */
	get isToRepeat(): boolean {
		return this.hasMoved && this.end !== 'tooLong';
	}

	/** Whether the list is over. */
	get isOver(): boolean {
		return this.end !== undefined;
	}

	/** Whether it has read an entry. */
	has(entry: IDataObject): boolean {
		return this.seen.has(identityOf(entry));
	}

	/** How many entries the total promises that did not come yet; undefined when that cannot be told. */
	get missing(): number | undefined {
		// From a start page on, nobody knows how much of the total was on the pages before it.
		if (this.total === undefined || this.range.startPage !== undefined) return undefined;
		return Math.max(this.total - this.seen.size, 0);
	}

	/**
	 * What is to be said of a list that is over.
	 *
	 * @returns Why entries may be missing; undefined when it is whole, unless an entry was removed and another one added.
	 * @throws {IncompleteList} when entries are certainly missing.
	 */
	conclude(): Doubt | undefined {
		const { end, endpoint, missing } = this;
		if (end === 'tooLong') throw new IncompleteList(endpoint);
		if (end === 'repeats' && missing) throw new IncompleteList(endpoint, { missing });
		if (this.hasMoved) return { kind: 'moved' };
		if (missing) return { kind: 'short', missing };
		// Once the total is reached, a repeated page only means that there are no others.
		if (end === 'repeats' && missing === undefined) return { kind: 'repeats' };
		return end === 'unconfirmedEnd' ? { kind: 'unconfirmedEnd' } : undefined;
	}

	/** Why a list has ended with a page, by the first rule that applies; undefined when there may be more of it. */
	private findEnd(page: Page): End | undefined {
		const { next, isLast, entries } = page;
		const isEmpty = entries.length === 0;
		const isWithoutProgress = this.pagesWithoutProgress >= MAX_PAGES_WITHOUT_PROGRESS;
		if (this.characters > MAX_CHARACTERS) return 'tooLong';
		// If the latest page is empty and links to no other, the list is over, whatever its total says.
		if (isWithoutProgress && isEmpty && next === undefined) return 'inOrder';
		if (isWithoutProgress) return 'repeats';
		// A link promises another page, and so does the total.
		if (next !== undefined || this.missing) return undefined;
		// Nothing promises one, so an empty page ends the list. So do links that say that this page is the last; but not
		// beside a total that is too small, nor on a full page without a total.
		const isDoubtful = this.total === undefined ? this.isFull(page) : this.total < this.seen.size;
		return isEmpty || (isLast && !isDoubtful) ? 'inOrder' : undefined;
	}

	/** Whether a page has as many entries as a page can have: a service may give fewer than it was asked for. */
	private isFull({ entries }: Page): boolean {
		const asked = pageSizeOf(this.range);
		return entries.length >= Math.min(asked, this.mostEntries || asked);
	}

	private isNew(id: string | number): boolean {
		const { size } = this.seen;
		return this.seen.add(id).size > size;
	}

	/**
	 * Notes whether entries moved since the page before. Removed entries pull later ones up, onto pages that were already
	 * read. New entries push others down: pages read one after the other only repeat some then, but of pages read in
	 * parallel, one may be read before the push and the one above it after the push.
	 */
	private noteMoves(before: Page, page: Page, total: number | undefined, fresh: number): void {
		const growth = before.total === undefined || total === undefined ? 0 : total - before.total;
		const overlaps = fresh > 0 && fresh < page.entries.length;
		this.hasMoved ||= growth < 0 || (this.isParallel && (growth > 0 || overlaps));
	}
}

/** What identifies an entry: its ID, or all of its JSON where it has none. */
function identityOf(entry: unknown): string | number {
	return exactIdOf(entry) ?? JSON.stringify(entry);
}
