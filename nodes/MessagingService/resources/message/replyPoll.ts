import { IncompleteList } from '../../api/incompleteList';
import { RequestFailure } from '../../api/request';
import { isTemporary } from '../../api/retry';
import { type Clock, HOUR_MS, MINUTE_MS } from '../../api/time';
import { indexByNumber, writersOf } from './contact';
import { idOf, oldestFirst, type ParsedMessage } from './message';
import type { Reading } from './readMessages';

/**
 * How far back messages are read for those who do not say, in milliseconds: the service's clock may be behind. What the
 * first reading finds is old anyway.
 */
const CLOCK_TOLERANCE = HOUR_MS;
/** From the beginning of one reading to that of the next, in milliseconds. */
const INTERVAL = 5_000;
/** How long readings may keep failing, in milliseconds. */
export const MAX_OUTAGE = 2 * MINUTE_MS;

/** What one reading found. */
interface Snapshot {
	/** When it began, by the clock. */
	readAt: number;
	/** The messages that were written from any of the numbers. */
	writtenFrom(numbers: readonly string[]): ParsedMessage[];
}

/** Reads the latest messages every few seconds, once for all who wait for a reply. */
export class ReplyPoll {
	private readonly readSince: (date: number) => Promise<Reading>;
	private readonly countryCode: string | undefined;
	private readonly clock: Clock;
	private readonly signal: AbortSignal;
	/** When the first wait began, in milliseconds since 1970. */
	private readonly startedAt: number;
	/** From when on messages are read for those who do not say. */
	private readonly defaultFrom: number;
	/** From when on messages are read: the earliest moment that somebody waits from. */
	private readFrom: number;
	/** The reading that all are waiting for. */
	private reading?: Promise<Snapshot | undefined>;
	/** When the next reading may begin, by the clock. */
	private notBefore = 0;
	/** The IDs of the messages that the first reading found, and from when on any other message is new. */
	private first?: { ids: ReadonlySet<string>; newFrom: number };
	/** When the first of the readings that failed in a row began. */
	private failingSince?: number;

	/**
	 * @param readSince reads all messages after a moment, in milliseconds since 1970
	 * @param startedAt the moment now, in milliseconds since 1970
	 * @param countryCode the country code for numbers of the service that have none
	 * @param signal ends all waiting when it aborts
	 */
	constructor(
		readSince: (date: number) => Promise<Reading>,
		startedAt: number,
		countryCode: string | undefined,
		clock: Clock,
		signal: AbortSignal,
	) {
		this.readSince = readSince;
		this.startedAt = startedAt;
		this.defaultFrom = startedAt - CLOCK_TOLERANCE;
		this.readFrom = this.defaultFrom;
		this.countryCode = countryCode;
		this.clock = clock;
		this.signal = signal;
	}

	/**
	 * Waits for the first reply from one of the numbers.
	 *
	 * @param duration how long to wait, in milliseconds
	 * @param after a reply is dated after this moment, in milliseconds since 1970; without it, or where a message has no
	 *   date, a reply is what the first reading did not find
	 * @returns the message; undefined when the time is over.
	 * @throws {RequestFailure | IncompleteList} when the messages cannot be read for two minutes.
	 */
	async waitFor(
		numbers: readonly string[],
		duration: number,
		after?: number,
	): Promise<ParsedMessage | undefined> {
		const deadline = this.clock.now() + duration;
		this.readFrom = Math.min(this.readFrom, after ?? this.defaultFrom);
		const isReply = (message: ParsedMessage) =>
			after === undefined || message.date === undefined
				? this.isNew(message)
				: message.date > after;
		while (!this.signal.aborted) {
			this.reading ??= this.read().finally(() => {
				this.reading = undefined;
			});
			const snapshot = await this.reading;
			const [reply] = oldestFirst(snapshot?.writtenFrom(numbers).filter(isReply) ?? []);
			if (reply) return reply;
			if (snapshot && snapshot.readAt >= deadline) return undefined;
		}
		return undefined;
	}

	/** Whether a message was not there when the first reading looked. */
	private isNew(message: ParsedMessage): boolean {
		if (!this.first || this.first.ids.has(idOf(message))) return false;
		return (message.date ?? this.startedAt) > this.first.newFrom;
	}

	/** Reads the messages as soon as it is time; undefined when that failed. */
	private async read(): Promise<Snapshot | undefined> {
		await this.clock.wait(Math.max(this.notBefore - this.clock.now(), 0), this.signal);
		const readAt = this.clock.now();
		const reading = await this.readSince(this.readFrom).catch((error: unknown) =>
			this.bear(error, readAt),
		);
		const readUntil = this.clock.now();
		// No reading takes up more than half of the time, however much there is to read.
		this.notBefore = Math.max(readAt + INTERVAL, 2 * readUntil - readAt);
		if (!reading) return undefined;
		const { messages, notices } = reading;
		this.failingSince = undefined;
		// What a first reading may have passed over is told from a reply by its date.
		const isDoubtful = notices.some(({ type }) => type === 'warning');
		const newFrom = isDoubtful ? this.startedAt : this.defaultFrom;
		this.first ??= { ids: new Set(messages.map(idOf)), newFrom };
		return { readAt, writtenFrom: indexByNumber(messages, writersOf, this.countryCode) };
	}

	/** Throws the failure of a reading again, unless it may pass: once a reading has worked, any may. */
	private bear(error: unknown, readAt: number): undefined {
		this.failingSince ??= readAt;
		const isTooLong = this.clock.now() - this.failingSince >= MAX_OUTAGE || this.signal.aborted;
		if (isTooLong || !(this.first ? isOfService(error) : isPassing(error))) throw error;
	}
}

/** Whether a reading has failed because of the service. */
function isOfService(error: unknown): boolean {
	return error instanceof RequestFailure || error instanceof IncompleteList;
}

/** Whether the failure of a reading is one that passes, as when the service is busy. */
function isPassing(error: unknown): boolean {
	const failure = error instanceof IncompleteList ? error.cause : error;
	return failure instanceof RequestFailure && isTemporary(failure.answer);
}
