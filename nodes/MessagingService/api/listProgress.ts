import type { IDataObject } from 'n8n-workflow';
import { asObject, isId, isObject } from './json';
import { type Doubt, IncompleteList } from './incompleteList';
import type { ListEndpoint } from './listEndpoints';
import { type Page, PAGE_SIZE } from './page';
import { RequestFailure } from './request';

/** Which part of a list is wanted. */
export interface ListRange {
	/** Number of entries; Infinity for all. */
	limit: number;
	/** Number of the page to begin with, as the service counts; its first page when left out. */
	startPage?: number;
}

/** The page size to ask for: where the user counts pages, one has as many entries as are wanted. */
export function pageSizeOf({ limit, startPage }: ListRange): number {
	return startPage === undefined ? PAGE_SIZE : Math.min(limit, PAGE_SIZE);
}

/** This many pages in a row that are empty or half repeats end a list. A total may be wrong, so one is not enough. */
const MAX_USELESS_PAGES = 3;
/** The most characters in all pages together. n8n cannot store more: this is the longest string of JavaScript. */
const MAX_CHARACTERS = 500_000_000;

/**
 * How far a list was read, page by page: tells what is new on each page, whether the list is over, and whether something
 * is missing from it then.
 */
export class ListProgress {
	/** What identifies the entries that were read. */
	readonly seen = new Set<string | number>();
	/** Whether entries moved between pages meanwhile, so that some may have been passed over. */
	hasMoved = false;
	private readonly endpoint: ListEndpoint;
	private readonly range: ListRange;
	/** Whether pages are fetched one after the other, so that entries which are added only repeat others. */
	private readonly isSequential: boolean;
	private latest?: Page;
	/** The smallest total that a page announced. A later one may count entries that came in meanwhile. */
	private total?: number;
	private characters = 0;
	/** How many pages in a row, up to the latest, were empty or at least half repeats. */
	private uselessPages = 0;
	/** Numbers of the pages without entries, and of the last one with new entries. */
	private readonly emptyPages: number[] = [];
	private lastFilledPage = 0;
	/** Whether the page after the latest one was refused, and nothing tells whether there was more. */
	private endIsUncertain = false;

	constructor(endpoint: ListEndpoint, range: ListRange, isSequential: boolean) {
		this.endpoint = endpoint;
		this.range = range;
		this.isSequential = isSequential;
	}

	/** Adds the next page, and gives its entries that were not on the pages before. */
	add(page: Page, number: number): IDataObject[] {
		const { entries, size } = page;
		// Some services count only the entries of each page.
		const total = this.seen.size > 0 && page.total === entries.length ? undefined : page.total;
		const fresh = entries.filter((entry) => this.isNew(identityOf(entry)));
		if (this.latest) this.hasMoved ||= this.showsMove(this.latest, page, total, fresh.length);
		this.latest = page;
		if (total !== undefined) this.total = Math.min(total, this.total ?? total);
		this.characters += size;
		this.uselessPages = fresh.length > entries.length / 2 ? 0 : this.uselessPages + 1;
		if (fresh.length > 0) this.lastFilledPage = number;
		else if (entries.length === 0 && this.seen.size > 0) this.emptyPages.push(number);
		return fresh.filter(isObject);
	}

	/** Whether it has read an entry. */
	has(entry: IDataObject): boolean {
		return this.seen.has(identityOf(entry));
	}

	/** Whether the list is over. */
	get isOver(): boolean {
		return this.end !== undefined;
	}

	/** How many entries the total promises that were not read yet. */
	get remaining(): number {
		return Math.max((this.total ?? 0) - this.seen.size, 0);
	}

