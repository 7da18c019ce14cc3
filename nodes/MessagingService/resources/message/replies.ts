import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { IncompleteList, pageFetcher } from '../../api/list';
import { messagesOf } from '../../api/lists';
import { isInterruption } from '../../api/outcome';
import type { Page } from '../../api/page';
import { PAGE_SIZE, Pages } from '../../api/pages';
import { RequestFailure } from '../../api/requestFailure';
import { Problem } from '../../nodeError';
import { pageNameAdvice } from '../list';
import type { LatestReply } from './answered';
import type { Contact } from './contact';
import { datesOf, toQuery, widen } from './filters';
import { writersOf } from './people';
import { PhoneIndex } from './phoneIndex';
import { ServiceClock } from './serviceClock';

/** Milliseconds from the beginning of one reading to that of the next. */
const INTERVAL = 5_000;
/** How far back a reading goes before the one before it, for messages that show up late. */
const OVERLAP = 2 * 60_000;
/** For so long, requests may fail in a way that may pass by itself. */
const LONGEST_OUTAGE = 2 * 60_000;
/** A service that reads dates by the day gives more than it is asked for, but nothing as old as this. */
const DAYS_OFF = 4 * 24 * 60 * 60_000;

/** Whose reply is waited for. */
export interface Awaited {
	contact: Contact;
	/** Replies count after this moment, in milliseconds since 1970; unless given, after the beginning of the wait. */
	after?: number;
	/** What has answered something else: messages up to then, and of that moment those that are named. */
	answered?: LatestReply;
	/** How long to wait, in milliseconds. */
	duration: number;
}

export interface WaitParts {
	client: Client;
	clock: Clock;
	/** When the wait counts as begun, in milliseconds since 1970 by the clock of this machine. */
	since: number;
	/** The time of this machine, in milliseconds since 1970. */
	now(): number;
	/** Resolves when all have begun to wait, so that they share the first reading. */
	begun: Promise<void>;
	signal?: AbortSignal;
}

/** Someone who is waited for, and where the answer goes. */
interface Waiter extends Awaited {
	/** By the clock of the wait. */
	deadline: number;
	/** Whether a reading has gone back to where the wait began. */
	isRead: boolean;
	/** Whether the reading before found a reply, though maybe not the earliest. */
	isFound: boolean;
	/** Messages that were there at that reading, and may have been written before the wait began. */
	early: Set<unknown>;
	resolve(reply: IDataObject | undefined): void;
	reject(cause: unknown): void;
}

/** New messages of a page. */
interface NewMessages {
	messages: readonly IDataObject[];
	/** Whether those that were written before them have been read too. */
	isComplete: boolean;
}

/** The earliest reply of a contact in a reading. */
interface Found {
	reply: IDataObject;
	at: number;
	/** Whether there is none before it. */
	isFirst: boolean;
}

/**
 * Waits for replies of many contacts at once. New messages are read every few seconds, in one reading for all of
 * them. What a reading finds counts when it has come to its end, since an earlier reply may still be missing.
 */
export class Replies {
	/** Whether a message came that cannot be assigned, for lack of a country code. */
	hasUnclear = false;
	/** Whether a message came without a date, so that nobody can tell whether it is a reply. */
	hasUndated = false;

	private readonly parts: WaitParts;
	private readonly index = new PhoneIndex<Waiter>();
	private readonly open = new Set<Waiter>();
	private isRunning = false;
	/** When the service last answered, by the clock of the wait. */
	private answeredAt: number;
	private readonly serviceClock = new ServiceClock();
	/** By the clock of this machine, the beginning of the latest reading that succeeded. */
	private readUpTo?: number;

	constructor(parts: WaitParts) {
		this.parts = parts;
		this.answeredAt = parts.clock.now();
	}

	/**
	 * Waits for the first reply of a contact.
	 *
	 * @returns the message, or undefined when the time is over.
	 * @throws {RequestFailure | Problem} when the messages cannot be read.
	 */
	async of(awaited: Awaited): Promise<IDataObject | undefined> {
		const reply = new Promise<IDataObject | undefined>((resolve, reject) => {
			const deadline = this.parts.clock.now() + awaited.duration;
			const waiter: Waiter = {
				...awaited,
				deadline,
				isRead: false,
				isFound: false,
				early: new Set(),
				resolve,
				reject,
			};
			this.open.add(waiter);
			this.index.add(awaited.contact, waiter);
		});
		if (!this.isRunning) {
			this.isRunning = true;
			void this.run();
		}
		return await reply;
	}

