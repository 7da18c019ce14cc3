import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { type ListFilter, readList } from '../../api/list';
import { PAGE_SIZE } from '../../api/pages';
import { RequestFailure } from '../../api/request';
import { isTemporary } from '../../api/retry';
import { assertWhole, pageNameAdvice } from '../list';
import { ByNumber, type Contact, writersOf } from './contact';
import { dateOf, messagesWith, widen } from './filters';

/** Milliseconds from the beginning of one reading to that of the next. */
const INTERVAL = 5_000;
/** How far before the wait messages are read: one that shows up late is new, although its date is not. */
const OVERLAP = 60 * 60_000;
/** For so long, a message may show up later than one that is dated after it. */
const LONGEST_DELAY = 5 * 60_000;
/** For so long, requests may fail in a way that may pass by itself. */
const LONGEST_OUTAGE = 2 * 60_000;

/** Whose reply is waited for. */
export interface Awaited {
	contact: Contact;
	/** Replies count after this moment, in milliseconds since 1970; unless given, those that come during the wait. */
	after?: number;
	/** How long to wait, in milliseconds. */
	duration: number;
}

interface WaitParts {
	client: Client;
	/** Of the contacts that are waited for. */
	countryCode?: string;
	clock: Clock;
	/** When the wait began, in milliseconds since 1970. */
	since: number;
	/** Resolves when all have begun to wait, so that they share the first reading. */
	begun: Promise<void>;
	signal?: AbortSignal;
}

/** One reading of the messages: when it began by the clock of the wait, and what came in from whom. */
interface Reading {
	began: number;
	byWriter: ByNumber<IDataObject>;
}

/** Waits for replies of many contacts. New messages are read every few seconds, in one reading for all of them. */
export class Replies {
	private readonly parts: WaitParts;
	/** Messages are read that are dated after this moment. */
	private from: number;
	/** When the next reading may begin. */
	private nextAt = 0;
	/** The reading that all are waiting for. */
	private next?: Promise<Reading>;
	private hasRead = false;
	private isAbandoned = false;

	constructor(parts: WaitParts) {
		this.parts = parts;
		this.from = parts.since - OVERLAP;
	}

	/**
	 * Waits for the first reply of a contact: a message that the first reading did not have, or that is dated after the
	 * wait began, or after the moment that is given.
	 *
	 * @returns the message, or undefined when the time is over.
	 * @throws {RequestFailure | IncompleteList} when the messages cannot be read.
	 */
	async of({ contact, after, duration }: Awaited): Promise<IDataObject | undefined> {
		const { clock, since } = this.parts;
		const deadline = clock.now() + duration;
		const bound = after ?? since;
		this.from = Math.min(this.from, bound - OVERLAP);
		let earlier: Set<unknown> | undefined;
		const isReply = (message: IDataObject) => {
			const isLate = after === undefined && earlier?.has(message.id) === false;
			return isLate || (dateOf(message) ?? -Infinity) > bound;
		};
		for (;;) {
			const { began, byWriter } = await this.nextReading();
			const written = byWriter.find(contact.numbers).sort(compareAge);
			const reply = written.find(isReply);
			if (reply || began >= deadline) return reply;
			earlier = new Set([...(earlier ?? []), ...written.map(({ id }) => id)]);
		}
	}

	/** Ends all waiting without a reply. */
	abandon(): void {
		this.isAbandoned = true;
	}

	private async nextReading(): Promise<Reading> {
		this.next ??= this.readUntilItWorks().finally(() => (this.next = undefined));
		return await this.next;
	}

	private async readUntilItWorks(): Promise<Reading> {
		const { clock, begun, signal, countryCode } = this.parts;
		await begun;
		const firstTry = clock.now();
		let failure: unknown;
		do {
			// At least a moment, in which an item that cannot be used ends the run.
			await clock.wait(Math.max(this.nextAt - clock.now(), 1), signal);
			const byWriter = new ByNumber<IDataObject>();
			if (this.isAbandoned) return { began: Infinity, byWriter };
			const began = clock.now();
			this.nextAt = began + INTERVAL;
			try {
				for (const message of await this.read()) {
					byWriter.add(writersOf(message, countryCode), message);
				}
				this.hasRead = true;
				return { began, byWriter };
			} catch (cause) {
				failure = cause;
			}
		} while (!this.isHopeless(failure) && clock.now() - firstTry < LONGEST_OUTAGE);
		throw failure;
	}

	/** Whether trying again is of no use. What has worked before may work again. */
	private isHopeless(failure: unknown): boolean {
		const isPermanent = failure instanceof RequestFailure && !isTemporary(failure.answer);
		return this.parts.signal?.aborted === true || (isPermanent && !this.hasRead);
	}

	/** Reads the messages that are dated after the moment, or have no date, and moves the moment on. */
	private async read(): Promise<IDataObject[]> {
		const client = this.parts.client.within(LONGEST_OUTAGE);
		// A day more, for a service that reads the date as a day that is left out.
		const bounds = widen({ inboxIds: [], after: new Date(this.from) }, 1);
		const result = await readList(client, {
			...messagesWith(bounds, client.account),
			limit: Infinity,
			pageSize: PAGE_SIZE,
			// One page after the other, so that nothing is read beyond the moment.
			concurrency: 1,
			newFilter: () => datedAfter(this.from),
		});
		if (result.missing) throw result.missing.cause;
		const ignoredPage = pageNameAdvice(client.account.names.pageParameter);
		assertWhole({ ...result, items: [] }, { items: 'messages', ignoredPage });
		const newest = result.items.reduce((date, each) => Math.max(date, dateOf(each) ?? date), 0);
		this.from = Math.max(this.from, Math.min(newest, Date.now()) - LONGEST_DELAY);
		return result.items;
	}
}

/** Picks what is later. Where the newest come first, the reading ends after so many earlier ones as a page has. */
function datedAfter(from: number): ListFilter {
	let first: number | undefined;
	let earlierInARow = 0;
	const isWanted = (message: IDataObject) => {
		const date = dateOf(message) ?? Infinity;
		first ??= date;
		earlierInARow = date <= from && date < first ? earlierInARow + 1 : 0;
		return date > from;
	};
	return { isWanted, left: () => (earlierInARow < PAGE_SIZE ? Infinity : 0) };
}

/** Puts what was written first before the rest: by its date, and within a moment by its ID. */
function compareAge(message: IDataObject, other: IDataObject): number {
	const [date, otherDate] = [message, other].map((each) => dateOf(each) ?? Number.MAX_VALUE);
	return date - otherDate || Number(message.id) - Number(other.id);
}
