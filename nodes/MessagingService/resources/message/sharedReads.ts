import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../../api/account';
import type { Client } from '../../api/client';
import type { ListFilter, ListQuery } from '../../api/list';
import { PAGE_SIZE } from '../../api/pages';
import { readList } from '../../api/readList';
import { systemClock } from '../../n8n/clock';
import { readTransport } from '../../panel/options';
import { type ItemList, reportList } from '../getList';
import { listWords } from '../listWords';
import type { Item, Run } from '../operation';
import { participantsOf, indexByNumber } from './contact';
import { matches, type MessageFilters } from './filters';
import { messagesWith, widen } from './messageQuery';

const HOUR_MS = 60 * 60_000;
/** By how many days the requested range of dates is widened on either side. */
const ASKED_DAYS = 1;
/** By how many days a message may lie outside the range without a notice: the service may read dates as whole days. */
const TOLERATED_DAYS = 2;
/** A read of this many messages is long if less than a tenth of them match. */
const LONG_READ = 500;

const ADVICE = {
	ignoredFilter:
		'The service may know the filters by other names: in the credential, turn on "Override API Names" and set "Inbox IDs Parameter", "After Parameter" and "Before Parameter".',
	moving:
		'Add the filter "Before" with a moment that has passed, such as {{ $now.minus({ minutes: 5 }) }}.',
};

/** What an item looks for. */
export interface Search extends Pick<ListQuery, 'limit' | 'startPage'> {
	filters: MessageFilters;
}

/** A read that items share. */
interface SharedRead {
	searches: Search[];
	/** Gives what was found for one of the searches, in the order of the service. */
	result: Promise<FoundFor>;
}

type FoundFor = (search: Search) => ItemList;

/**
 * Reads the messages that the items of a run want. Items share one read if they have the same inboxes, and dates within
 * the same hour. Reads are made one after the other.
 */
export class SharedReads {
	private readonly run: Run;
	private readonly reads = new Map<string, SharedRead>();
	/** Resolves when the next read may begin. */
	private turn: Promise<unknown> = Promise.resolve();

	constructor(run: Run) {
		this.run = run;
	}

	/**
	 * Finds messages for an item. It shares a read with all items that look for the same before the read begins.
	 *
	 * @throws {RequestFailure} when not even the first page could be read.
	 */
	async find(item: Item, search: Search): Promise<ItemList> {
		const key = sharingKey(item, search);
		const read = this.reads.get(key) ?? this.plan(key, item.client);
		read.searches.push(search);
		return (await read.result)(search);
	}

	private plan(key: string, client: Client): SharedRead {
		const searches: Search[] = [];
		const result = this.turn.then(async () => {
			await gather(searches);
			this.reads.delete(key);
			return await this.read(client, searches);
		});
		this.turn = result.catch(() => {});
		const read = { searches, result };
		this.reads.set(key, read);
		return read;
	}

	private async read(client: Client, searches: readonly Search[]): Promise<FoundFor> {
		const { account } = client;
		const distribution = new Distribution(searches);
		const list = await readList(client, {
			...sharedQuery(searches[0], account),
			filter: distribution,
		});
		const isLong = list.read >= LONG_READ && list.items.length < list.read / 10;
		if (isLong && searches[0].filters.after === undefined) {
			this.run.notices.add(
				`Read ${list.read} messages, of which ${list.items.length} match: the service has no filters by phone, direction, status or text. With the filter "After", fewer are read.`,
				'info',
			);
		}
		const words = { ...listWords('messages', account), ...ADVICE };
		return (search) =>
			reportList(this.run, search, { ...list, items: distribution.messagesOf(search) }, words);
	}
}

/** Waits for as long as searches are added, since items begin one after the other. */
async function gather(searches: readonly Search[]): Promise<void> {
	for (let before = -1; before < searches.length; ) {
		before = searches.length;
		await systemClock.wait(0);
	}
}

/** The key of a read: items with the same key share it. */
function sharingKey({ parameters }: Item, { filters, limit, startPage }: Search): string {
	const { inboxIds, after, before, contact } = filters;
	// What is on a numbered page depends on the exact query and page size, so items share it only if these are equal.
	const pages = startPage === undefined ? undefined : [startPage, limit];
	const unit = pages ? 1 : HOUR_MS;
	const dates = [after, before].map((date) => date && Math.floor(date.getTime() / unit));
	// The items of a read either all filter by contact, with the same country code, or none does.
	const byContact = contact && [contact.countryCode];
	return JSON.stringify([inboxIds, dates, pages, byContact, readTransport(parameters)]);
}

/**
 * The query of a read, made from one of the searches that share it. It asks for a day more on either side, except with
 * a start page, whose number counts within the exact range; `Distribution` picks the messages that match.
 */
function sharedQuery({ filters, limit, startPage }: Search, account: Account): ListQuery {
	const isCounted = startPage !== undefined;
	const tolerated = { ...widen(filters, TOLERATED_DAYS), statuses: [] };
	return {
		...messagesWith(isCounted ? filters : widen(filters, ASKED_DAYS), account),
		// Each item has a limit of its own.
		limit: Infinity,
		startPage,
		pageSize: isCounted ? Math.min(limit, PAGE_SIZE) : PAGE_SIZE,
		isUnmatched: (message) => !matches(message, tolerated),
	};
}

/** Distributes the messages of a read to the searches that they match, up to the limit of each. */
class Distribution implements ListFilter {
	private readonly searches: readonly Search[];
	/** The searches whose contact is a participant of a message; all searches if they are not by contact. */
	private readonly candidates: (message: IDataObject) => readonly Search[];
	private shares = new Map<Search, IDataObject[]>();
	/** How many more messages all of them together want. */
	private wanted = 0;
	private read = 0;

	/** @param searches all by contact, with the same country code, or none by contact */
	constructor(searches: readonly Search[]) {
		this.searches = searches;
		const { contact } = searches[0].filters;
		const byContact = indexByNumber(searches, ({ filters }) => filters.contact?.numbers ?? []);
		this.candidates = (message) =>
			contact ? byContact(participantsOf(message, contact.countryCode)) : searches;
		this.restart();
	}

	restart(): void {
		this.read = 0;
		this.shares = new Map(this.searches.map((search) => [search, []]));
		this.wanted = this.searches.reduce((sum, { limit }) => sum + limit, 0);
	}

	/** @throws when the search does not belong to this read: it must be added before the read begins. */
	messagesOf(search: Search): IDataObject[] {
		const share = this.shares.get(search);
		if (!share) throw new Error('The read has begun already');
		return share;
	}

	take(message: IDataObject): boolean {
		this.read++;
		const takers = this.candidates(message).filter(
			(search) => this.messagesOf(search).length < search.limit && matches(message, search.filters),
		);
		for (const search of takers) this.messagesOf(search).push(message);
		this.wanted -= takers.length;
		return takers.length > 0;
	}

	isSatisfied(): boolean {
		return this.wanted === 0;
	}

	/**
	 * Matching messages may be far apart, so half as many as were read so far are fetched ahead: enough for several pages
	 * at a time, without overshooting by much.
	 */
	readAhead(): number {
		return Math.max(this.wanted, this.read / 2);
	}
}
