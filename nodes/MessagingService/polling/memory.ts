import { BoundedMap } from '../api/boundedMap';
import { type Clock, HOUR_MS, MINUTE_MS } from '../api/time';
import { systemClock } from '../n8n/clock';
import type { ParsedMessage } from '../operations/message/message';
import { DAY, type Range } from './spans';

/** How far a whole reading looks back behind the last poll, in milliseconds: a message may show up long after its date. */
export const LOOK_BACK = 48 * HOUR_MS;
/** How far all other readings look back, in milliseconds. */
const OVERLAP = 10 * MINUTE_MS;
/** How often there is a whole reading, in milliseconds. */
const WHOLE_EVERY = HOUR_MS;
/** How long n8n may take to store what a poll leaves, in milliseconds. */
const STORING = MINUTE_MS / 2;

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
	/** The date of each message that a poll has read and a later one may read again, by the message's ID. */
	knownDates: Record<string, number>;
}

/** The latest poll of a process that started the workflow: up to when it has read, and when it ended. */
export interface Started {
	readUpTo: number;
	at: number;
}

/**
 * What the last poll left for one that begins now. Undefined for a first poll: there is no memory, or it is about another
 * source, or the clock was set back by more than the look-back. Until it got there again, nothing would be found.
 *
 * @param memories what n8n has stored, and what this process knows: the one that has read further is the later one
 */
export function recall(
	memories: ReadonlyArray<Partial<PollMemory> | undefined>,
	source: string,
	now: number,
): PollMemory | undefined {
	const isUsable = (memory?: Partial<PollMemory>): memory is PollMemory =>
		memory?.readUpTo !== undefined &&
		memory.source === source &&
		memory.readUpTo - LOOK_BACK <= now;
	const [latest] = memories.filter(isUsable).sort((a, b) => b.readUpTo - a.readUpTo);
	return latest;
}

/**
 * Whether n8n has perhaps not stored yet what a poll left that started the workflow a moment ago: n8n's durable scheduler
 * reads what is stored for each poll, and several may come at once.
 */
export function isBeingStored(
	{ readUpTo = 0 }: Partial<PollMemory>,
	now: number,
	started: Started | undefined,
): boolean {
	return (
		started !== undefined && readUpTo < started.readUpTo && Math.abs(now - started.at) < STORING
	);
}

/**
 * Which messages a poll reads: those after a moment. All that the last poll did not have are among them, however long ago
 * it was; a poll that is behind reads a day at a time.
 */
export function planReading(last: PollMemory | undefined, now: number): Range {
	if (!last) return { from: now - LOOK_BACK, now, longest: Infinity };
	const { readUpTo, wholeAt, goOnAt } = last;
	if (goOnAt !== undefined) return { from: goOnAt, now, longest: DAY };
	const isWhole = Math.abs(now - wholeAt) >= WHOLE_EVERY;
	const from = isWhole ? readUpTo - LOOK_BACK : Math.min(readUpTo, now) - OVERLAP;
	return { from, now, longest: now - readUpTo > DAY ? DAY : Infinity };
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
	const { readUpTo: before, wholeAt } = last ?? { readUpTo: now, wholeAt: now };
	const readUpTo = Math.max(goOnAt === undefined ? now : before, before + 1);
	const known = new Map(Object.entries(last?.knownDates ?? {}));
	for (const { id, date = readUpTo } of messages) known.set(id, date);
	const readAgain = [...known].filter(([, date]) => date > readUpTo - LOOK_BACK);
	return {
		source,
		readUpTo,
		wholeAt: from <= before - LOOK_BACK ? now : wholeAt,
		goOnAt,
		knownDates: Object.fromEntries(readAgain),
	};
}

/** More triggers than this in one process lose what only the process knows, which costs longer readings. */
const MAX_TRIGGERS = 1_000;

/** A polling trigger as a process of n8n knows it, beside what n8n stores. */
export interface PolledTrigger {
	/** Whether a poll is under way. */
	isUnderWay?: boolean;
	/**
	 * What the latest poll that started nothing has left: n8n stores it only when a poll starts the workflow. A poll that
	 * starts it leaves nothing here, since n8n may drop what it gave.
	 */
	memory?: PollMemory;
	started?: Started;
	/** The longest span that the next poll reads at once, in milliseconds, after one that could not be read in time. */
	longest?: number;
}

/** What all polling triggers share, in one process of n8n. */
export class PollingState {
	readonly clock: Clock;
	private readonly triggers = new BoundedMap<string, PolledTrigger>(MAX_TRIGGERS);

	constructor(clock: Clock = systemClock) {
		this.clock = clock;
	}

	/**
	 * Does the work of a poll, unless another poll of the trigger is under way: two would find the same messages.
	 *
	 * @param name the trigger's workflow and node
	 * @returns What the work gives; undefined if it was not done.
	 */
	async alone<Result>(
		name: string,
		work: (trigger: PolledTrigger) => Promise<Result>,
	): Promise<Result | undefined> {
		const trigger = this.triggers.get(name) ?? {};
		if (trigger.isUnderWay) return undefined;
		this.triggers.set(name, trigger);
		trigger.isUnderWay = true;
		try {
			return await work(trigger);
		} finally {
			trigger.isUnderWay = false;
		}
	}
}
