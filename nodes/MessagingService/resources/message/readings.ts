import type { IDataObject } from 'n8n-workflow';
import { quoteAll } from '../../api/json';
import { IncompleteList, type ListFilter, type ListQuery, readList } from '../../api/list';
import { messagesOf } from '../../api/lists';
import { PAGE_SIZE } from '../../api/pages';
import { readTransport } from '../../panel/options';
import { isWhole, pageNameAdvice, PAGES_AT_ONCE, report } from '../list';
import type { Item, Run } from '../operation';
import { participantsOf, PhoneIndex } from './contact';
import {
	dateOf,
	isByContent,
	lower,
	matches,
	type MessageFilters,
	toQuery,
	widen,
} from './filters';

const HOUR = 60 * 60_000;
/** A reading of so many messages is long, if it brings less than a tenth of them. */
const LONG_READING = 500;

const IGNORED_FILTER =
	'The service may know the filters by other names: in the credential, turn on "Override API Names" and set "Inbox IDs Parameter", "After Parameter" and "Before Parameter".';
const MOVING =
	'Add the filter "Before" with a moment that has passed, such as {{ $now.minus({ minutes: 5 }) }}.';
const NO_COUNTRY_CODE =
	'The service gave messages of phone numbers without a country code, which may or may not be those that you look for. They were left out. To include them, set "Default Country Code" in the options.';

/** What one item wants. */
export interface Demand {
	filters: MessageFilters;
	limit: number;
	/** Where to begin, as the service counts; undefined for its first page. */
	startPage?: number;
}

/** The messages of an item, in the order of the service. */
export interface Found {
	messages: IDataObject[];
	/** The date of the newest message that was read for it, wanted or not. */
	newest?: number;
	/** Whether the list certainly had all that the service has. */
	isWhole: boolean;
}

/**
 * Reads the messages that the items of a run want: once for all items with the same inboxes, whose dates begin and end
 * within the same hour. Readings begin when all items have asked, and are made one after the other.
 */
export class Readings {
	private readonly run: Run;
	private readonly readings = new Map<string, Reading>();
	private latest: Promise<unknown>;
	private isAbandoned = false;

	constructor(run: Run) {
		this.run = run;
		this.latest = run.allBegun;
	}

	/** @throws {RequestFailure | IncompleteList} with the messages of this item, when the list is not complete */
	async find(item: Item, demand: Demand): Promise<Found> {
		const key = keyOf(item, demand);
		const reading = this.readings.get(key) ?? this.begin(item, demand);
		this.readings.set(key, reading);
		return await reading.find(demand);
	}

	/** Begins no further reading. */
	abandon(): void {
		this.isAbandoned = true;
	}

	private begin(item: Item, { filters }: Demand): Reading {
		const turn = this.latest.then(() => !this.isAbandoned);
		const reading = new Reading(this.run, item, filters.contact?.countryCode, turn);
		this.latest = reading.finished.catch(() => {});
		return reading;
	}
}

function keyOf({ parameters }: Item, { filters, limit, startPage }: Demand): string {
	const { inboxIds, after, before, contact } = filters;
	// The service counts the pages from exactly what it is asked for.
	const unit = startPage === undefined ? HOUR : 1;
	const dates = [after, before].map((date) => date && Math.floor(date.getTime() / unit));
	const pages = startPage === undefined ? [] : [startPage, limit];
	const transport = readTransport(parameters);
	return JSON.stringify([inboxIds, dates, pages, contact?.countryCode, transport]);
}

/** One reading of the list, and what is wanted of it. */
class Reading {
	readonly finished: Promise<void>;

	private readonly run: Run;
	private readonly item: Item;
	/** Items that want the same share it. */
	private readonly demands = new Map<string, Demand>();
	private readonly ofContacts: PhoneIndex<Demand>;
	private readonly ofAnybody: Demand[] = [];
	private readonly found = new Map<Demand, IDataObject[]>();
	private newest?: number;
	private isWhole = false;
	/** How many messages within the dates were read. */
	private count = 0;
	private readonly statuses = new Set<string>();

	/**
	 * @param item the first of its items, with whose options it is made
	 * @param countryCode of the contacts of all its items
	 * @param turn resolves when it may begin, with whether it is still wanted
	 */
	constructor(run: Run, item: Item, countryCode: string | undefined, turn: Promise<boolean>) {
		this.run = run;
		this.item = item;
		this.ofContacts = new PhoneIndex(countryCode);
		this.finished = turn.then(async (isWanted) => {
			if (isWanted) await this.read();
		});
	}

	async find(demand: Demand): Promise<Found> {
		const shared = this.add(demand);
		const messages = () => this.found.get(shared) ?? [];
		try {
			await this.finished;
		} catch (error) {
			throw error instanceof IncompleteList ? new IncompleteList(messages(), error) : error;
		}
		return { messages: messages(), newest: this.newest, isWhole: this.isWhole };
	}

