import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../../api/account';
import { type ListFilter, type ListQuery, readList } from '../../api/list';
import { PAGE_SIZE } from '../../api/pages';
import { readTransport } from '../../panel/options';
import { isWhole, pageNameAdvice, PAGES_AT_ONCE, report } from '../list';
import type { Item, Run } from '../operation';
import { ByNumber, participantsOf } from './contact';
import {
	dateOf,
	matches,
	messagesWith,
	type MessageFilters,
	type ServiceFilters,
	widen,
} from './filters';

const HOUR = 60 * 60_000;
/** A reading of so many messages is long, if it brings less than a tenth of them. */
const LONG_READING = 500;

const WORDS = {
	items: 'messages',
	ignoredFilter:
		'The service may know the filters by other names: in the credential, turn on "Override API Names" and set "Inbox IDs Parameter", "After Parameter" and "Before Parameter".',
	moving:
		'Add the filter "Before" with a moment that has passed, such as {{ $now.minus({ minutes: 5 }) }}.',
};

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

const NOTHING: Found = { messages: [], isWhole: false };

/** One reading of the list for several items. */
interface Reading {
	demands: Demand[];
	/** Gives an item its messages, once they are read. */
	result: Promise<(demand: Demand) => Found>;
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
		const reading = this.readings.get(key) ?? this.begin(item);
		this.readings.set(key, reading);
		reading.demands.push(demand);
		const give = await reading.result;
		return give(demand);
	}

	/** Begins no further reading. */
	abandon(): void {
		this.isAbandoned = true;
	}

	private begin(item: Item): Reading {
		const demands: Demand[] = [];
		const result = this.latest.then(async () =>
			this.isAbandoned ? () => NOTHING : await this.read(item, demands),
		);
		this.latest = result.catch(() => {});
		return { demands, result };
	}

	/** @param item the first of the items, with whose options the list is read */
	private async read(item: Item, demands: readonly Demand[]): Promise<(demand: Demand) => Found> {
		const { account } = this.run.client;
		const inRange = withoutContent(demands[0].filters);
		let newest: number | undefined;
		let count = 0;
		const newFilter = (): ListFilter => {
			const shares = new Shares(demands);
			count = 0;
			const isWanted = (message: IDataObject) => {
				newest = Math.max(newest ?? -Infinity, dateOf(message) ?? -Infinity);
				if (matches(message, inRange)) count++;
				return shares.deal(message);
			};
			return { isWanted, left: () => shares.left };
		};
		const list = await readList(item.client, { ...queryOf(account, demands), newFilter });
		const shares = new Shares(demands);
		for (const message of list.items) shares.deal(message);
		if (count >= LONG_READING && list.items.length < count / 10) {
			this.run.notices.add(
				`Read ${count} messages to find the ${list.items.length} that match: the service has no filters by phone, direction, status or text. With the filter "After", fewer are read.`,
				'info',
			);
		}
		const words = { ...WORDS, ignoredPage: pageNameAdvice(account.names.pageParameter) };
		return (demand) => ({
			messages: report(this.run, demand, { ...list, items: shares.of(demand) }, words),
			newest,
			isWhole: isWhole(list),
		});
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

/**
 * How the list is read. The service is asked for a day more on either side, unless its pages are counted from a start
 * page; which messages come out is decided here.
 */
function queryOf(account: Account, demands: readonly Demand[]): ListQuery {
	// The dates of all begin and end within an hour, so those of one of them do.
	const [{ filters, startPage }] = demands;
	// One day is asked for, and the service may read dates as whole days.
	const tolerated = withoutContent(widen(filters, 2));
	const isCounted = startPage !== undefined;
	const isFiltered = demands.some((demand) =>
		Object.values(demand.filters)
			.flat()
			.some((filter) => filter !== undefined),
	);
	const wanted = demands.reduce((sum, { limit }) => sum + limit, 0);
	return {
		...messagesWith(isCounted ? filters : widen(filters, 1), account),
		// Each share has a limit of its own.
		limit: Infinity,
		startPage,
		pageSize: isFiltered && !isCounted ? PAGE_SIZE : Math.min(wanted, PAGE_SIZE),
		isUnmatched: (message) => !matches(message, tolerated),
		concurrency: PAGES_AT_ONCE,
	};
}

/** The filters that the service knows, for a look at what it gave. */
function withoutContent({ inboxIds, after, before }: ServiceFilters): MessageFilters {
	return { inboxIds, after, before, statuses: [] };
}

/** The "number" of demands that name no contact. */
const ANYBODY = '';

/** Gives each message to the items that want it, as long as they want more. */
class Shares {
	private readonly shares = new Map<Demand, IDataObject[]>();
	private readonly byNumber = new ByNumber<Demand>();
	private readonly countryCode?: string;
	private readonly isByContact: boolean;
	/** How many more messages are wanted. */
	left: number;

	/** @param demands with one country code for all */
	constructor(demands: readonly Demand[]) {
		this.left = demands.reduce((sum, { limit }) => sum + limit, 0);
		this.isByContact = demands.some(({ filters }) => filters.contact);
		this.countryCode = demands.at(0)?.filters.contact?.countryCode;
		for (const demand of demands) {
			this.byNumber.add(demand.filters.contact?.numbers ?? [ANYBODY], demand);
			this.shares.set(demand, []);
		}
	}

	of(demand: Demand): IDataObject[] {
		return this.shares.get(demand) ?? [];
	}

	/** @returns whether anybody has taken the message */
	deal(message: IDataObject): boolean {
		const numbers = this.isByContact ? participantsOf(message, this.countryCode) : [];
		const takers = this.byNumber
			.find([...numbers, ANYBODY])
			.filter(
				(demand) => this.of(demand).length < demand.limit && matches(message, demand.filters),
			);
		for (const demand of takers) {
			this.of(demand).push(message);
			this.left--;
		}
		return takers.length > 0;
	}
}
