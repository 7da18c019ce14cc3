import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { type ListFilter, readList } from '../../api/list';
import { PAGE_SIZE } from '../../api/pages';
import { RequestFailure } from '../../api/request';
import { isTemporary } from '../../api/retry';
import { assertWhole, pageNameAdvice } from '../getList';
import { type Contact, indexByNumber, writersOf } from './contact';
import { messagesWith, widen } from './filters';
import { dateOf, oldestFirst } from './message';

/** Milliseconds from the beginning of one read to that of the next. */
const INTERVAL = 5_000;
/** How far before the wait messages are read: one that shows up late is new, although its date is not. */
const OVERLAP = 60 * 60_000;
/** A message may show up so much later than one that is dated after it. */
const LONGEST_DELAY = 5 * 60_000;
/** Reads may fail for so long, if the reason may pass by itself. */
const LONGEST_OUTAGE = 2 * 60_000;

/** Whose reply is waited for. */
export interface Awaited {
	contact: Contact;
	/** Replies count after this moment, in milliseconds since 1970; unless given, those that come during the wait. */
	after?: number;
	/** How long to wait, in milliseconds. */
	duration: number;
}

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

/** Waits for replies of many contacts: reads the latest messages every few seconds, once for all of them. */
export class ReplyPoll {
	private readonly parts: PollParts;
	/** Messages are read that are dated after this moment. */
	private from: number;
	/** The read that all are waiting for. */
	private next?: Promise<Inbound>;
	/** When it may begin. */
	private nextAt = 0;
	/** The IDs of the messages that the first read found. */
	private thereAtFirst?: Set<unknown>;
	private isAbandoned = false;

	constructor(parts: PollParts) {
		this.parts = parts;
		this.from = parts.since - OVERLAP;
	}

	/**
	 * Waits for the first reply of a contact: a message that is dated after the given moment. Without one, it is dated
	 * after the wait began, or was not there at first: the clock of the service may be behind.
	 *
	 * @returns the message, or undefined when the time is over.
	 * @throws {RequestFailure | IncompleteList} when the messages cannot be read.
	 */
	async waitFor({ contact, after, duration }: Awaited): Promise<IDataObject | undefined> {
		const { clock, since } = this.parts;
		const deadline = clock.now() + duration;
		const bound = after ?? since;
		this.from = Math.min(this.from, bound - OVERLAP);
		const isReply = (message: IDataObject) =>
			(dateOf(message) ?? -Infinity) > bound ||
			(after === undefined && this.thereAtFirst?.has(message.id) === false);
		for (;;) {
			const { began, writtenBy } = await this.read();
			const reply = oldestFirst(writtenBy(contact.numbers)).find(isReply);
			if (reply || began >= deadline) return reply;
		}
	}

	/** Ends all waiting without a reply. */
	abandon(): void {
		this.isAbandoned = true;
	}

	private async read(): Promise<Inbound> {
		this.next ??= this.readUntilItWorks().finally(() => (this.next = undefined));
		return await this.next;
	}

	private async readUntilItWorks(): Promise<Inbound> {
		const { clock, begun, signal, countryCode } = this.parts;
		await begun;
		const firstTry = clock.now();
		let failure: unknown;
		do {
			// At least a moment, in which an item that cannot be used ends the run.
			await clock.wait(Math.max(this.nextAt - clock.now(), 1), signal);
			if (this.isAbandoned) return { began: Infinity, writtenBy: () => [] };
			const began = clock.now();
			this.nextAt = began + INTERVAL;
			try {
				const messages = await this.readMessages();
				this.thereAtFirst ??= new Set(messages.map(({ id }) => id));
				const writtenBy = indexByNumber(messages, (message) => writersOf(message, countryCode));
				return { began, writtenBy };
			} catch (cause) {
				failure = cause;
			}
		} while (!this.isHopeless(failure) && clock.now() - firstTry < LONGEST_OUTAGE);
		throw failure;
	}

	/** Whether trying again is of no use. What has worked before may work again. */
	private isHopeless(failure: unknown): boolean {
		const isPermanent = failure instanceof RequestFailure && !isTemporary(failure.answer);
		return this.parts.signal?.aborted === true || (isPermanent && !this.thereAtFirst);
	}

	/** Reads the messages that are dated after the moment, or have no date, and moves the moment on. */
	private async readMessages(): Promise<IDataObject[]> {
		const client = this.parts.client.within(LONGEST_OUTAGE);
		// A day more, for a service that reads the date as a day that is left out.
		const filters = widen({ inboxIds: [], after: new Date(this.from) }, 1);
		const list = await readList(client, {
			...messagesWith(filters, client.account),
			limit: Infinity,
			// One page after the other, so that nothing is read beyond the moment.
			concurrency: 1,
			newFilter: () => latestFrom(this.from),
		});
		const ignoredPage = pageNameAdvice(client.account.names.pageParameter);
		assertWhole({ ...list, items: [] }, { items: 'messages', ignoredPage });
		const newest = list.items.reduce((date, each) => Math.max(date, dateOf(each) ?? date), 0);
		this.from = Math.max(this.from, Math.min(newest, Date.now()) - LONGEST_DELAY);
		return list.items;
	}
}

/** Picks what is dated after a moment. Where the newest come first, a page full of what is older ends the read. */
function latestFrom(from: number): ListFilter {
	let first: number | undefined;
	let olderInARow = 0;
	const isWanted = (message: IDataObject) => {
		const date = dateOf(message) ?? Infinity;
		first ??= date;
		const isNewestFirst = date < first;
		olderInARow = date <= from && isNewestFirst ? olderInARow + 1 : 0;
		return date > from;
	};
	return { isWanted, left: () => (olderInARow < PAGE_SIZE ? Infinity : 0) };
}
