import { HOUR_MS, MINUTE_MS } from '../api/time';
import type { ParsedMessage } from '../operations/message/message';
import { DAY, type Range } from './spans';

/** How far a whole reading looks back behind the last poll, in milliseconds: a message may show up long after its date. */
export const LOOK_BACK = 48 * HOUR_MS;
/** How far all other readings look back, in milliseconds. */
const OVERLAP = 10 * MINUTE_MS;
/** How often there is a whole reading, in milliseconds. */
const WHOLE_EVERY = HOUR_MS;

/** What a polling trigger remembers from poll to poll, as JSON. All moments are in milliseconds since 1970. */
export interface PollMemory {
	/** What the trigger looks at: with another account or other filters, every message would seem to be new. */
	source: string;
	/** The moment up to which all messages were read. It moves on with each poll, also if the clock goes back. */
	readUpTo: number;
	/** When the latest whole reading began. */
	wholeAt: number;
	/** Where the next poll goes on if the latest one had no time to finish: the end of the last span that it has read. */
	goOnAt?: number;
	/**
	 * The date of each message that a poll has read and a later one may read again, by the message's ID. Those that did
	 * not match the filters are among them, or one that is edited later would seem to be new.
	 */
	knownDates: Record<string, number>;
}

/** What a trigger knows before its first poll. */
export function blankMemory(source: string, now: number): PollMemory {
	return { source, readUpTo: now, wholeAt: 0, knownDates: {} };
}

/**
 * What the last poll left for one that begins now. Undefined for a first poll: there is no memory, or the last one is about
 * another source, or the clock was set back by more than the look-back. Until it got there again, nothing would be found.
 *
 * @param memories what this process knows, and what n8n has stored: the one that has read further is the later one
 */
export function recall(
	memories: ReadonlyArray<Partial<PollMemory> | undefined>,
	source: string,
	now: number,
): PollMemory | undefined {
	const isUsable = (memory?: Partial<PollMemory>): memory is PollMemory =>
		memory?.readUpTo !== undefined && memory.readUpTo - LOOK_BACK <= now;
	const [latest] = memories.filter(isUsable).sort((a, b) => b.readUpTo - a.readUpTo);
	return latest?.source === source ? latest : undefined;
}

/**
 * Which messages a poll reads: those after a moment. All that the last poll did not have are among them, however long ago
 * it was; a poll that is behind reads a day at a time.
 */
export function planReading({ readUpTo, wholeAt, goOnAt }: PollMemory, now: number): Range {
	if (goOnAt !== undefined) return { from: goOnAt, now, longest: DAY };
	const isWhole = Math.abs(now - wholeAt) >= WHOLE_EVERY;
	const from = isWhole ? readUpTo - LOOK_BACK : Math.min(readUpTo, now) - OVERLAP;
	return { from, now, longest: now - readUpTo > DAY ? DAY : Infinity };
}

/**
 * What to remember after a poll. A message that it did not find stays known as long as it may be read again, since a
 * reading may pass over some. One without a date counts as dated when it was read last.
 *
 * @param goOnAt where its reading has ended; undefined when it has read all
 */
export function remember(
	last: PollMemory,
	messages: readonly ParsedMessage[],
	{ from, now }: Range,
	goOnAt?: number,
): PollMemory {
	const readUpTo = Math.max(goOnAt === undefined ? now : last.readUpTo, last.readUpTo + 1);
	const known = new Map(Object.entries(last.knownDates));
	for (const { id, date = readUpTo } of messages) known.set(id, date);
	const readAgain = [...known].filter(([, date]) => date > readUpTo - LOOK_BACK);
	return {
		...last,
		readUpTo,
		wholeAt: from <= last.readUpTo - LOOK_BACK ? now : last.wholeAt,
		goOnAt,
		knownDates: Object.fromEntries(readAgain),
	};
}
