import type { IDataObject } from 'n8n-workflow';
import type { Client } from './client';
import { isObject } from './json';
import type { ListSource } from './listSources';
import { fetchPage, type Page, PAGE_SIZE, type Place } from './pages';
import { RequestFailure } from './request';

/** What of a list is wanted. */
export interface ListFilter {
	isWanted(item: IDataObject): boolean;
	/** About how many more are to be read, and 0 when no more are wanted; as the limit says when left out. */
	left?(): number;
}

/** How much of a list to read, and how. */
export interface ListQuery extends ListSource {
	/** Number of items to return; Infinity for all. */
	limit: number;
	/** Items asked for with each page; as many as are wanted, at most 50, when left out. */
	pageSize?: number;
	/** Where to begin, as the service counts; undefined for its first page. */
	startPage?: number;
	/** Makes what picks the wanted items, anew for each reading, since it may count them; everything when left out. */
	newFilter?: () => ListFilter;
	/** What the service should have kept out by its own filters; nothing when left out. */
	isUnmatched?: (item: IDataObject) => boolean;
	/** The most pages that may be fetched at a time. With 1, none is fetched ahead. */
	concurrency: number;
}

/** What was read of a list, and how far it can be trusted to be all of it. */
export interface ListResult {
	items: IDataObject[];
	/** How many items were read for these. */
	read: number;
	/** How many items the service gave although it should have kept them out. */
	unmatched: number;
	/** How many items the service announced but did not give; undefined when that cannot be told. */
	unaccounted?: number;
	/** Whether the list moved both times that it was read, so that items may be missing. */
	mayMissItems: boolean;
	/** Whether reading was given up, since there was more than n8n can hold. */
	isEndless: boolean;
	/** Whether the service gave the same items again instead of others. */
	repeats: boolean;
	/** The numbers of pages that came without entries although the list goes on behind them. */
	gaps: readonly number[];
	/** Why the list was not read to its end, if it was not; `items` holds what came before. */
	missing?: MissingPages;
}

/** Where reading ended too early, and why. */
interface MissingPages {
	cause: unknown;
	/** Such as "3 and all after it". */
	pages: string;
}

/** A list that could not be read to its end, with the items that came before. */
export class IncompleteList extends Error {
	override name = 'IncompleteList';
	readonly items: IDataObject[];
	override readonly cause: unknown;
	/** The pages that are missing, as far as their numbers are known. */
	readonly pages?: string;

	constructor(items: IDataObject[], { cause, pages }: Pick<IncompleteList, 'cause' | 'pages'>) {
		super('The list could not be read to its end');
		this.items = items;
		this.cause = cause;
		this.pages = pages;
	}

	/** The same failure with changed items. */
	map(change: (item: IDataObject) => IDataObject): IncompleteList {
		return new IncompleteList(this.items.map(change), this);
	}
}

/**
 * Reads a list, several pages at a time where their numbers are known. One that moves while its pages are read is read
 * once more, one page after the other.
 *
 * @throws {RequestFailure} when not even the first page could be read.
 */
export async function readList(client: Client, query: ListQuery): Promise<ListResult> {
	const list = await readOnce(client, query);
	if (!list.mayMissItems || list.missing || list.isEndless) return list;
	return await readOnce(client, { ...query, concurrency: 1 });
}

async function readOnce(client: Client, query: ListQuery): Promise<ListResult> {
	const first = await fetchFrom(client, query, query.startPage);
	return await new ListReader(client, query, first).readOn();
}

async function fetchFrom(client: Client, query: ListQuery, place?: Place): Promise<Page> {
	const { limit, pageSize = Math.min(limit, PAGE_SIZE) } = query;
	return await fetchPage(client, query, pageSize, place);
}

/** Pages in a row that bring more that was there than what is new. A total may be wrong, so one is not enough. */
const MAX_USELESS_PAGES = 3;
/** Characters of all pages. n8n cannot store more than this: it is the longest text of JavaScript. */
const MOST_READ = 500_000_000;
/** Characters of pages that may be under way at a time. */
const MOST_AHEAD = 20_000_000;

/**
 * Reads a list on from its first page, in the order of the service, each item once by its `id`. A page that cannot be
 * read is noted as missing, and ends the list.
 */
class ListReader {
	private readonly client: Client;
	private readonly query: ListQuery;
	private readonly filter?: ListFilter;
	private readonly items: IDataObject[] = [];
	/** What identifies the entries that came. */
	private readonly seen = new Set<string | number>();
	private readonly first: Page;
	private latest: Page;
	/** Number of the page that is read: as the service counts, or else by the order in which they come. */
	private number = 1;
	/** Number of all items by the latest page that says it. */
	private total?: number;
	private characters = 0;
	private unmatched = 0;
	/** Pages in a row that were mostly there before, or empty. */
	private uselessPages = 0;
	/** Numbers of pages without entries, with others behind them. */
	private readonly gaps: number[] = [];
	/** Numbers of the pages without entries that came last. */
	private readonly lastEmpty: number[] = [];
	private mayMissItems = false;

	constructor(client: Client, query: ListQuery, first: Page) {
		this.client = client;
		this.query = query;
		this.filter = query.newFilter?.();
		this.first = first;
		this.latest = first;
	}

	async readOn(): Promise<ListResult> {
		this.take(this.first);
		// Where the service counts from is not shown. Page 1 is right either way: it is the second page, or the first
		// again, of which nothing is taken twice.
		const second = this.first.next ?? (this.query.startPage ?? 0) + 1;
		const rest = second instanceof URL ? this.followLinks() : this.countPages(second);
		try {
			for await (const page of rest) this.take(page);
		} catch (cause) {
			if (!this.isPastTheEnd(cause)) {
				return this.result({ cause, pages: `${this.number} and all after it` });
			}
		}
		return this.result();
	}

