import type { IDataObject } from 'n8n-workflow';
import { type Doubt, IncompleteList } from './incompleteList';
import { identityOf, isObject } from './json';
import type { ListEndpoint } from './listEndpoints';
import { type Page, PAGE_SIZE } from './page';
import { RequestFailure } from './request';

/** This many pages in a row that are empty or half repeats end a list. A total may be wrong, so one is not enough. */
const MAX_PAGES_WITHOUT_PROGRESS = 3;

/**
 * How far a list was read, page by page: tells what is new on each page, whether the list is over, and whether something
 * is missing from it then. Another page is promised by a link, or by a total that is not reached; the end is announced by
 * a total that is reached, or by links to no other page. Neither is always right:
 *
 * |                            | a page is promised  | nothing tells  | the end is announced           |
 * | -------------------------- | ------------------- | -------------- | ------------------------------ |
 * | a page with entries        | read on             | read on        | over, if all agree, see isOver |
 * | a page without entries     | read on             | over           | over                           |
 * | three pages, nothing new   | over, lacks entries | over, in doubt | over                           |
 * | the next page is refused   | lacks entries       | over, in doubt | over                           |
 * | the next page fails        | lacks entries       | lacks entries  | over, in doubt                 |
 */
export class ListProgress {
	/** What identifies the entries that were read. */
	readonly seen = new Set<string | number>();
	/** Whether entries moved between pages meanwhile, so that some may have been passed over. */
	hasMoved = false;
	private readonly endpoint: ListEndpoint;
	private latest?: Page;
	/** The smallest total that a page announced. A later one may count entries that came in meanwhile. */
	private total?: number;
	/** Whether the links lead from page to page; false if they did not, although there was another page. */
	private areLinksRight?: boolean;
	/** How many pages in a row, up to the latest, were empty or at least half repeats. */
	private pagesWithoutProgress = 0;
	/** Whether nothing tells if there is another page than those that were read. */
	private isUnconfirmed = false;

	constructor(endpoint: ListEndpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Adds the next page, and gives its entries that were not on the pages before.
	 *
	 * @param isParallel whether it was fetched beside others
	 */
	add(page: Page, isParallel: boolean): IDataObject[] {
		const { entries } = page;
		// Some services count only the entries of each page.
		const total = this.seen.size > 0 && page.total === entries.length ? undefined : page.total;
		const fresh = entries.filter((entry) => this.isNew(entry));
		const isMixed = fresh.length > 0 && fresh.length < entries.length;
		this.noteMoves(total, isMixed, isParallel);
		if (this.latest?.next !== undefined) this.areLinksRight ??= true;
		else if (this.latest?.isLast && fresh.length > 0) this.areLinksRight = false;
		this.latest = page;
		if (total !== undefined) this.total = Math.min(total, this.total ?? total);
		const hasProgress = fresh.length > entries.length / 2;
		this.pagesWithoutProgress = hasProgress ? 0 : this.pagesWithoutProgress + 1;
		return fresh.filter(isObject);
	}

	/** Whether a page was read. */
	get hasBegun(): boolean {
		return this.latest !== undefined;
	}

	/** Whether the list is over with the latest page. */
	get isOver(): boolean {
		if (this.isWithoutProgress) return true;
		if (!this.latest) return false;
		const { next, entries } = this.latest;
		if (next !== undefined || this.missing) return false;
		if (entries.length === 0) return true;
		// Links may be the same on all pages, and a total may be that of a page, or of no more entries than the service counts.
		const isOnlyPage = this.seen.size === entries.length;
		const isReached = isOnlyPage && this.isTotalCredible;
		return this.isLastByLinks && (this.areLinksRight === true || isReached);
	}

	private get isLastByLinks(): boolean {
		return this.latest?.isLast === true && this.areLinksRight !== false;
	}

	/** Whether the list is over since the next page failed, as services do beyond the end. */
	isOverAt(failure: unknown): boolean {
		const { latest, missing } = this;
		const status = failure instanceof RequestFailure ? failure.status : undefined;
		if (!latest || latest.next !== undefined || status === undefined) return false;
		const isRefused = status === 400 || status === 404;
		const isAnnounced = this.isLastByLinks || (missing === 0 && this.isTotalCredible);
		this.isUnconfirmed = !isRefused || !isAnnounced;
		return isAnnounced || (isRefused && !missing);
	}

	/** How many entries the total promises that did not come yet; undefined when that cannot be told. */
	get missing(): number | undefined {
		if (this.total === undefined) return undefined;
		return Math.max(this.total - this.seen.size, 0);
	}

	/**
	 * What is to be said of a list that is over.
	 *
	 * @returns Why entries may be missing; undefined when it is whole, unless an entry was removed and another one added.
	 * @throws {IncompleteList} when entries are certainly missing.
	 */
	conclude(): Doubt | undefined {
		const { endpoint, missing, latest } = this;
		// If the latest page is empty and links to no other, the list has ended, whatever its total says.
		const isEmpty = latest?.entries.length === 0 && latest.next === undefined;
		const isStuck = this.isWithoutProgress && !isEmpty;
		if (isStuck && missing) throw new IncompleteList(endpoint, { missing });
		if (this.hasMoved) return { kind: 'moved' };
		if (missing) return { kind: 'short', missing };
		// Once a total is reached, a repeated page only means that there are no others.
		const isAnnounced = latest?.next === undefined && this.isTotalCredible;
		const isInDoubt = this.isUnconfirmed || (isStuck && !isAnnounced);
		return isInDoubt ? { kind: 'unconfirmedEnd' } : undefined;
	}

	/** Whether the total may be that of the whole list: some services count only the entries of each page. */
	private get isTotalCredible(): boolean {
		const { total, seen, latest } = this;
		if (total === undefined || total < seen.size) return false;
		const isOfFullPage = latest?.entries.length === total && total >= PAGE_SIZE;
		return !isOfFullPage;
	}

	private get isWithoutProgress(): boolean {
		return this.pagesWithoutProgress >= MAX_PAGES_WITHOUT_PROGRESS;
	}

	private isNew(entry: unknown): boolean {
		const { size } = this.seen;
		return this.seen.add(identityOf(entry)).size > size;
	}

	/**
	 * Notes whether entries moved since the page before. Removed entries pull later ones up, onto pages that were already
	 * read. New entries push others down: pages read one after the other only repeat some then, but of pages read in
	 * parallel, one may be read before the push and the one above it after the push.
	 */
	private noteMoves(total: number | undefined, isMixed: boolean, isParallel: boolean): void {
		const before = this.latest?.total;
		const growth = before === undefined || total === undefined ? 0 : total - before;
		this.hasMoved ||= growth < 0 || (isParallel && (growth > 0 || isMixed));
	}
}
