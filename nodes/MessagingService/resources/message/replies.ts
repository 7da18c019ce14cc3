import type { IDataObject } from 'n8n-workflow';
import { IncompleteList } from '../../api/listProgress';
import { RequestFailure } from '../../api/request';
import { isTemporary } from '../../api/retry';
import type { Clock } from '../../api/time';
import { indexByNumber, writersOf } from './contact';
import { dateOf, idOf, oldestFirst } from './message';

/** From the beginning of one reading to that of the next, in milliseconds. */
const INTERVAL = 5_000;
/** How long readings may keep failing, in milliseconds. */
export const MAX_OUTAGE = 2 * 60_000;

/** The messages that one reading found. */
interface Reading {
	/** When it began, by the clock. */
	began: number;
	/** Those that were written from any of the numbers. */
	writtenFrom(numbers: readonly string[]): IDataObject[];
}

/** Reads the latest messages every few seconds, once for all who wait for a reply. */
export class ReplyPoll {
	private readonly readMessages: () => Promise<IDataObject[]>;
	private readonly countryCode: string | undefined;
	private readonly clock: Clock;
	private readonly signal: AbortSignal;
	/** The reading that all are waiting for. */
	private next?: Promise<Reading | undefined>;
	private nextAt = 0;
	/** The IDs of the messages that the first reading found. */
	private old?: ReadonlySet<string>;
	/** When the first of the readings that failed in a row began. */
	private failingSince?: number;

	/**
	 * @param readMessages reads the latest messages
	 * @param countryCode the country code for numbers of the service that have none
	 * @param signal ends all waiting when it aborts
	 */
	constructor(
		readMessages: () => Promise<IDataObject[]>,
		countryCode: string | undefined,
		clock: Clock,
		signal: AbortSignal,
	) {
		this.readMessages = readMessages;
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
	): Promise<IDataObject | undefined> {
		const deadline = this.clock.now() + duration;
		const isReply = (message: IDataObject) => {
			const date = dateOf(message);
			const isDated = after !== undefined && date !== undefined;
			return isDated ? date > after : !this.old?.has(idOf(message));
		};
		while (!this.signal.aborted) {
			this.next ??= this.read().finally(() => {
				this.next = undefined;
			});
			const reading = await this.next;
			const [reply] = oldestFirst(reading?.writtenFrom(numbers).filter(isReply) ?? []);
			if (reply) return reply;
			if (reading && reading.began >= deadline) return undefined;
		}
		return undefined;
	}

	/** Reads the messages as soon as it is time; undefined when that failed. */
	private async read(): Promise<Reading | undefined> {
		await this.clock.wait(Math.max(this.nextAt - this.clock.now(), 0), this.signal);
		const began = this.clock.now();
		this.nextAt = began + INTERVAL;
		const messages = await this.readMessages().catch((error: unknown) => this.bear(error, began));
		// No reading takes up more than half of the time, however much there is to read.
		const took = this.clock.now() - began;
		this.nextAt = Math.max(this.nextAt, this.clock.now() + took);
		if (!messages) return undefined;
		this.failingSince = undefined;
		this.old ??= new Set(messages.map(idOf));
		const byNumber = indexByNumber(messages, (message) => writersOf(message, this.countryCode));
		return { began, writtenFrom: byNumber };
	}

	/** Throws the failure of a reading again, unless it may pass: once a reading has worked, any may. */
	private bear(error: unknown, began: number): undefined {
		this.failingSince ??= began;
		const failure = error instanceof IncompleteList ? error.cause : error;
		const isTooLong = this.clock.now() - this.failingSince >= MAX_OUTAGE || this.signal.aborted;
		const mayPass =
			failure instanceof RequestFailure && (this.old !== undefined || isTemporary(failure.answer));
		if (isTooLong || !mayPass) throw error;
	}
}
