import type { IDataObject } from 'n8n-workflow';
import type { Response } from '../../../nodes/MessagingService/api/answer';
import type { Http } from '../../../nodes/MessagingService/api/request';
import { response } from './api';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

/** How a service reads a bound: to the moment or by its day in some zone, and whether the bound itself belongs. */
interface BoundReading {
	by: 'moment' | 'day';
	isInclusive: boolean;
}

/** One way to read what the interface says of the list of messages. */
export interface Reading {
	lower: BoundReading;
	upper: BoundReading;
	/** Hours that the days of the service are ahead of UTC. */
	zone: number;
	/** What it does with bounds: an ignored or refused one may be known by another name. */
	bounds: 'applied' | 'ignored' | 400 | 422 | 500;
	order: 'newestFirst' | 'oldestFirst';
	firstPage: 0 | 1;
	maxPageSize: number;
	total: 'right' | 'missing' | 'stale' | 'tooSmall' | 'tooLarge' | 'unfiltered' | 'ofPage' | 'left';
	links:
		| 'absolute'
		| 'relative'
		| 'otherHost'
		| 'otherScheme'
		| 'userinfo'
		| 'cursor'
		| 'cursorOnOtherHost'
		| 'empty'
		| 'none';
	beyondEnd: 'empty' | 'lastPage' | 400 | 404;
}

/** What happens to the list before each request but the first, for so many requests. */
export interface Traffic {
	arriving: number;
	/** Of the messages that are there, how many are removed, and where: 0 is the newest. */
	removing: number;
	where: number;
	requests: number;
}

/** A message, or an entry that is none. */
export type Entry = (IDataObject & { id: number; timestamp: string }) | null;

const ORIGIN = 'https://messaging.example.com';
const PATH = '/public/messages';
const BASES: Record<Reading['links'], string> = {
	absolute: `${ORIGIN}/api${PATH}`,
	relative: '',
	otherHost: `http://internal.example.net:8080${PATH}`,
	otherScheme: `http://messaging.example.com/api${PATH}`,
	userinfo: `https://user:password@messaging.example.com/api${PATH}`,
	cursor: '',
	cursorOnOtherHost: `http://internal.example.net:8080${PATH}`,
	empty: '',
	none: '',
};
// Ends a test that would otherwise go on for ever.
const MOST_REQUESTS = 3_000;

/** A service in memory with a list of messages that may move while it is read. */
export class MessageService {
	requests = 0;
	/** Requests that went anywhere else than to the list. */
	readonly strays: string[] = [];
	/** What is there, newest first. */
	entries: readonly Entry[];

	private readonly reading: Reading;
	private readonly traffic: Traffic;
	private lastId = 1_000_000;
	private answered = 0;
	/** The total at the first request, for a service that counts now and then only. */
	private firstTotal?: number;

	constructor(reading: Reading, entries: readonly Entry[], traffic: Traffic) {
		this.reading = reading;
		this.entries = entries;
		this.traffic = traffic;
	}

	/** Answers requests; how long each is on its way there and back comes from `latencies`, over and over. */
	http(
		wait: (milliseconds: number) => Promise<void>,
		now: () => number,
		latencies: number[],
	): Http {
		return async ({ url }) => {
			const latency = latencies[this.requests++ % latencies.length];
			// Requests may overtake each other.
			await wait(latency);
			const answer = this.answer(new URL(url), now());
			await wait(latency);
			return answer;
		};
	}

	private answer(url: URL, now: number): Response {
		if (url.origin !== ORIGIN || url.pathname !== `/api${PATH}` || url.username !== '') {
			this.strays.push(url.href);
		}
		if (this.requests > MOST_REQUESTS) return response(500, 'too many requests');
		if (this.answered++ > 0 && this.answered <= this.traffic.requests + 1) this.move(now);
		const query = url.searchParams;
		const { bounds, beyondEnd, maxPageSize } = this.reading;
		const isBounded = query.has('startDate') || query.has('endDate');
		if (typeof bounds === 'number' && isBounded) return response(bounds);
		const list = this.list(bounds === 'applied' ? query : new URLSearchParams());
		const size = Math.min(Number(query.get('limit')), maxPageSize);
		const last = Math.max(Math.ceil(list.length / size) - 1, 0);
		const asked = this.pageOf(query);
		if (typeof beyondEnd === 'number' && asked > last) return response(beyondEnd);
		const page = beyondEnd === 'lastPage' ? Math.min(asked, last) : asked;
		const data = list.slice(page * size, (page + 1) * size);
		const total = this.totalOf(list.length, data.length, page * size);
		return response(200, JSON.stringify({ data, total, links: this.linksOf(query, page, last) }));
	}

	private move(now: number): void {
		const { arriving, removing, where } = this.traffic;
		const entries = [...this.entries];
		if (removing > 0) entries.splice(Math.floor(where * entries.length), removing);
		for (let i = 0; i < arriving; i++) entries.unshift(messageAt(this.lastId++, now));
		this.entries = entries;
	}

	private list(query: URLSearchParams): readonly Entry[] {
		const [after, before] = ['startDate', 'endDate'].map((name) => query.get(name));
		const { lower, upper, order } = this.reading;
		const passes = (entry: Entry) => {
			if (!entry) return true;
			const time = Date.parse(entry.timestamp);
			const above = after === null ? 1 : this.compare(time, Date.parse(after), lower);
			const below = before === null ? 1 : this.compare(Date.parse(before), time, upper);
			return (
				(above > 0 || (above === 0 && lower.isInclusive)) &&
				(below > 0 || (below === 0 && upper.isInclusive))
			);
		};
		const list = this.entries.filter(passes);
		return order === 'newestFirst' ? list : list.reverse();
	}

	private compare(time: number, other: number, { by }: BoundReading): number {
		const unit = (value: number) =>
			by === 'moment' ? value : Math.floor((value + this.reading.zone * HOUR) / DAY);
		return unit(time) - unit(other);
	}

	/** The page that is meant, counted from 0. */
	private pageOf(query: URLSearchParams): number {
		const { firstPage } = this.reading;
		const cursor = query.get('cursor');
		if (cursor !== null) return Number(cursor.slice(1));
		return Math.max(Number(query.get('page') ?? firstPage) - firstPage, 0);
	}

	private totalOf(length: number, onPage: number, before: number): number | undefined {
		switch (this.reading.total) {
			case 'right':
				return length;
			case 'missing':
				return undefined;
			case 'stale':
				this.firstTotal ??= length;
				return this.firstTotal;
			case 'tooSmall':
				return Math.floor(length / 2);
			case 'tooLarge':
				return length * 2 + 7;
			case 'unfiltered':
				return this.entries.length;
			case 'ofPage':
				return onPage;
			case 'left':
				return Math.max(length - before, 0);
		}
	}

	private linksOf(query: URLSearchParams, page: number, last: number): IDataObject | undefined {
		const { links, firstPage } = this.reading;
		if (links === 'none') return undefined;
		const link = (number: number, exists: boolean) => {
			if (links === 'empty' || !exists) return '';
			const search = new URLSearchParams(query);
			const isCursor = links === 'cursor' || links === 'cursorOnOtherHost';
			search.set(
				isCursor ? 'cursor' : 'page',
				isCursor ? `c${number}` : String(number + firstPage),
			);
			return `${BASES[links]}?${search.toString()}`;
		};
		return {
			self: link(page, true),
			prev: link(page - 1, page > 0),
			next: link(page + 1, page < last),
		};
	}
}

/** A message of a moment. */
export function messageAt(id: number, time: number): NonNullable<Entry> {
	return { id, timestamp: new Date(time).toISOString() };
}
