import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/time';
import type { ListFilter } from '../../api/list';
import { PAGE_SIZE } from '../../api/pages';
import { readList } from '../../api/readList';
import { RequestFailure } from '../../api/request';
import { isTemporary } from '../../api/retry';
import { assertComplete } from '../getList';
import { listWords } from '../listWords';
import { type Contact, indexByNumber, writersOf } from './contact';
import { dateOf, idOf, oldestFirst } from './message';
import { messagesWith, widen } from './messageQuery';

/** The poll interval, from the beginning of one read to that of the next. */
const READ_INTERVAL_MS = 5_000;
/** How far before the wait messages are read: one that shows up late is new although its date is older. */
const HISTORY_MS = 60 * 60_000;
/** How long a message may take to show up after one with a later date. */
const MAX_LATENESS_MS = 5 * 60_000;
/** How long reads may keep failing if the cause may be temporary. */
const MAX_OUTAGE_MS = 2 * 60_000;

interface PollParts {
	client: Client;
	/** The country code for numbers that have none. */
	countryCode?: string;
	clock: Clock;
	/** When the wait began, in milliseconds since 1970. */
	since: number;
	/** Ends all waiting when it aborts. */
	signal: AbortSignal;
}

/** The inbound messages that one read found. */
interface Inbound {
	/** When the read began, according to `clock`. */
	began: number;
	/** Whether it is the first read, so that its messages may be older than the wait. */
	isFirst: boolean;
	/** Returns the messages that were written from any of the numbers. */
	writtenBy: (numbers: readonly string[]) => IDataObject[];
}

/** The result of a read that failed or was not made. It ends no wait. */
const NO_READ: Inbound = { began: -Infinity, isFirst: false, writtenBy: () => [] };

/** Waits for replies of many contacts: reads the latest messages every few seconds, once for all of them. */
export class ReplyPoll {
	private readonly parts: PollParts;
	/** The read that all are waiting for. */
	private next?: Promise<Inbound>;
	/** When the next read may begin. */
	private nextAt = 0;
	/** Only messages dated after this moment are read. */
	private from: number;
	/** What identifies the messages that the first read found. */
	private thereAtFirst?: Set<unknown>;
	/** When the first of the reads that failed in a row began. */
	private failingSince?: number;

	constructor(parts: PollParts) {
		this.parts = parts;
		this.from = parts.since - HISTORY_MS;
	}

	/**
	 * Waits for the first reply of a contact.
	 *
	 * @param duration how long to wait, in milliseconds
	 * @param after a reply is dated after this moment, in milliseconds since 1970. Without it, a reply is what the first
	 *   read had not, whenever it is dated, since the clock of the service may be behind; or, in the first read itself,
	 *   what is dated after the wait began.
	 * @returns the message, or undefined when the time is over.
	 * @throws {RequestFailure | IncompleteList} when the messages cannot be read.
	 */
	async waitFor(
		{ numbers }: Contact,
		duration: number,
		after?: number,
	): Promise<IDataObject | undefined> {
		const { clock, since, signal } = this.parts;
		const deadline = clock.now() + duration;
		const bound = after ?? since;
		this.from = Math.min(this.from, bound - HISTORY_MS);
		while (!signal.aborted) {
			// All who wait share the next read.
			this.next ??= this.read().finally(() => (this.next = undefined));
			const { began, isFirst, writtenBy } = await this.next;
			const isReply = (message: IDataObject) =>
				isFirst || after !== undefined
					? (dateOf(message) ?? -Infinity) > bound
					: this.thereAtFirst?.has(idOf(message)) === false;
			const reply = oldestFirst(writtenBy(numbers)).find(isReply);
			if (reply || began >= deadline) return reply;
		}
		return undefined;
	}

	/** Reads the messages once, as soon as the next read is due. */
	private async read(): Promise<Inbound> {
		const { clock, signal, countryCode } = this.parts;
		// Waits at least briefly, so that all who begin to wait at the same time share the read.
		await clock.wait(Math.max(this.nextAt - clock.now(), 1), signal);
		if (signal.aborted) return NO_READ;
		const began = clock.now();
		this.nextAt = began + READ_INTERVAL_MS;
		const messages = await this.readMessages().catch((failure: unknown) =>
			this.tolerate(failure, began),
		);
		if (!messages) return NO_READ;
		this.failingSince = undefined;
		const isFirst = this.thereAtFirst === undefined;
		this.thereAtFirst ??= new Set(messages.map(idOf));
		const writtenBy = indexByNumber(messages, (message) => writersOf(message, countryCode));
		return { began, isFirst, writtenBy };
	}

	/** Rethrows the failure of a read, unless the next may succeed. Once a read has worked, any failure may pass. */
	private tolerate(failure: unknown, began: number): undefined {
		const { clock, signal } = this.parts;
		this.failingSince ??= began;
		const isPermanent = failure instanceof RequestFailure && !isTemporary(failure.answer);
		const isHopeless = signal.aborted || (isPermanent && !this.thereAtFirst);
		if (isHopeless || clock.now() - this.failingSince >= MAX_OUTAGE_MS) throw failure;
	}

	/** Reads the messages that are dated after `from`, or have no date, and moves `from` forward. */
	private async readMessages(): Promise<IDataObject[]> {
		const client = this.parts.client.within(MAX_OUTAGE_MS);
		// Asks for a day more, since the service may read the date as a whole day and exclude that day.
		const filters = widen({ inboxIds: [], after: new Date(this.from) }, 1);
		const list = await readList(client, {
			...messagesWith(filters, client.account),
			limit: Infinity,
			// One page after the other, so that nothing is read beyond the moment.
			concurrency: 1,
			filter: new LatestFrom(this.from),
		});
		assertComplete(list, listWords('messages', client.account));
		const newest = list.items.reduce((date, each) => Math.max(date, dateOf(each) ?? date), 0);
		this.from = Math.max(this.from, Math.min(newest, Date.now()) - MAX_LATENESS_MS);
		return list.items;
	}
}

/** Takes messages dated after a moment. In a list sorted newest first, a full page of older messages ends the read. */
class LatestFrom implements ListFilter {
	private readonly from: number;
	private first?: number;
	private olderInARow = 0;

	constructor(from: number) {
		this.from = from;
	}

	restart(): void {
		this.first = undefined;
		this.olderInARow = 0;
	}

	take(message: IDataObject): boolean {
		const date = dateOf(message) ?? Infinity;
		if (date !== Infinity) this.first ??= date;
		const isNewestFirst = this.first !== undefined && date < this.first;
		this.olderInARow = date <= this.from && isNewestFirst ? this.olderInARow + 1 : 0;
		return date > this.from;
	}

	isSatisfied(): boolean {
		return this.olderInARow >= PAGE_SIZE;
	}
}
