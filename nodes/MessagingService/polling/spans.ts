import { isWindow } from '../api/listProgress';
import { HOUR_MS, MINUTE_MS } from '../api/time';
import type { Taken } from '../operations/lists';
import type { ParsedMessage } from '../operations/message/message';
import type { Failed, Warning } from '../words/lists';
import { Problem } from '../words/problem';

/** The longest span of a poll that does not read all at once, in milliseconds. */
export const DAY = 24 * HOUR_MS;
/** A span is not made shorter than this, in milliseconds. */
const SHORTEST = MINUTE_MS;

/** What is to be read: all after a moment and up to now, in milliseconds since 1970. */
export interface Range {
	from: number;
	now: number;
	/** How long a span may be, in milliseconds. */
	longest: number;
}

/** A span of time, in milliseconds since 1970: after a moment, and up to another one or without an end. */
export interface Span {
	after: number;
	upTo?: number;
	/** How long it is until now or its end, in milliseconds. */
	length: number;
}

/** Reads the messages of a span. */
export type ReadSpan = (span: Span) => Promise<Taken<ParsedMessage>>;

/** A span that was not read to its end, and why: if that is left out, only the time was up. */
export interface Rest extends Span {
	failed?: Failed;
}

/** What was read of a range of time. */
export interface SpansRead {
	/** The messages of all spans that were read to their end, each once. */
	messages: ParsedMessage[];
	/** Why some may be missing from them. */
	warnings: Warning[];
	/** Where the reading has ended before now. */
	rest?: Rest;
}

/**
 * Reads a range of time in spans, the oldest first. The last one has no end. A span of which the service gives only a part
 * is halved.
 *
 * @param isTimeUp whether no further span is to begin
 * @throws {Problem} when shorter spans do not have what a longer one had.
 */
export async function readSpans(
	{ from, now, longest }: Range,
	read: ReadSpan,
	isTimeUp: () => boolean,
): Promise<SpansRead> {
	const messages = new Map<string, ParsedMessage>();
	const warnings: Warning[] = [];
	const until = (rest?: Rest) => ({ messages: [...messages.values()], warnings, rest });
	let after = from;
	// The end of a span that was halved, and how many messages there have to be by then.
	let halved: { end: number; least: number } | undefined;
	do {
		const length = Math.min(now - after, longest);
		const upTo = after + length < now ? after + length : undefined;
		const span = { after, upTo, length };
		if (after > from && isTimeUp()) return until(span);
		const { items, verdict } = await read(span);
		if (verdict.kind === 'error') {
			const hasTakenTooLong = verdict.read > 0 && isTimeUp();
			return until({ ...span, failed: hasTakenTooLong ? undefined : verdict });
		}
		if (isWindow(verdict) && length > SHORTEST) {
			longest = shorter(length);
			// A few may have been deleted, or be among more than the service gives of a minute.
			halved ??= { end: after + length, least: messages.size + items.length / 2 };
			continue;
		}
		if (verdict.kind === 'warning') warnings.push(verdict);
		for (const message of items) messages.set(message.id, message);
		after = upTo ?? Infinity;
		if (!halved || after < halved.end) continue;
		if (messages.size < halved.least) {
			// The service gives nothing for a part of a day, so messages would be passed over in silence.
			throw new Problem(
				'The service reads dates as days, and has more messages in a day than it gives',
				'Set the filter "Inboxes", so that each trigger has fewer messages.',
			);
		}
		halved = undefined;
	} while (after < now);
	return until();
}

/** What to read next in place of a span that is too long, in milliseconds. */
export function shorter(length: number): number {
	return Math.max(Math.min(length / 2, DAY), SHORTEST);
}
