import { type Clock, HOUR_MS, MINUTE_MS } from '../../api/time';
import type { Contact } from './filters';
import { oldestFirst, type ParsedMessage } from './message';
import { MessagePage } from './readMessages';

/**
 * How much earlier than the moment that somebody waits from a new message may be dated, in milliseconds: the service's
 * clock may be behind.
 */
const CLOCK_TOLERANCE = HOUR_MS;
/** From the end of one reading to the beginning of the next, in milliseconds: at first, and later on. */
const FIRST_PAUSE = 5_000;
const LATER_PAUSE = 30_000;
/** How long the first pauses are made, in milliseconds. */
const FIRST_MINUTES = 2 * MINUTE_MS;
/** How far a reading goes back behind the one before it, in milliseconds. */
const OVERLAP = 2 * MINUTE_MS;
/** How often all is read again: a message may show up long after its date. In milliseconds. */
const WHOLE_EVERY = 10 * MINUTE_MS;
/** How long readings may keep failing once one has worked, in milliseconds. */
export const LONGEST_OUTAGE = 2 * MINUTE_MS;

/** The messages after a moment; some may be missing unless they are complete. */
interface Messages {
	messages: ParsedMessage[];
	isComplete: boolean;
}

/** What a poll is made of. */
interface ReplyPollParts {
	/**
	 * Reads all messages after a moment, in milliseconds since 1970.
	 *
	 * @param isExact whether the service is asked for no more than that
	 */
	readSince(moment: number, isExact: boolean): Promise<Messages>;
	/** The moment now, in milliseconds since 1970. */
	today(): number;
	clock: Clock;
	/** Ends all waiting when it aborts. */
	signal: AbortSignal;
}

/** Somebody who waits for a reply. */
interface Waiter {
	/** The moment from which messages are read for them, in milliseconds since 1970. */
	from: number;
	/** When the wait ends, by the clock. */
	deadline: number;
	/** Whether all messages from that moment on were read once. */
	isCaughtUp: boolean;
}

interface Reading {
	page: MessagePage;
	/** When it began, by the clock. */
	beganAt: number;
	/** Whether the service was asked for more, so that the first reading may not have found all of it. */
	isWide: boolean;
}

/** Reads the latest messages again and again, once for all who wait for a reply. */
export class ReplyPoll {
	private readonly parts: ReplyPollParts;
	/** The moment at which the first item began to wait, in milliseconds since 1970. */
	private readonly startedAt: number;
	private readonly waiters = new Set<Waiter>();
	/** The reading that all are waiting for; it finds nothing if it fails. */
	private reading?: Promise<Reading | undefined>;
	/** From when on the first reading found all messages, and the IDs of those that it found. */
	private first?: { beganAt: number; from: number; ids: ReadonlySet<string> };
	/** When the latest reading that worked has ended, and when the latest whole one has, by the clock. */
	private workedAt = 0;
	private wholeAt = 0;
	/** When the latest reading that worked has begun, in milliseconds since 1970. */
	private readAt = 0;

	constructor(parts: ReplyPollParts) {
		this.parts = parts;
		this.startedAt = parts.today();
	}

	/**
	 * Waits for the first reply from a contact.
	 *
	 * @param duration how long to wait, in milliseconds
	 * @param after a reply is dated after this moment, in milliseconds since 1970, or is what the first reading did not find
	 * @returns the message; undefined when the time is over.
	 * @throws {RequestFailure | Problem} when the first reading fails, or later ones do so for two minutes.
	 */
	async waitFor(
		contact: Contact,
		duration: number,
		after?: number,
	): Promise<ParsedMessage | undefined> {
		const { clock, signal } = this.parts;
		const { numbers, countryCode } = contact;
		const isToCome = after !== undefined && after > this.startedAt;
		const from = isToCome ? after : (after ?? this.startedAt) - CLOCK_TOLERANCE;
		const waiter = { from, deadline: clock.now() + duration, isCaughtUp: false };
		const isReply = (message: ParsedMessage, isWide: boolean) =>
			this.isNews(message, { from, after, isWide }) &&
			message.people(countryCode).writers.some((writer) => numbers.includes(writer));
		this.waiters.add(waiter);
		try {
			while (!signal.aborted) {
				this.reading ??= this.read().finally(() => {
					this.reading = undefined;
				});
				const reading = await this.reading;
				if (!reading) continue;
				const { page, isWide, beganAt } = reading;
				const replies = page.of(contact).filter((each) => isReply(each, isWide));
				const [reply] = oldestFirst(replies);
				if (reply) return reply;
				if (beganAt >= waiter.deadline) return undefined;
			}
			return undefined;
		} finally {
			this.waiters.delete(waiter);
		}
	}

