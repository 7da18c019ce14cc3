import type { IDataObject } from 'n8n-workflow';
import { isInterruption, RequestFailure } from '../../api/request';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { type ListFilter, readList } from '../../api/list';
import { messagesOf } from '../../api/lists';
import { PAGE_SIZE } from '../../api/pages';
import { assertWhole, pageNameAdvice } from '../list';
import { ByNumber, type Contact, writersOf } from './contact';
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
	/** The IDs of all messages that were read; undefined before the first reading. */
	private known?: Set<unknown>;
	/** The date of the newest of them. */
	private newestKnown = -Infinity;

	constructor(parts: WaitParts) {
		this.parts = parts;
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
			this.waiting.add({ ...awaited, deadline, resolve, reject });
		});
	}

	/** Ends all waiting without a reply. */
	abandon(): void {
		for (const waiter of this.waiting) waiter.resolve(undefined);
		this.waiting.clear();
	}

	private async run(): Promise<void> {
		const { clock, begun, since, signal } = this.parts;
		await begun;
		const afters = [...this.waiting].map(({ after }) => after ?? since);
		const from = afters.reduce((a, b) => Math.min(a, b), since) - OVERLAP;
		for (let readAt = clock.now(); this.waiting.size > 0; ) {
			const began = clock.now();
			try {
				this.settle(await this.read(from), began);
				readAt = clock.now();
			} catch (cause) {
				const isPermanent = cause instanceof RequestFailure && !isInterruption(cause.answer);
				// What has worked before may work again.
				const isHopeless = signal?.aborted === true || (isPermanent && !this.known);
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
		const result = await readList(client, {
			...source,
			request: { ...request, query: toQuery(bounds, client.account.names) },
			limit: Infinity,
			pageSize: PAGE_SIZE,
			// One page after the other, so that nothing is read beyond the moment.
			concurrency: 1,
			newFilter: () => this.newFilter(from),
		});
		if (result.missing) throw result.missing.cause;
		const ignoredPage = pageNameAdvice(source.pageParameter);
		assertWhole({ ...result, items: [] }, { items: 'messages', ignoredPage });
		return result.items;
	}

	/** Where the newest come first, a reading ends when so many as a page has are old or known in a row. */
	private newFilter(from: number): ListFilter {
		let first: number | undefined;
		let inVain = 0;
		const isWanted = (message: IDataObject) => {
			const date = dateOf(message) ?? Infinity;
			first ??= date;
			const isKnown = this.known?.has(message.id) && date <= this.newestKnown - LONGEST_DELAY;
			inVain = date < first && (isKnown || date <= from) ? inVain + 1 : 0;
			return date > from;
		};
		return { isWanted, left: () => (inVain < PAGE_SIZE ? Infinity : 0) };
	}

	/** Settles all whose reply is among the new messages, or whose time was over before the reading began. */
	private settle(messages: readonly IDataObject[], began: number): void {
		const byWriter = new ByNumber<IDataObject>();
		const fresh = messages.filter(({ id }) => !this.known?.has(id));
		for (const message of fresh) {
			byWriter.add(writersOf(message, this.parts.countryCode), message);
		}
		for (const waiter of this.waiting) {
			const written = byWriter.find(waiter.contact.numbers);
			const reply = written.sort(compareAge).find((message) => this.isReply(message, waiter));
			if (!reply && waiter.deadline > began) continue;
			waiter.resolve(reply);
			this.waiting.delete(waiter);
		}
		this.known ??= new Set();
		for (const message of messages) {
			this.known.add(message.id);
			this.newestKnown = Math.max(this.newestKnown, dateOf(message) ?? -Infinity);
		}
	}

	/** Whether a new message counts: by its date, or because the first reading did not have it. */
	private isReply(message: IDataObject, { after }: Waiter): boolean {
		const date = dateOf(message) ?? -Infinity;
		if (after !== undefined) return date > after;
		return date > this.parts.since || this.known !== undefined;
	}

	private fail(cause: unknown): void {
		for (const waiter of this.waiting) waiter.reject(cause);
		this.waiting.clear();
	}
}

/** Puts what was written first before the rest: by its date, and within a moment by its ID. */
function compareAge(message: IDataObject, other: IDataObject): number {
	const [date, otherDate] = [message, other].map((each) => dateOf(each) ?? Number.MAX_VALUE);
	return date - otherDate || Number(message.id) - Number(other.id);
}