	/** Ends all waiting without a reply. */
	abandon(): void {
		for (const waiter of this.open) this.settle(waiter, undefined);
	}

	private async run(): Promise<void> {
		const { clock, begun, signal } = this.parts;
		await begun;
		for (let completedAt = clock.now(); this.open.size > 0; ) {
			const began = clock.now();
			try {
				await this.read(began);
				completedAt = began;
			} catch (cause) {
				// Pages may have moved faster than they were read.
				const isOver = began - completedAt >= LONGEST_OUTAGE;
				if (isOver || !(cause instanceof IncompleteList)) this.fail(cause);
			}
			if (this.open.size > 0) await clock.wait(began + INTERVAL - clock.now(), signal);
		}
		this.isRunning = false;
	}

	/** Makes one reading, and settles all whose reply it found or whose time was over before it. */
	private async read(began: number): Promise<void> {
		const waiting = [...this.open];
		const due = new Set(waiting.filter(({ deadline }) => deadline <= began));
		// For those whose time is over once more from the beginning, in case a message showed up very late.
		const whole = waiting.filter((waiter) => !waiter.isRead || due.has(waiter));
		const startedAt = this.parts.now();
		const found = new Map<Waiter, Found>();
		const slices = this.parts.client.slices();
		for await (const { messages, isComplete } of this.pages(whole)) {
			for (const message of messages) {
				this.note(message, found, isComplete);
				await slices.next();
			}
		}
		for (const waiter of new Set([...found.keys(), ...due])) {
			const { reply, isFirst = true } = found.get(waiter) ?? {};
			// The next reading has the earlier one too.
			if (isFirst || waiter.isFound || due.has(waiter)) this.settle(waiter, reply);
			else waiter.isFound = true;
			await slices.next();
		}
		for (const waiter of waiting) waiter.isRead = true;
		this.readUpTo = startedAt;
	}

	/** From when on messages are read, by the service's clock. */
	private lowerBound(whole: readonly Waiter[]): number {
		const earliest = whole.map((waiter) => this.afterOf(waiter)).reduce(min, Infinity);
		const since = this.readUpTo === undefined ? Infinity : this.serviceClock.latest(this.readUpTo);
		return Math.min(earliest, since - OVERLAP);
	}

	private afterOf({ after, answered }: Waiter): number {
		// An upper bound, so that a message that started the workflow never counts as a reply. Each answer may lower it.
		const begin = after ?? this.serviceClock.latest(this.parts.since);
		return Math.max(begin, answered?.at ?? -Infinity);
	}

	private isReply(message: IDataObject, date: number, waiter: Waiter): boolean {
		const { after, answered, isRead, early } = waiter;
		const bound = this.afterOf(waiter);
		if (date > bound) return true;
		if (date === answered?.at) return date === bound && !answered.ids.includes(String(message.id));
		const earliest = this.serviceClock.earliest(this.parts.since);
		if (after !== undefined || date <= Math.max(earliest, answered?.at ?? -Infinity)) return false;
		// As far as clocks can tell, it may be of just before the wait or of just after. What was not there at first is new.
		if (!isRead) early.add(message.id);
		return isRead && !early.has(message.id);
	}

