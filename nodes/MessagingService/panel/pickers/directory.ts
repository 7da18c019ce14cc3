import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import { type ListSource, pageFetcher } from '../../api/list';
import { PAGE_SIZE, Pages, QUICK } from '../../api/pages';
import { systemClock } from '../../systemClock';

/**
 * A list that someone is choosing from, as far as it was read: page by page, and only when they look
 * further. Nothing is read twice while they scroll and type.
 */
export class Directory {
	lastUsed = systemClock.now();
	/** What was read, in the order of the service, each item once. */
	readonly items: IDataObject[] = [];
	isComplete = false;
	/** Why a page could not be read; the list has to be started over then. */
	failure?: { cause: unknown };

	private readonly pages: Pages;
	private readonly iterator: AsyncIterator<IDataObject[]>;
	private client: Client;
	private turn: Promise<void> = Promise.resolve();

	constructor(client: Client, source: ListSource) {
		this.client = client;
		this.pages = new Pages({
			...pageFetcher(() => this.client, source, PAGE_SIZE),
			prefetch: () => 1,
			stop: QUICK,
		});
		this.iterator = this.pages[Symbol.asyncIterator]();
	}

	/** How many items there are, as far as the service says it. */
	get total(): number | undefined {
		return this.pages.total;
	}

	/**
	 * Reads one page more, with one request. Who asks at the same time gets the page after it.
	 *
	 * @param client one whose n8n context is alive; that of whoever opened the list may be gone
	 */
	async readOn(client: Client): Promise<void> {
		const turn = this.turn.then(async () => await this.readPage(client));
		this.turn = turn.catch((cause: unknown) => {
			this.failure = { cause };
		});
		await turn;
	}

	private async readPage(client: Client): Promise<void> {
		if (this.failure) throw this.failure.cause;
		this.client = client;
		const { value, done } = await this.iterator.next();
		if (done && this.pages.missing) throw this.pages.missing.cause;
		for (const item of done ? [] : value) this.items.push(item);
		this.isComplete = done === true || !this.pages.expectsMore;
	}
}

/** As long as someone who chooses may pause. */
const FORGOTTEN_AFTER = 5 * 60_000;
const MOST_DIRECTORIES = 100;

const directories = new Map<string, Directory>();

/** The list that someone of the team is choosing from: the one that was begun, or else a new one. */
export function directoryOf(client: Client, source: ListSource): Directory {
	const now = systemClock.now();
	for (const [key, { lastUsed }] of directories) {
		if (now - lastUsed > FORGOTTEN_AFTER) directories.delete(key);
	}
	const known = directories.get(keyOf(client, source));
	const directory = known && !known.failure ? known : beginDirectory(client, source);
	directory.lastUsed = now;
	return directory;
}

/** Begins the list anew, as it is now. */
export function beginDirectory(client: Client, source: ListSource): Directory {
	if (directories.size >= MOST_DIRECTORIES) directories.clear();
	const directory = new Directory(client, source);
	directories.set(keyOf(client, source), directory);
	return directory;
}

/** Forgets all lists, for tests that start afresh. */
export function resetDirectories(): void {
	directories.clear();
}

// Credentials that spell the parameters differently do not read the same list.
function keyOf({ team }: Client, source: ListSource): string {
	return JSON.stringify([team, source]);
}
