import type { IDataObject } from 'n8n-workflow';
import { isInterruption, RequestFailure } from '../../api/request';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { readGradually } from '../../api/list';
import { messagesOf } from '../../api/lists';
import { PAGE_SIZE } from '../../api/pages';
import { assertWhole, pageNameAdvice } from '../list';
import { type Contact, PhoneIndex, writersOf } from './contact';
import { dateOf, toQuery, widen } from './filters';

/** Milliseconds from the beginning of one reading to that of the next. */
const INTERVAL = 5_000;
/** How far before the wait messages are read: one that shows up late is new, although its date is not. */
const OVERLAP = 60 * 60_000;
/** For so long, a message may show up later than one that is dated after it. */
const LONGEST_DELAY = 2 * 60_000;
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

/** Someone who is waited for, and where the answer goes. */
interface Waiter extends Awaited {
	/** By the clock of the wait. */
	deadline: number;
	resolve(reply: IDataObject | undefined): void;
	reject(cause: unknown): void;
}

/** Waits for replies of many contacts at once. New messages are read every few seconds, in one reading for all of them. */
export class Replies {
	private readonly parts: WaitParts;
	private readonly waiting = new Set<Waiter>();
	private readonly index: PhoneIndex<Waiter>;
	/** The messages that the first reading had, which are no replies unless they are dated so. */
	private early?: Set<unknown>;
	/** All that were read, and the date of the newest of them. */
	private readonly known = new Set<unknown>();
	private newestKnown = -Infinity;

	constructor(parts: WaitParts) {
		this.parts = parts;
		this.index = new PhoneIndex(parts.countryCode);
		void this.run();
	}

	/**
	 * Waits for the first reply of a contact.
	 *
	 * @returns the message, or undefined when the time is over.
	 * @throws {RequestFailure | IncompleteList} when the messages cannot be read.
	 */
	async of(awaited: Awaited): Promise<IDataObject | undefined> {
		return await new Promise((resolve, reject) => {
			const deadline = this.parts.clock.now() + awaited.duration;
			const waiter: Waiter = { ...awaited, deadline, resolve, reject };
			this.waiting.add(waiter);
			this.index.add(awaited.contact, waiter);
		});
	}

	/** Whether a message came that cannot be assigned, for lack of a country code. */
	get hasUnclear(): boolean {
		return this.index.hasUnclear;
	}

	/** Ends all waiting without a reply. */
	abandon(): void {
		for (const waiter of this.waiting) waiter.resolve(undefined);
		this.waiting.clear();
	}

	private async run(): Promise<void> {
		const { clock, begun, signal } = this.parts;
		await begun;
		const afters = [...this.waiting].map(({ after }) => after ?? this.parts.since);
		const from = afters.reduce((a, b) => Math.min(a, b), this.parts.since) - OVERLAP;
		for (let readAt = clock.now(); this.waiting.size > 0; ) {
			const began = clock.now();
			try {
				this.settle(await this.read(from), began);
				readAt = clock.now();
			} catch (cause) {
				const isPermanent = cause instanceof RequestFailure && !isInterruption(cause.answer);
				// What has worked before may work again.
				const isHopeless = signal?.aborted === true || (isPermanent && !this.early);
				if (isHopeless || clock.now() - readAt >= LONGEST_OUTAGE) this.fail(cause);
			}
			if (this.waiting.size > 0) await clock.wait(began + INTERVAL - clock.now(), signal);
		}
	}

	/** Reads the messages that are dated after a moment, or have no date, as far as there may be new ones. */
	private async read(from: number): Promise<IDataObject[]> {
		const client = this.parts.client.within(LONGEST_OUTAGE);
		const { request, ...source } = messagesOf(client.account);
		// A day more, for a service that reads the date as a day that is left out.
		const bounds = widen({ inboxIds: [], after: new Date(from) }, 1);
		const pages = readGradually(client, {
			...source,
			request: { ...request, query: toQuery(bounds, client.account.names) },
			limit: Infinity,
			pageSize: PAGE_SIZE,
			// One page after the other, so that nothing is read beyond the moment.
			concurrency: 1,
		});
		const messages: IDataObject[] = [];
		for (let newest: number | undefined; ; ) {
			const { done, value } = await pages.next();
			if (done) {
				if (value.missing) throw value.missing.cause;
				const ignoredPage = pageNameAdvice(source.pageParameter);
				assertWhole(value, { items: 'messages', ignoredPage });
				return messages;
			}
			const later = value.filter((message) => (dateOf(message) ?? Infinity) > from);
			for (const message of later) messages.push(message);
			newest ??= dateOf(value.at(0) ?? {});
			const oldest = dateOf(value.at(-1) ?? {});
			if (newest === undefined || oldest === undefined || newest <= oldest) continue;
			const isKnown = later.every(({ id }) => this.known.has(id));
			if (isKnown && oldest <= Math.max(from, this.newestKnown - LONGEST_DELAY)) return messages;
		}
	}

	/** Settles all whose reply was read, or whose time was over before the reading began. */
	private settle(messages: readonly IDataObject[], began: number): void {
		const found = new Map<Waiter, IDataObject>();
		for (const message of messages) {
			for (const waiter of this.index.find(writersOf(message))) {
				if (!this.isReply(message, waiter)) continue;
				const other = found.get(waiter);
				if (!other || isBefore(message, other)) found.set(waiter, message);
			}
		}
		for (const waiter of this.waiting) {
			const reply = found.get(waiter);
			if (!reply && waiter.deadline > began) continue;
			waiter.resolve(reply);
			this.waiting.delete(waiter);
		}
		for (const message of messages) {
			this.known.add(message.id);
			this.newestKnown = Math.max(this.newestKnown, dateOf(message) ?? -Infinity);
		}
		this.early ??= new Set(this.known);
	}

	private isReply(message: IDataObject, { after }: Waiter): boolean {
		const date = dateOf(message) ?? -Infinity;
		if (after !== undefined) return date > after;
		return date > this.parts.since || this.early?.has(message.id) === false;
	}

	private fail(cause: unknown): void {
		for (const waiter of this.waiting) waiter.reject(cause);
		this.waiting.clear();
	}
}

/** Whether a message was written before another: by its date, and within a moment by its ID. */
function isBefore(message: IDataObject, other: IDataObject): boolean {
	const [date, otherDate] = [message, other].map((each) => dateOf(each) ?? Infinity);
	return date < otherDate || (date === otherDate && Number(message.id) < Number(other.id));
}
