import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import type { ListFilter } from '../../api/list';
import { PAGE_SIZE } from '../../api/pages';
import { readList } from '../../api/readList';
import { RequestFailure } from '../../api/request';
import { isTemporary } from '../../api/retry';
import { assertComplete, listWords } from '../getList';
import { type Contact, indexByNumber, writersOf } from './contact';
import { dateOf, oldestFirst } from './message';
import { messagesWith, widen } from './messageQuery';

/** From the beginning of one read to that of the next. */
const READ_INTERVAL_MS = 5_000;
/** How far before the wait messages are read: one that shows up late is new, although its date is not. */
const HISTORY_MS = 60 * 60_000;
/** A message may show up so much later than one that is dated after it. */
const MAX_LATENESS_MS = 5 * 60_000;
/** Reads may fail for so long, if the reason may pass by itself. */
const MAX_OUTAGE_MS = 2 * 60_000;

interface PollParts {
	client: Client;
	/** Of the contacts that are waited for. */
	countryCode?: string;
	clock: Clock;
	/** When the wait began, in milliseconds since 1970. */
	since: number;
	/** Resolves when all have begun to wait, so that they share the first read. */
	begun: Promise<void>;
	signal?: AbortSignal;
}

/** What one read found. */
interface Inbound {
	/** When it began, by the clock of the wait. */
	began: number;
	/** Gives the messages that somebody has written. */
	writtenBy: (numbers: readonly string[]) => IDataObject[];
}

/** Of a read that failed or was not made, which ends no wait. */
const NO_READ: Inbound = { began: -Infinity, writtenBy: () => [] };

/** Waits for replies of many contacts: reads the latest messages every few seconds, once for all of them. */
export class ReplyPoll {
	private readonly parts: PollParts;
	/** The read that all are waiting for. */
	private next?: Promise<Inbound>;
	/** When it may begin. */
	private nextAt = 0;
	/** Messages are read that are dated after this moment. */
	private from: number;
	/** The IDs of the messages that the first read found. */
	private thereAtFirst?: Set<unknown>;
	/** When the first of the reads that failed in a row began. */
	private failingSince?: number;
	private isAbandoned = false;

	constructor(parts: PollParts) {
		this.parts = parts;
		this.from = parts.since - HISTORY_MS;
	}

	/**
	 * Waits for the first reply of a contact.
	 *
	 * @param duration how long to wait, in milliseconds
	 * @param after the moment after which a reply is dated, in milliseconds since 1970. Without one, it is dated after the
	 *   wait began, or was not there at first: the clock of the service may be behind.
	 * @returns the message, or undefined when the time is over.
	 * @throws {RequestFailure | IncompleteList} when the messages cannot be read.
	 */
	async waitFor(
		{ numbers }: Contact,
		duration: number,
		after?: number,
	): Promise<IDataObject | undefined> {
		const { clock, since } = this.parts;
		const deadline = clock.now() + duration;
		const bound = after ?? since;
		this.from = Math.min(this.from, bound - HISTORY_MS);
		const isReply = (message: IDataObject) =>
			(dateOf(message) ?? -Infinity) > bound ||
			(after === undefined && this.thereAtFirst?.has(message.id) === false);
		while (!this.isAbandoned) {
			// All who wait share the next read.
			this.next ??= this.read().finally(() => (this.next = undefined));
			const { began, writtenBy } = await this.next;
			const reply = oldestFirst(writtenBy(numbers)).find(isReply);
			if (reply || began >= deadline) return reply;
		}
		return undefined;
	}

	/** Ends all waiting without a reply. */
	abandon(): void {
		this.isAbandoned = true;
	}

	/** Reads the messages once, when it is time to. */
	private async read(): Promise<Inbound> {
		const { clock, begun, signal, countryCode } = this.parts;
		await begun;
		// At least a moment, in which an item that cannot be used ends the run.
		await clock.wait(Math.max(this.nextAt - clock.now(), 1), signal);
		if (this.isAbandoned) return NO_READ;
		const began = clock.now();
		this.nextAt = began + READ_INTERVAL_MS;
		const messages = await this.readMessages().catch((failure: unknown) =>
			this.tolerate(failure, began),
		);
		if (!messages) return NO_READ;
		this.failingSince = undefined;
		this.thereAtFirst ??= new Set(messages.map(({ id }) => id));
		const writtenBy = indexByNumber(messages, (message) => writersOf(message, countryCode));
		return { began, writtenBy };
	}

	/** Throws the failure of a read, unless the next one may succeed. What has worked before may work again. */
	private tolerate(failure: unknown, began: number): undefined {
		const { clock, signal } = this.parts;
		this.failingSince ??= began;
		const isPermanent = failure instanceof RequestFailure && !isTemporary(failure.answer);
		const isHopeless = signal?.aborted === true || (isPermanent && !this.thereAtFirst);
		if (isHopeless || clock.now() - this.failingSince >= MAX_OUTAGE_MS) throw failure;
	}

	/** Reads the messages that are dated after the moment, or have no date, and moves the moment on. */
	private async readMessages(): Promise<IDataObject[]> {
		const client = this.parts.client.within(MAX_OUTAGE_MS);
		// A day more, for a service that reads the date as a day that is left out.
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

/** Takes what is dated after a moment. Where the newest come first, a page full of what is older ends the read. */
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
		this.first ??= date;
		const isNewestFirst = date < this.first;
		this.olderInARow = date <= this.from && isNewestFirst ? this.olderInARow + 1 : 0;
		return date > this.from;
	}

	isSatisfied(): boolean {
		return this.olderInARow >= PAGE_SIZE;
	}
}
