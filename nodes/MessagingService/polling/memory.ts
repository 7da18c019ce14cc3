import { HOUR_MS, MINUTE_MS } from '../api/time';
import type { ParsedMessage } from '../operations/message/message';

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
	/** How many polls there were: of two memories, the one with more of them is the later one. */
	polls: number;
	/** The moment up to which all messages were read. It never goes back, also if the clock does. */
	readUpTo: number;
	/** The moment of the latest whole reading. */
	wholeAt: number;
	/** Where the next poll goes on if the latest one had no time to finish: the end of the last span that it has read. */
	goOnAt?: number;
	/** The date of each message that a poll has read and a later one may read again, by the message's ID. */
	knownDates: Record<string, number>;
}

/**
 * What the last poll left for one that begins now. Undefined for a first poll: there is no memory, or it is about another
 * source, or the clock was set back by more than the look-back. Until it got there again, nothing would be found.
 *
 * @param memories what n8n has stored, and what this process knows
 */
export function recall(
	memories: ReadonlyArray<Partial<PollMemory> | undefined>,
	source: string,
	now: number,
): PollMemory | undefined {
	const usable = memories.filter(isMemory).filter((each) => each.source === source);
	const [latest] = usable
		.filter(({ readUpTo }) => readUpTo - LOOK_BACK <= now)
		.sort((a, b) => b.polls - a.polls);
	return latest;
}

/** The moment after which a poll reads messages. All that the last poll did not have is read, however long ago it was. */
export function startOfReading(last: PollMemory | undefined, now: number): number {
	if (!last) return now - LOOK_BACK;
	const { readUpTo, wholeAt, goOnAt } = last;
	const isWhole = Math.abs(now - wholeAt) >= WHOLE_EVERY;
	return goOnAt ?? (isWhole ? readUpTo - LOOK_BACK : Math.min(readUpTo, now) - OVERLAP);
}

/** What a poll has read. */
interface PollResult extends Pick<PollMemory, 'source' | 'goOnAt'> {
	/** The moment after which it read. */
	from: number;
	messages: readonly ParsedMessage[];
}

/**
 * What to remember after a poll. A message that it did not find stays known as long as it may be read again, since a
 * reading may pass over some. One without a date counts as dated when it was read last.
 */
export function remember(
	last: PollMemory | undefined,
	{ source, from, messages, goOnAt }: PollResult,
	now: number,
): PollMemory {
	const before = last?.readUpTo ?? now;
	const readUpTo = goOnAt === undefined ? Math.max(now, before) : before;
	const isWhole = from <= before - LOOK_BACK || last?.goOnAt !== undefined;
	const known = new Map(Object.entries(last?.knownDates ?? {}));
	for (const { id, date = readUpTo } of messages) known.set(id, date);
	const readAgain = [...known].filter(([, date]) => date > readUpTo - LOOK_BACK);
	return {
		source,
		polls: (last?.polls ?? 0) + 1,
		readUpTo,
		wholeAt: isWhole && goOnAt === undefined ? now : (last?.wholeAt ?? now),
		goOnAt,
		knownDates: Object.fromEntries(readAgain),
	};
}

function isMemory(stored: Partial<PollMemory> | undefined): stored is PollMemory {
	return stored?.readUpTo !== undefined && stored.knownDates !== undefined;
}
