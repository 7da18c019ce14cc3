import type { IDataObject } from 'n8n-workflow';
import { asObject, isId, isObject } from './json';
import type { ListSource } from './listSources';
import { type Page, PAGE_SIZE } from './pages';
import { RequestFailure } from './request';

/** Picks the wanted items of a list as they are read, and may count them. */
export interface ListFilter {
	/** Takes an item if it is wanted, and returns whether it did. */
	take(item: IDataObject): boolean;
	/** Forgets the items that it has taken, since the list is read again from its beginning. */
	restart?(): void;
	/** Whether no more items are wanted, although the limit is not reached. */
	isSatisfied?(): boolean;
	/** About how many entries to fetch ahead for the items that are still wanted; one for each when left out. */
	readAhead?(): number;
}

/** How much of a list to read, and how. */
export interface ListQuery extends ListSource {
	/** Number of items to return; Infinity for all. */
	limit: number;
	/** Page size to ask for; the limit, but at most 50, when left out. */
	pageSize?: number;
	/** Number of the page to begin with, as the service counts; its first page when left out. */
	startPage?: number;
	/** Picks the wanted items; everything is wanted when left out. */
	filter?: ListFilter;
	/** Whether the service's own filters should have kept an item out; never when left out. */
	isUnmatched?: (item: IDataObject) => boolean;
	/** The most pages that may be fetched at a time; 32 when left out. With 1, none is fetched ahead. */
	concurrency?: number;
}

/** How many entries are asked for with each page. */
export function pageSizeOf({ limit, pageSize = Math.min(limit, PAGE_SIZE) }: ListQuery): number {
	return pageSize;
}

/** The result of reading a list. */
export interface ListResult {
	items: IDataObject[];
	/** How many different entries were read to find these items. */
	read: number;
	/** How many items the service returned although its filters should have kept them out. */
	unmatched: number;
	/** Why and where reading ended too early, if it did. */
	gap?: ListGap;
	/**
	 * What else is wrong with the list. Without a gap or a problem, all items are here, or as many as were wanted; unless
	 * the total hid a move: an entry was removed while it was read, and another one added.
	 */
	problems: readonly ListProblem[];
}

/** The part of a list that could not be read. */
export interface ListGap {
	/** Why it is missing. */
	cause: unknown;
	/** The pages that are missing, where their numbers are known: such as "3 and all after it". */
	pages?: string;
}

export type ListProblem =
	/** The list is larger than n8n can hold, so reading was given up. */
	| { kind: 'tooLong' }
	/** The service repeated entries, and so many others never came. */
	| { kind: 'repeats'; missing: number }
	/** The service repeated entries, and no total tells whether others are missing. */
	| { kind: 'mayRepeat' }
	/** The list ended normally, but with so many fewer entries than its total. */
	| { kind: 'short'; missing: number }
	/** The service refused the page after a full one, and no total tells whether the list went on there. */
	| { kind: 'refused' }
	/** These pages were empty, although later pages had entries. */
	| { kind: 'emptyPages'; numbers: readonly number[] }
	/** Entries moved between pages each time that the list was read, so some may be missing. */
	| { kind: 'moved' };

/** A list that lacks some items, with those that were read. */
export class IncompleteList extends Error {
	override name = 'IncompleteList';
	readonly items: IDataObject[];
	readonly pages?: string;

	constructor(items: IDataObject[], { cause, pages }: ListGap) {
		super('The list could not be read to its end', { cause });
		this.items = items;
		this.pages = pages;
	}
}

/** This many pages in a row that are empty or half repeats end a list. A total may be wrong, so one is not enough. */
const MAX_USELESS_PAGES = 3;
/** The most characters in all pages together. n8n cannot store more: this is the longest string of JavaScript. */
const MAX_LIST_CHARACTERS = 500_000_000;

/**
 * Collects the pages of a list: the wanted items in the order of the service, without duplicates by `id`. Decides when
 * the list has ended, and what is wrong with it then.
 */
export class ListSoFar {
	private readonly query: ListQuery;
	private readonly items: IDataObject[] = [];
	/** The identities of all entries that were read. */
	private readonly seen = new Set<string | number>();
	private latest: Page;
	/** The smallest total that a page announced. A later one may count entries that came in meanwhile. */
	private total?: number;
	private characters = 0;
	private unmatched = 0;
	/** How many pages in a row, up to the latest, were empty or at least half repeats. */
	private uselessPages = 0;
	/** Numbers of the pages without entries, and of the last one with new entries. */
	private readonly emptyPages: number[] = [];
	private lastFilledPage = 0;
	private hasMoved = false;
	/** Whether the page after the latest one failed, and nothing tells whether there was more. */
	private endIsUncertain = false;

	constructor(query: ListQuery, first: Page) {
		this.query = query;
		this.latest = first;
		this.add(first, query.startPage ?? 1);
	}

	/** Notes what the next page says, and takes its wanted items. */
	take(page: Page, number: number): void {
		const before = this.latest;
		const fresh = this.add(page, number);
		this.hasMoved ||= this.showsMove(before, page, fresh);
	}

