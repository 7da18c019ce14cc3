import { IncompleteList } from '../../api/incompleteList';
import { RequestFailure } from '../../api/request';
import { isTemporary } from '../../api/retry';
import type { Clock } from '../../api/time';
import { indexByNumber, writersOf } from './contact';
import { idOf, oldestFirst, type ParsedMessage } from './message';

/** From the beginning of one reading to that of the next, in milliseconds. */
const INTERVAL = 5_000;
/** How long readings may keep failing, in milliseconds. */
export const MAX_OUTAGE = 2 * 60_000;

/** What one reading found. */
interface Snapshot {
	/** When it began, by the clock. */
	began: number;
	/** The messages that were written from any of the numbers. */
	writtenFrom(numbers: readonly string[]): ParsedMessage[];
}

/** Reads the latest messages every few seconds, once for all who wait for a reply. */
export class ReplyPoll {
	private readonly readSince: (date: number) => Promise<ParsedMessage[]>;
	private readonly countryCode: string | undefined;
	private readonly clock: Clock;
	private readonly signal: AbortSignal;
	private readonly begin: number;
	/** From when on messages are read: the earliest moment that somebody waits from. */
	private from: number;
	/** The reading that all are waiting for. */
	private next?: Promise<Snapshot | undefined>;
	private nextAt = 0;
	/** The IDs of the messages that the first reading found. */
	private old?: ReadonlySet<string>;
	/** When the first of the readings that failed in a row began. */
	private failingSince?: number;

	/**
	 * @param readSince reads all messages after a moment, in milliseconds since 1970
	 * @param begin from when on messages are read for those who do not say, in milliseconds since 1970
	 * @param countryCode the country code for numbers of the service that have none
	 * @param signal ends all waiting when it aborts
	 */
	constructor(
		readSince: (date: number) => Promise<ParsedMessage[]>,
		begin: number,
		countryCode: string | undefined,
		clock: Clock,
		signal: AbortSignal,
	) {
		this.readSince = readSince;
		this.begin = begin;
		this.from = begin;
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
		this.from = Math.min(this.from, after ?? this.begin);
		const isNew = (message: ParsedMessage) => !this.old?.has(idOf(message));
		const isReply = (message: ParsedMessage) => {
			const { date } = message;
			if (date === undefined) return isNew(message);
			// Others may read from earlier on.
			return after === undefined ? date > this.begin && isNew(message) : date > after;
		};
		while (!this.signal.aborted) {
			this.next ??= this.read().finally(() => {
				this.next = undefined;
			});
			const snapshot = await this.next;
			const [reply] = oldestFirst(snapshot?.writtenFrom(numbers).filter(isReply) ?? []);
			if (reply) return reply;
			if (snapshot && snapshot.began >= deadline) return undefined;
		}
		return undefined;
	}

	/** Reads the messages as soon as it is time; undefined when that failed. */
	private async read(): Promise<Snapshot | undefined> {
		await this.clock.wait(Math.max(this.nextAt - this.clock.now(), 0), this.signal);
		const began = this.clock.now();
		this.nextAt = began + INTERVAL;
		const reading = this.readSince(this.from);
		const messages = await reading.catch((error: unknown) => this.bear(error, began));
		// No reading takes up more than half of the time, however much there is to read.
		const took = this.clock.now() - began;
		this.nextAt = Math.max(this.nextAt, this.clock.now() + took);
		if (!messages) return undefined;
		this.failingSince = undefined;
		this.old ??= new Set(messages.map(idOf));
		return { began, writtenFrom: indexByNumber(messages, writersOf, this.countryCode) };
	}

	/** Throws the failure of a reading again, unless it may pass: once a reading has worked, any may. */
	private bear(error: unknown, began: number): undefined {
		this.failingSince ??= began;
		const isTooLong = this.clock.now() - this.failingSince >= MAX_OUTAGE || this.signal.aborted;
		if (isTooLong || !(this.old ? isOfService(error) : isPassing(error))) throw error;
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
