import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../../api/account';
import type { Client } from '../../api/client';
import type { ListFilter, ListQuery } from '../../api/list';
import { PAGE_SIZE } from '../../api/pages';
import { readList } from '../../api/readList';
import { readTransport } from '../../panel/options';
import { type ItemList, reportList } from '../getList';
import { listWords } from '../listWords';
import type { Item, Run } from '../operation';
import { participantsOf, indexByNumber } from './contact';
import { matches, type MessageFilters } from './filters';
import { dateOf } from './message';
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

/** What was found for an item, in the order of the service. */
export interface Found extends ItemList {
	/** The date of the newest message of the list, wanted or not; -Infinity when there is none. */
	newest: number;
	/** Whether the list is certainly complete. */
	isWhole: boolean;
}

/** The result for items whose read failed, or was abandoned because the run has ended. */
export const NOTHING_FOUND: Found = { items: [], newest: -Infinity, isWhole: false };

/** A read that items share. */
interface SharedRead {
	searches: Search[];
	/** Reads the messages, once; gives what was found for one of the searches. */
	result(): Promise<FoundFor>;
}

type FoundFor = (search: Search) => Found;

/**
 * Reads the messages that the items of a run want. Items share one read if they have the same inboxes, and dates within
 * the same hour. Reads are made one after the other.
 */
export class SharedReads {
	private readonly run: Run;
	private readonly reads = new Map<string, SharedRead>();
	/** Resolves when the next read may begin. */
	private turn: Promise<unknown> = Promise.resolve();
	private isAbandoned = false;

	constructor(run: Run) {
		this.run = run;
	}

	/**
	 * Adds what an item looks for to a read.
	 *
	 * @returns Makes the read, for which no other item can ask from then on, and gives what was found for this one. It
	 *   rejects with a RequestFailure when not even the first page could be read.
	 */
	ask(item: Item, search: Search): () => Promise<Found> {
		const key = sharingKey(item, search);
		const read = this.reads.get(key) ?? this.plan(item.client);
		this.reads.set(key, read);
		read.searches.push(search);
		return async () => (await read.result())(search);
	}

	/** Resolves when the reads that have been asked for are done. */
	async settled(): Promise<void> {
		await this.turn;
	}

	/** Begins no further read. */
	abandon(): void {
		this.isAbandoned = true;
	}

	private plan(client: Client): SharedRead {
		const searches: Search[] = [];
		let result: Promise<FoundFor> | undefined;
		return { searches, result: () => (result ??= this.readInTurn(client, searches)) };
	}

	private async readInTurn(client: Client, searches: readonly Search[]): Promise<FoundFor> {
		const result = this.turn.then(async () =>
			this.isAbandoned ? () => NOTHING_FOUND : await this.read(client, searches),
		);
		this.turn = result.catch(() => {});
		return await result;
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
		return (search) => ({
			...reportList(this.run, search, { ...list, items: distribution.messagesOf(search) }, words),
			newest: distribution.newest,
			isWhole: !list.gap && list.problems.length === 0,
		});
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
	/** The date of the newest message, wanted or not. */
	newest = -Infinity;
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
		this.newest = -Infinity;
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
		this.newest = Math.max(this.newest, dateOf(message) ?? -Infinity);
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