	/** Adds a page to what came before, and tells how many of its entries are new. */
	private add(page: Page, number: number): number {
		const { entries, total, size } = page;
		const fresh = entries.filter((entry) => this.isNew(identityOf(entry)));
		this.latest = page;
		if (total !== undefined) this.total = Math.min(total, this.total ?? total);
		this.characters += size;
		this.uselessPages = fresh.length > entries.length / 2 ? 0 : this.uselessPages + 1;
		if (fresh.length > 0) this.lastFilledPage = number;
		else if (entries.length === 0 && this.seen.size > 0) this.emptyPages.push(number);
		for (const item of fresh.filter(isObject)) {
			if (this.query.isUnmatched?.(item)) this.unmatched++;
			if (!this.hasEnough && (this.query.filter?.take(item) ?? true)) this.items.push(item);
		}
		return fresh.length;
	}

	/** Why the list has ended, by the first rule that applies; undefined when there may be more of it. */
	private get end(): 'enough' | 'tooLong' | 'repeats' | 'inOrder' | undefined {
		const { next, isLast, entries } = this.latest;
		if (this.hasEnough) return 'enough';
		if (this.characters > MAX_LIST_CHARACTERS) return 'tooLong';
		// If the latest page is empty and links to no other, the list is over, whatever its total says.
		if (this.uselessPages >= MAX_USELESS_PAGES) {
			return next !== undefined || entries.length > 0 ? 'repeats' : 'inOrder';
		}
		// From a start page on, the total says nothing: an empty page ends the list.
		const isPastEnd = this.query.startPage !== undefined && entries.length === 0;
		// A link or the total promises another page.
		if (next !== undefined || (this.remaining > 0 && !isPastEnd)) return undefined;
		// Nothing promises one. Unless the links say that this page is the last, only an empty page ends the list.
		return isLast || entries.length === 0 ? 'inOrder' : undefined;
	}

	/** Whether the list has ended. */
	get isOver(): boolean {
		return this.end !== undefined;
	}

	/** What is wrong with the end of the list, if anything. */
	private get problemOfEnd(): ListProblem | undefined {
		const { end, missing } = this;
		if (end === 'enough') return undefined;
		if (end === 'tooLong') return { kind: 'tooLong' };
		const repeats = end === 'repeats';
		// Once the total is reached, a repeated page only means that there are no others.
		if (missing === undefined) return repeats ? { kind: 'mayRepeat' } : undefined;
		return missing > 0 ? { kind: repeats ? 'repeats' : 'short', missing } : undefined;
	}

	/** Notes that the next page failed: whether as some services do it beyond the last page, so that the list is over. */
	noteFailure(failure: unknown): boolean {
		const { query, latest } = this;
		// With a start page, nobody knows how much of the total was on the pages before it. And a total may be too large.
		const isAnnounced = query.startPage === undefined && this.remaining > 0 && !latest.isLast;
		if (isAnnounced || latest.next !== undefined) return false;
		const status = failure instanceof RequestFailure ? failure.status : undefined;
		if (status === undefined) return false;
		const isUsualBeyondEnd = [400, 404].includes(status);
		if (this.missing === 0) {
			// The total is reached; but it may be too small.
			this.endIsUncertain = !isUsualBeyondEnd;
			return true;
		}
		// A page that is not full was the last one.
		const isFull = latest.entries.length >= pageSizeOf(query);
		this.endIsUncertain = isUsualBeyondEnd && isFull && this.total === undefined;
		return isUsualBeyondEnd;
	}

	/** The result of what was read; with a gap when reading ended too early. */
	result(gap?: ListGap): ListResult {
		const { items, seen, unmatched, problemOfEnd } = this;
		const problems = problemOfEnd ? [problemOfEnd] : [];
		const numbers = this.emptyPages.filter((number) => number < this.lastFilledPage);
		if (numbers.length > 0) problems.push({ kind: 'emptyPages', numbers });
		if (this.endIsUncertain) problems.push({ kind: 'refused' });
		if (this.hasMoved) problems.push({ kind: 'moved' });
		return { items, read: seen.size, unmatched, gap, problems };
	}

	/** How many entries are left to fetch: those that the total promises and that did not come, if they are wanted. */
	get remaining(): number {
		if (this.hasEnough) return 0;
		const wanted = this.query.filter?.readAhead?.() ?? this.query.limit - this.items.length;
		return Math.max(Math.min((this.total ?? 0) - this.seen.size, wanted), 0);
	}

	/** How many entries of the whole list did not come; undefined when that cannot be told. */
	private get missing(): number | undefined {
		// A part of a list cannot be checked against its total.
		if (this.total === undefined || this.query.startPage !== undefined) return undefined;
		return Math.max(this.total - this.seen.size, 0);
	}

	private get hasEnough(): boolean {
		return this.items.length >= this.query.limit || this.query.filter?.isSatisfied?.() === true;
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
	private showsMove(before: Page, page: Page, fresh: number): boolean {
		const { total = before.total ?? 0 } = page;
		const growth = total - (before.total ?? total);
		const overlaps = fresh > 0 && fresh < page.entries.length;
		return growth < 0 || (this.query.concurrency !== 1 && (growth > 0 || overlaps));
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