	/** Whether a message was not there before, or is dated after a moment. */
	private isNews(
		{ id, date }: ParsedMessage,
		{ from, after, isWide }: { from: number; after?: number; isWide: boolean },
	): boolean {
		if (after !== undefined && date !== undefined && date > after) return true;
		// A message is new if the first reading did not find it, although that covered its date. Where the service reads dates
		// as days, the first reading may have found nothing: then a new message is dated after the wait began.
		const { ids, from: firstFrom } = this.first ?? { ids: new Set(), from };
		const isLate = date === undefined || date > Math.max(from, isWide ? this.startedAt : firstFrom);
		return !ids.has(id) && isLate;
	}

	/** Reads the messages, after a pause. */
	private async read(): Promise<Reading | undefined> {
		const { clock, signal, today } = this.parts;
		await clock.wait(this.pause(), signal);
		const beganAt = clock.now();
		const readAt = today();
		const waiters = [...this.waiters];
		const least = Math.min(...waiters.map(({ from }) => from));
		// For some it is the first reading, or the last one.
		const isDue = waiters.some(({ isCaughtUp, deadline }) => !isCaughtUp || deadline <= beganAt);
		const isWhole = isDue || beganAt - this.wholeAt >= WHOLE_EVERY;
		const from = isWhole ? least : Math.max(least, this.readAt - OVERLAP);
		const found = await this.readFrom(from, isWhole).catch((failure: unknown) => {
			const isLasting = clock.now() - this.workedAt >= LONGEST_OUTAGE;
			if (!this.first || isLasting || signal.aborted) throw failure;
			return undefined;
		});
		if (!found) return undefined;
		const ids = new Set(found.messages.map(({ id }) => id));
		// What a reading has passed over that was not complete may be old.
		this.first ??= { beganAt, from: found.isComplete ? from : this.startedAt, ids };
		this.workedAt = clock.now();
		this.readAt = readAt;
		if (isWhole) {
			this.wholeAt = this.workedAt;
			for (const waiter of waiters) waiter.isCaughtUp = true;
		}
		return { page: new MessagePage(found.messages), isWide: found.isWide, beganAt };
	}

	/**
	 * Reads all messages from a moment on. Where there is none, the service may read a date as a day: then a whole reading,
	 * unless it is the first one, asks for more.
	 */
	private async readFrom(
		moment: number,
		isWhole: boolean,
	): Promise<Messages & Pick<Reading, 'isWide'>> {
		const { readSince } = this.parts;
		const found = await readSince(moment, true);
		const isWide = isWhole && found.messages.length === 0 && this.first !== undefined;
		return { ...(isWide ? await readSince(moment, false) : found), isWide };
	}

	/** How long to wait before the next reading, in milliseconds: no longer than until the next wait is over. */
	private pause(): number {
		const { clock } = this.parts;
		// The first reading is made at once. Items that begin after it wait for the next one.
		if (!this.first) return 0;
		const now = clock.now();
		const pause = now - this.first.beganAt < FIRST_MINUTES ? FIRST_PAUSE : LATER_PAUSE;
		const ends = [...this.waiters].map(({ deadline }) => deadline).filter((end) => end > now);
		return Math.max(Math.min(pause, Math.min(...ends) - now), FIRST_PAUSE);
	}
}