	/** The pages behind the first one by their links, one after the other. */
	private async *followLinks(): AsyncGenerator<Page> {
		for (let { next } = this.first; next !== undefined && this.mayGoOn; next = this.latest.next) {
			this.number++;
			yield await fetchFrom(this.client, this.query, next);
		}
	}

	/** The pages behind the first one by their numbers: side by side as far as the total reaches, else one by one. */
	private async *countPages(second: number): AsyncGenerator<Page> {
		const underWay: Array<Promise<Page>> = [];
		try {
			for (this.number = second; this.mayGoOn; this.number++) {
				while (underWay.length < this.mostAtOnce) {
					const page = fetchFrom(this.client, this.query, this.number + underWay.length);
					// Whether it failed matters when its turn comes, if it does.
					page.catch(() => {});
					underWay.push(page);
				}
				const [page] = underWay.splice(0, 1);
				yield await page;
			}
		} finally {
			// What was fetched ahead must not go on behind the back of a finished run.
			await Promise.allSettled(underWay);
		}
	}

	/** Notes what a page says, and takes its wanted items. */
	private take(page: Page): void {
		const fresh = page.entries.filter((entry) => this.isNew(identityOf(entry)));
		if (this.hasMoved(page, fresh)) this.mayMissItems = true;
		this.latest = page;
		this.total = page.total ?? this.total;
		this.characters += page.size;
		this.uselessPages = fresh.length > page.entries.length / 2 ? 0 : this.uselessPages + 1;
		if (page.entries.length === 0 && this.seen.size > 0) this.lastEmpty.push(this.number);
		else if (fresh.length > 0) this.gaps.push(...this.lastEmpty.splice(0));
		for (const item of fresh.filter(isObject)) {
			if (this.query.isUnmatched?.(item)) this.unmatched++;
			if (this.left > 0 && (this.filter?.isWanted(item) ?? true)) this.items.push(item);
		}
	}

	private isNew(id: string | number): boolean {
		const { size } = this.seen;
		return this.seen.add(id).size > size;
	}

	/**
	 * Whether a page shows that the list has moved in a way that lets items slip past the reader. Entries that are taken
	 * away pull the others up, out of the pages that are still to be read. New ones push them down: read one after the
	 * other, pages only repeat some then, but side by side, one may be read before the push and the one above it after.
	 */
	private hasMoved(page: Page, fresh: readonly unknown[]): boolean {
		const { total, entries } = page;
		const growth = total === undefined || this.total === undefined ? 0 : total - this.total;
		const overlaps = page !== this.first && fresh.length > 0 && fresh.length < entries.length;
		return growth < 0 || (this.query.concurrency > 1 && (growth > 0 || overlaps));
	}

	/** How many more items are wanted. */
	private get left(): number {
		return Math.min(this.query.limit - this.items.length, this.filter?.left?.() ?? Infinity);
	}

	/** How many items the service has announced and not given, as far as they are wanted. */
	private get remaining(): number {
		return Math.max(Math.min((this.total ?? 0) - this.seen.size, this.left), 0);
	}

	/** How many pages may be under way. */
	private get mostAtOnce(): number {
		const { entries, size } = this.first;
		const promised = Math.ceil(this.remaining / Math.max(entries.length, 1));
		const room = Math.floor(MOST_AHEAD / Math.max(size, 1));
		const most = Math.min(this.query.concurrency, this.client.congestion.size);
		return Math.max(Math.min(promised, room, most), 1);
	}

	/** Whether there may be another page that is wanted: the service promises it, or says nothing of it either way. */
	private get mayGoOn(): boolean {
		if (this.left <= 0 || this.makesNoProgress || this.isEndless) return false;
		const { next, hasLinks, entries } = this.latest;
		return next !== undefined || this.remaining > 0 || (!hasLinks && entries.length > 0);
	}

	private get makesNoProgress(): boolean {
		return this.uselessPages >= MAX_USELESS_PAGES;
	}

	private get isEndless(): boolean {
		return this.characters > MOST_READ;
	}

	/** Whether a page that nothing promised was refused: some services answer so beyond the last page. */
	private isPastTheEnd(cause: unknown): boolean {
		// With a start page, nobody knows how much of the total was on the pages before it.
		const isCounted = this.query.startPage === undefined && this.remaining > 0;
		if (isCounted || this.latest.next !== undefined) return false;
		return cause instanceof RequestFailure && [400, 404].includes(cause.status ?? 0);
	}

	private result(missing?: MissingPages): ListResult {
		const { items, seen, unmatched, mayMissItems, latest } = this;
		const isShort = this.left > 0;
		const leadsOn = latest.next !== undefined || latest.entries.length > 0;
		return {
			items,
			read: seen.size,
			unmatched,
			unaccounted: isShort ? this.unaccounted : 0,
			mayMissItems,
			isEndless: isShort && this.isEndless,
			repeats: this.makesNoProgress && leadsOn,
			gaps: this.gaps,
			missing,
		};
	}

	/** How many items did not come, without those that the list got after its first page. */
	private get unaccounted(): number | undefined {
		// A part of a list cannot be checked against its total.
		if (this.total === undefined || this.query.startPage !== undefined) return undefined;
		return Math.max(Math.min(this.first.total ?? Infinity, this.total) - this.seen.size, 0);
	}
}

/** What tells an entry from others: its ID, or all of it where it has none. */
function identityOf(entry: unknown): string | number {
	const id = isObject(entry) ? entry.id : undefined;
	if (typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id))) return id;
	// An ID beyond 2^53 is not exact any more in JavaScript, so two of them may look like one.
	return JSON.stringify(entry);
}