	private add(demand: Demand): Demand {
		const key = JSON.stringify(demand);
		const known = this.demands.get(key);
		if (known) return known;
		this.demands.set(key, demand);
		const { contact } = demand.filters;
		if (contact) this.ofContacts.add(contact, demand);
		else this.ofAnybody.push(demand);
		return demand;
	}

	private async read(): Promise<void> {
		const ignoredPage = pageNameAdvice(this.run.client.account.names.pageParameter);
		const words = { items: 'messages', ignoredFilter: IGNORED_FILTER, ignoredPage, moving: MOVING };
		const query = { ...this.query(), concurrency: PAGES_AT_ONCE };
		const result = await readList(this.item.client, query);
		this.handOut(result.items);
		this.isWhole = isWhole(result);
		report(this.run, query, result, words);
		this.report(result.items.length);
	}

	/**
	 * How the list is read. The service is asked for a day more on either side, unless its pages are counted from a
	 * start page; which messages come out is decided here.
	 */
	private query(): Omit<ListQuery, 'concurrency'> {
		const { account } = this.run.client;
		const { request, ...source } = messagesOf(account);
		const demands = [...this.demands.values()];
		const [{ filters, startPage }] = demands;
		const bounds: MessageFilters = {
			inboxIds: filters.inboxIds,
			after: outermost(demands, 'after', Math.min),
			before: outermost(demands, 'before', Math.max),
			statuses: [],
		};
		const isCounted = startPage !== undefined;
		const isThinned = demands.some((demand) => isByContent(demand.filters));
		// The newest messages may be of the day more.
		const mayWantFew = isThinned || (bounds.before !== undefined && !isCounted);
		// One day is asked for, and the service may read dates as whole days.
		const tolerated = widen(bounds, 2);
		return {
			...source,
			request: { ...request, query: toQuery(isCounted ? bounds : widen(bounds, 1), account.names) },
			limit: demands.reduce((sum, { limit }) => sum + limit, 0),
			startPage,
			pageSize: mayWantFew ? PAGE_SIZE : undefined,
			newFilter: () => this.newFilter(bounds),
			isUnmatched: (message) => !matches(message, tolerated),
		};
	}

	/** Picks what is wanted by an item that has not as many as it wants yet. */
	private newFilter(bounds: MessageFilters): ListFilter {
		/** How many each item still wants, as long as it wants more. */
		const open = new Map([...this.demands.values()].map((demand) => [demand, demand.limit]));
		this.count = 0;
		const isWanted = (message: IDataObject) => {
			this.newest = Math.max(dateOf(message) ?? -Infinity, this.newest ?? -Infinity);
			if (!matches(message, bounds)) return false;
			this.count++;
			this.statuses.add(lower(message.status));
			const takers = this.takersOf(message).filter((demand) => open.has(demand));
			for (const demand of takers) {
				const left = (open.get(demand) ?? 0) - 1;
				if (left > 0) open.set(demand, left);
				else open.delete(demand);
			}
			return takers.length > 0;
		};
		return { isWanted, left: () => (open.size > 0 ? Infinity : 0) };
	}

	private takersOf(message: IDataObject): Demand[] {
		const ofContacts = this.ofContacts.find(participantsOf(message));
		return [...ofContacts, ...this.ofAnybody].filter(({ filters }) => matches(message, filters));
	}

	private handOut(messages: readonly IDataObject[]): void {
		for (const message of messages) {
			for (const demand of this.takersOf(message)) {
				const found = this.found.get(demand) ?? [];
				if (found.length < demand.limit) found.push(message);
				this.found.set(demand, found);
			}
		}
	}

	private report(found: number): void {
		const { notices } = this.run;
		if (this.count >= LONG_READING && found < this.count / 10) {
			notices.add(
				`Read ${this.count} messages to find the ${found} that match: the service has no filters by phone, direction, status or text. With the filter "After", fewer are read.`,
				'info',
			);
		}
		if (this.ofContacts.hasUnclear) notices.add(NO_COUNTRY_CODE);
		const wanted = [...this.demands.values()].flatMap(({ filters }) => filters.statuses);
		const missing = [...new Set(wanted)].filter((status) => !this.statuses.has(status));
		if (missing.length > 0 && this.count > 0) {
			notices.add(
				`No message that was read has the status ${quoteAll(missing)}. Those that were read have ${quoteAll([...this.statuses])}.`,
				'info',
			);
		}
	}
}

/** The earliest or latest of the dates of all items; undefined where they have none. */
function outermost(
	demands: readonly Demand[],
	name: 'after' | 'before',
	choose: (one: number, other: number) => number,
): Date | undefined {
	const times = demands.flatMap(({ filters }) => filters[name]?.getTime() ?? []);
	return times.length > 0 ? new Date(times.reduce((a, b) => choose(a, b))) : undefined;
}