	/**
	 * All new messages, one page after the other: while they move from page to page, none slips through. Where the newest
	 * come last, or in no order, one may come onto a page that was read already, before others on a later one.
	 */
	private async *pages(whole: readonly Waiter[]): AsyncGenerator<NewMessages> {
		const from = this.lowerBound(whole);
		const { client } = this.parts;
		const { account } = client;
		const source = messagesOf(account);
		// A day more, for a service that reads the date as a day that is left out.
		const filters = widen({ inboxIds: [], after: new Date(from) }, 1);
		const request = { ...source.request, query: toQuery(filters, account.names) };
		const fetcher = pageFetcher(() => client, { ...source, request }, PAGE_SIZE);
		const pages = new Pages({
			...fetcher,
			fetch: async (position) => await this.patiently(async () => await fetcher.fetch(position)),
			prefetch: () => 1,
		});
		let oldest = Infinity;
		let isFirstPage = true;
		for await (const messages of pages) {
			if (messages.some((message) => isOlder(message, from - DAYS_OFF))) throw ignoredBound();
			oldest = oldestOf(messages, oldest);
			yield { messages, isComplete: isFirstPage || !Number.isNaN(oldest) };
			isFirstPage = false;
			// Of a list that begins with the newest, the day more need not be read. The service's time is known only now.
			if (oldest < this.lowerBound(whole)) return;
		}
		if (pages.missing) throw pages.missing.cause;
		if (pages.repeats && (pages.outstanding ?? 0) > 0) {
			const cause = new Problem(
				'The list of messages is not complete',
				`The service returned the same page again and again. ${pageNameAdvice(source.pageParameter)}`,
			);
			throw new IncompleteList([], { cause });
		}
	}

	/** Fetches a page, as often as it takes while the service is out of order for a moment. */
	private async patiently(fetch: () => Promise<Page>): Promise<Page> {
		const { clock, now, signal } = this.parts;
		for (;;) {
			const sentAt = now();
			const page = await fetch().catch((cause: unknown) => ({ cause }));
			if (!('cause' in page)) {
				this.answeredAt = clock.now();
				this.serviceClock.note(page.answeredAt, sentAt, now());
				return page;
			}
			const isOver = clock.now() - this.answeredAt >= LONGEST_OUTAGE;
			const { cause } = page;
			const mayPass = cause instanceof RequestFailure && isInterruption(cause.outcome);
			if (isOver || !mayPass) throw cause;
			await clock.wait(INTERVAL, signal);
		}
	}

	private note(message: IDataObject, found: Map<Waiter, Found>, isComplete: boolean): void {
		const writers = writersOf(message);
		const waiters = this.index.find(writers).filter((waiter) => this.open.has(waiter));
		if (waiters.length === 0) this.hasUnclear ||= this.index.mayContain(writers);
		const dates = datesOf(message);
		if (waiters.length > 0 && dates.length === 0) this.hasUndated = true;
		const [at] = dates;
		for (const waiter of waiters) {
			const isReply = dates.some((date) => this.isReply(message, date, waiter));
			const earliest = found.get(waiter);
			const isEarlier =
				!earliest || at < earliest.at || (at === earliest.at && isBefore(message, earliest.reply));
			if (isReply && isEarlier) found.set(waiter, { reply: message, at, isFirst: isComplete });
		}
	}

	private settle(waiter: Waiter, reply: IDataObject | undefined): void {
		this.open.delete(waiter);
		waiter.resolve(reply);
	}

	private fail(cause: unknown): void {
		for (const waiter of this.open) waiter.reject(cause);
		this.open.clear();
	}
}

function isOlder(message: IDataObject, time: number): boolean {
	const dates = datesOf(message);
	return dates.length > 0 && dates.every((date) => date < time);
}

/**
 * When the oldest message so far was written at the latest, as long as the newest come first. Where they do not,
 * NaN from then on: it is not less than any time.
 *
 * @param oldest of the pages before
 */
function oldestOf(page: readonly IDataObject[], oldest: number): number {
	const times = page.map((message) => datesOf(message).reduce(max, -Infinity));
	const isInOrder = times.every((time, index) => time <= (times[index - 1] ?? oldest));
	return isInOrder ? times.reduce(min, oldest) : NaN;
}

function ignoredBound(): Problem {
	return new Problem(
		'The service returned messages that are older than requested',
		'To wait for replies, the node asks for new messages only, but the service seems to know this filter by another name. In the credential, turn on "Custom Names" and set "After Parameter" and "Date Format".',
	);
}

/** Whether a message of the same moment was written before another, by its ID. */
function isBefore(message: IDataObject, other: IDataObject): boolean {
	return Number(message.id) < Number(other.id);
}

function min(a: number, b: number): number {
	return Math.min(a, b);
}

function max(a: number, b: number): number {
	return Math.max(a, b);
}