	/** Notes that the next page failed. Tells whether it did as some services do beyond the end, so the list is over. */
	endsWith(failure: unknown): boolean {
		const { next, isLast, entries } = this.latestPage;
		// With a start page, nobody knows how much of the total was on the pages before it. And a total may be too large.
		const isAnnounced = this.range.startPage === undefined && this.remaining > 0 && !isLast;
		if (isAnnounced || next !== undefined) return false;
		const status = failure instanceof RequestFailure ? failure.status : undefined;
		if (status === undefined) return false;
		const isUsualBeyondEnd = [400, 404].includes(status);
		const isFull = entries.length >= pageSizeOf(this.range);
		if (this.missing === 0) {
			// The total is reached; but it may be too small, or count only the entries of this one page.
			const isExact = this.total === this.seen.size && !(isFull && this.total === entries.length);
			this.endIsUncertain = !isUsualBeyondEnd && !isExact;
			return true;
		}
		// A page that is not full was the last one.
		this.endIsUncertain = isUsualBeyondEnd && isFull && this.total === undefined;
		return isUsualBeyondEnd;
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
		const skipped = this.emptyPages.filter((number) => number < this.lastFilledPage);
		if (skipped.length > 0) {
			throw new IncompleteList(endpoint, { pages: `page ${skipped.join(', ')}` });
		}
		if (this.hasMoved) return { kind: 'moved' };
		// Once the total is reached, a repeated page only means that there are no others.
		if (end === 'repeats' && missing === undefined)
			return { kind: 'repeats', read: this.seen.size };
		if (missing) return { kind: 'short', missing };
		return this.endIsUncertain ? { kind: 'short' } : undefined;
	}

	/** Why the list has ended, by the first rule that applies; undefined when there may be more of it. */
	private get end(): 'tooLong' | 'repeats' | 'inOrder' | undefined {
		const { next, isLast, entries } = this.latestPage;
		const isEmpty = entries.length === 0;
		const isUseless = this.uselessPages >= MAX_USELESS_PAGES;
		if (this.characters > MAX_CHARACTERS) return 'tooLong';
		// If the latest page is empty and links to no other, the list is over, whatever its total says.
		if (isUseless && isEmpty && next === undefined) return 'inOrder';
		if (isUseless) return 'repeats';
		// A link promises another page.
		if (next !== undefined) return undefined;
		// So does the total; but from a start page on it says nothing, and an empty page ends the list.
		const isPastEnd = isEmpty && this.range.startPage !== undefined;
		if (this.remaining > 0 && !isPastEnd) return undefined;
		// Nothing promises one, so an empty page ends the list. So do links that say that this page is the last; but not
		// beside a total that is too small, nor on a full page without a total.
		const isFull = entries.length >= pageSizeOf(this.range);
		const isDoubtful = this.total === undefined ? isFull : this.total < this.seen.size;
		return isEmpty || (isLast && !isDoubtful) ? 'inOrder' : undefined;
	}

	private get latestPage(): Page {
		if (!this.latest) throw new Error('No page was read');
		return this.latest;
	}

	/** How many entries of the whole list did not come; undefined when that cannot be told. */
	private get missing(): number | undefined {
		// A part of a list cannot be checked against its total.
		if (this.total === undefined || this.range.startPage !== undefined) return undefined;
		return this.remaining;
	}

	private isNew(id: string | number): boolean {
		const { size } = this.seen;
		return this.seen.add(id).size > size;
	}

	/**
	 * Whether a page shows that entries moved so that some may have been missed. Removed entries pull later ones up, onto
	 * pages that were already read. New entries push others down: pages read one after the other only repeat some then,
	 * but of pages read in parallel, one may be read before the push and the one above it after the push.
	 */
	private showsMove(before: Page, page: Page, total: number | undefined, fresh: number): boolean {
		const growth = before.total === undefined || total === undefined ? 0 : total - before.total;
		const overlaps = fresh > 0 && fresh < page.entries.length;
		return growth < 0 || (!this.isSequential && (growth > 0 || overlaps));
	}
}

/** What identifies an entry: its ID, or all of its JSON where it has none. */
function identityOf(entry: unknown): string | number {
	return exactIdOf(entry) ?? JSON.stringify(entry);
}

/** The ID of an entry; undefined when it has none, or none that is exact. */
export function exactIdOf(entry: unknown): string | number | undefined {
	const { id } = asObject(entry);
	return isId(id) ? id : undefined;
}
