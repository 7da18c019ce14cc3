import { type IDataObject, NodeApiError } from 'n8n-workflow';
import { type Client, DEFAULT_TRANSPORT } from '../transport/client';
import { Gathered } from '../transport/gather';
import { teamOf } from '../transport/pacer';
import { fetchPage, type Page } from '../transport/page';
import { type ListRequest, PAGE_SIZE } from '../transport/paginate';
import { systemClock } from '../transport/wait';

/** A list of the account that can be chosen from, and how it is asked for. */
export type Source = Pick<ListRequest, 'limitParameter' | 'pageParameter'> & { path: string };

/** Someone is waiting in front of the list, so it gives up sooner than a workflow does. */
export const TRANSPORT = { ...DEFAULT_TRANSPORT, timeout: 15_000, maxRetries: 1 };

/** What comes next: the first page, one by its number as the service counts, or one that it linked to. */
type Next = 'first' | number | URL;

/**
 * A list that someone is choosing from, as far as it was read: page by page, and only when they look
 * further. Nothing is read twice while they scroll and type.
 */
export class Directory {
	lastUsed = systemClock.now();
	/** Whether everything was read. */
	isComplete = false;

	private readonly source: Source;
	private readonly gathered = new Gathered({ limit: Infinity });
	private first?: Page;
	private latest?: Page;
	/** The number of the latest page; the first, which is asked for without one, is 0. */
	private number = 0;
	private turn: Promise<void> = Promise.resolve();

	constructor(source: Source) {
		this.source = source;
	}

	/** What was read, in the order of the service, each item once. */
	get items(): readonly IDataObject[] {
		return this.gathered.items;
	}

	/** How many items there are, as far as the service says it. */
	get total(): number | undefined {
		return this.gathered.total;
	}

	/** Reads one page more, with one request. Who asks at the same time gets the page after it. */
	async readOn(client: Client): Promise<void> {
		const turn = this.turn.then(async () => await this.readPage(client));
		this.turn = turn.catch(() => undefined);
		await turn;
	}

	private async readPage(client: Client): Promise<void> {
		if (this.isComplete) return;
		const next = this.next();
		const [asked] = await Promise.allSettled([this.fetch(client, next)]);
		if (asked.status === 'fulfilled') return this.take(asked.value, next);
		if (!this.isPastTheEnd(asked.reason)) throw asked.reason;
		this.isComplete = true;
	}

	private next(): Next {
		if (!this.latest) return 'first';
		const { next: link } = this.latest;
		const number = link?.searchParams.get(this.source.pageParameter) ?? '';
		if (link) return /^\d+$/.test(number) ? Number(number) : link;
		return this.number + 1;
	}

	private async fetch(client: Client, next: Next): Promise<Page> {
		const { path, limitParameter, pageParameter } = this.source;
		const request = { method: 'GET', path } as const;
		if (next instanceof URL) return await fetchPage(client, request, TRANSPORT, next);
		const page = next === 'first' ? [] : [[pageParameter, String(next)] as const];
		const query = [[limitParameter, String(PAGE_SIZE)] as const, ...page];
		return await fetchPage(client, { ...request, query }, TRANSPORT);
	}

	private take(page: Page, next: Next): void {
		// Where the service counts from is not shown: page 1 is the second, or the first one again.
		if (next === 1 && !this.latest?.next) this.gathered.expectRepeat();
		this.gathered.take(page);
		this.first ??= page;
		this.latest = page;
		this.number = typeof next === 'number' ? next : this.number;
		this.isComplete = this.gathered.fruitlessPages > 0 || !this.goesOn(page);
	}

	private goesOn(page: Page): boolean {
		if (page.next || this.isAnnouncedLonger) return true;
		if (page.hasLinks || page.items.length === 0) return false;
		// Without a word of the service, a full page may not be the last.
		const full = page.total === undefined ? this.first?.items.length : PAGE_SIZE;
		return page.items.length >= (full ?? PAGE_SIZE);
	}

	private get isAnnouncedLonger(): boolean {
		return (this.gathered.remaining ?? 0) > 0;
	}

	/** Whether a page that nothing promised was refused: some services answer so beyond the last one. */
	private isPastTheEnd(error: unknown): boolean {
		if (!this.latest || this.latest.next || this.isAnnouncedLonger) return false;
		return error instanceof NodeApiError && ['400', '404'].includes(error.httpCode ?? '');
	}
}

// As long as someone who chooses may pause.
const FORGOTTEN_AFTER = 5 * 60_000;

const directories = new Map<string, Directory>();

/** The list that someone of the team is choosing from: the one that was begun, or else a new one. */
export function directoryOf(client: Client, source: Source): Directory {
	const now = systemClock.now();
	for (const [key, { lastUsed }] of directories) {
		if (now - lastUsed > FORGOTTEN_AFTER) directories.delete(key);
	}
	const directory = directories.get(keyOf(client, source)) ?? beginDirectory(client, source);
	directory.lastUsed = now;
	return directory;
}

/** Begins the list anew, as it is now. */
export function beginDirectory(client: Client, source: Source): Directory {
	const directory = new Directory(source);
	directories.set(keyOf(client, source), directory);
	return directory;
}

// Credentials that spell the parameters differently do not read the same list.
function keyOf(client: Client, source: Source): string {
	return JSON.stringify([teamOf(client.account), source]);
}
