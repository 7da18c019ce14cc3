import { HOUR_MS } from '../api/time';
import type { ParsedMessage } from '../operations/message/message';

/** How far a poll looks back behind the last one, in milliseconds: a message may show up long after its date. */
export const LOOK_BACK = 48 * HOUR_MS;

/** What a polling trigger remembers from poll to poll, as JSON. All moments are in milliseconds since 1970. */
export interface PollMemory {
	/** The account and the inboxes that were read: in others, every message would seem to be new. */
	source: string;
	/** The latest moment at which a poll began. It never goes back, also if the clock does. */
	lastPollAt: number;
	/** The date of each message that a poll has read and the next one may read again, by the message's ID. */
	knownDates: Record<string, number>;
}

/**
 * What the last poll left for one that begins now. Undefined for a first poll: nothing is stored, or it is about another
 * source, or the clock was set back by more than the look-back. Until it got there again, nothing would be found.
 */
export function recall(
	stored: Partial<PollMemory>,
	source: string,
	now: number,
): PollMemory | undefined {
	const { lastPollAt, knownDates } = stored;
	if (stored.source !== source || lastPollAt === undefined || !knownDates) return undefined;
	const last: PollMemory = { source, lastPollAt, knownDates };
	return startOfReading(last, now) > now ? undefined : last;
}

/** The moment after which a poll reads messages. All that the last poll did not have is read, however long ago it was. */
export function startOfReading(last: PollMemory | undefined, now: number): number {
	return (last?.lastPollAt ?? now) - LOOK_BACK;
}

/**
 * What to remember after a poll. A message that it did not find stays known as long as it may be read again, since a
 * reading may pass over some. One without a date counts as dated when it was read last.
 */
export function remember(
	last: PollMemory | undefined,
	messages: readonly ParsedMessage[],
	source: string,
	now: number,
): PollMemory {
	const lastPollAt = Math.max(now, last?.lastPollAt ?? now);
	const known = new Map(Object.entries(last?.knownDates ?? {}));
	for (const message of messages) known.set(message.id, message.date ?? lastPollAt);
	const readAgain = [...known].filter(([, date]) => date > lastPollAt - LOOK_BACK);
	return { source, lastPollAt, knownDates: Object.fromEntries(readAgain) };
}
