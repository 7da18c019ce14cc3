import { type Clock, HOUR_MS, MINUTE_MS } from '../../api/time';
import { oldestFirst, type ParsedMessage } from './message';

/**
 * How much earlier than the moment that somebody waits from a new message may be dated, in milliseconds: the service's
 * clock may be behind.
 */
const CLOCK_TOLERANCE = HOUR_MS;
/** From the end of one reading to the beginning of the next, in milliseconds. */
const PAUSE = 5_000;
/** How long readings may keep failing once one has worked, in milliseconds. */
export const MAX_OUTAGE = 2 * MINUTE_MS;

/** What a poll is made of. */
interface PollParts {
	/** Reads all messages after a moment, in milliseconds since 1970. */
	readSince(date: number): Promise<ParsedMessage[]>;
	/** The moment now, in milliseconds since 1970. */
	startedAt: number;
	clock: Clock;
	/** Ends all waiting when it aborts. */
	signal: AbortSignal;
}

/** Reads the latest messages every few seconds, once for all who wait for a reply. */
export class ReplyPoll {
	private readonly parts: PollParts;
	/** From when on messages are read: the earliest moment that somebody waits from. */
	private readFrom = Infinity;
	/** The reading that all are waiting for; it finds nothing if it fails. */
	private reading?: Promise<ParsedMessage[] | undefined>;
	/** When the latest reading that worked has ended, by the clock; undefined before the first. */
	private workedAt?: number;
	/** From when on the first reading read, and the IDs of the messages that it found. */
	private first = { from: Infinity, ids: new Set<string>() };

	constructor(parts: PollParts) {
		this.parts = parts;
	}

	/**
	 * Waits for the first reply from one of the numbers.
	 *
	 * @param duration how long to wait, in milliseconds
	 * @param after a reply is dated after this moment, in milliseconds since 1970, or is what the first reading did not find
	 * @returns the message; undefined when the time is over.
	 * @throws {RequestFailure | IncompleteList} when the first reading fails, or later ones do so for two minutes.
	 */
	async waitFor(
		numbers: readonly string[],
		duration: number,
		after?: number,
	): Promise<ParsedMessage | undefined> {
		const { clock, signal, startedAt } = this.parts;
		const deadline = clock.now() + duration;
		const isToCome = after !== undefined && after > startedAt;
		const from = isToCome ? after : (after ?? startedAt) - CLOCK_TOLERANCE;
		this.readFrom = Math.min(this.readFrom, from);
		const isReply = ({ id, date = Infinity, people }: ParsedMessage) => {
			const isLater = after !== undefined && date > after && date !== Infinity;
			// Of what is dated before the first reading began, nobody knows whether it is new.
			const isNew = !this.first.ids.has(id) && date > Math.max(from, this.first.from);
			return (isLater || isNew) && people.writers.some((writer) => numbers.includes(writer));
		};
		while (!signal.aborted) {
			this.reading ??= this.read().finally(() => {
				this.reading = undefined;
			});
			const isOver = clock.now() >= deadline;
			const messages = await this.reading;
			const [reply] = oldestFirst(messages?.filter(isReply) ?? []);
			if (reply) return reply;
			if (messages && isOver) return undefined;
		}
		return undefined;
	}

	/** Reads the messages, after a pause if they were read before. */
	private async read(): Promise<ParsedMessage[] | undefined> {
		const { clock, signal, readSince } = this.parts;
		const isFirst = this.workedAt === undefined;
		if (!isFirst) await clock.wait(PAUSE, signal);
		const from = this.readFrom;
		const messages = await readSince(from).catch((failure: unknown) => {
			const isLasting = clock.now() - (this.workedAt ?? 0) >= MAX_OUTAGE;
			if (isFirst || isLasting || signal.aborted) throw failure;
			return undefined;
		});
		if (!messages) return undefined;
		if (isFirst) this.first = { from, ids: new Set(messages.map(({ id }) => id)) };
		this.workedAt = clock.now();
		return messages;
	}
}
