import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { asObject, isTextOrNumber } from '../../api/json';
import { exactIdOf } from '../../api/list';
import { dateOf } from './message';

/** The most messages to remember one by one. */
const MAX_MESSAGES = 50_000;
/** IDs that are longer are remembered by their hash. */
const MAX_ID_LENGTH = 64;

type MessageId = string | number;

/** Which messages of a query were returned. */
export interface Returned {
	/** All up to this moment, in milliseconds since 1970; -Infinity when there is none. */
	upTo: number;
	/** And these, with their dates; Infinity for those without a date. */
	messages: ReadonlyMap<MessageId, number>;
}

/** Reads what `toStored` has written; nothing was returned if it is anything else. */
export function readReturned(value: unknown): Returned {
	const { upTo, messages } = asObject(value);
	const entries = Array.isArray(messages) ? messages.flatMap(readEntry) : [];
	// JSON has no infinite numbers, so -Infinity does not come back as one.
	return { upTo: typeof upTo === 'number' ? upTo : -Infinity, messages: new Map(entries) };
}

function readEntry(entry: unknown): Array<[MessageId, number]> {
	if (!Array.isArray(entry) || !isTextOrNumber(entry[0])) return [];
	return [[entry[0], typeof entry[1] === 'number' ? entry[1] : Infinity]];
}

/** Writes it as JSON, for `readReturned`. */
export function toStored({ upTo, messages }: Returned): IDataObject {
	return { upTo, messages: [...messages] };
}

/** What was returned according to either of two records. */
export function inEither(one: Returned, other: Returned): Returned {
	return {
		upTo: Math.max(one.upTo, other.upTo),
		messages: new Map([...one.messages, ...other.messages]),
	};
}

/** Adds messages that were returned, too. */
export function withMessages({ upTo, messages }: Returned, added: Iterable<IDataObject>): Returned {
	const entries = Array.from(added, (message): [MessageId, number] => [
		idOf(message),
		dateOf(message) ?? Infinity,
	]);
	return { upTo, messages: new Map([...messages, ...entries]) };
}

/**
 * Forgets the messages that the moment covers, and the oldest ones if there are too many.
 *
 * @param mayLack whether older messages may still turn up. If not, the moment covers those that are forgotten.
 */
export function withoutOld({ upTo, messages }: Returned, mayLack: boolean): Returned {
	const kept = [...messages].filter(([, date]) => date > upTo).sort(([, a], [, b]) => a - b);
	const [, forgotten = upTo] = kept.at(-MAX_MESSAGES - 1) ?? [];
	return {
		upTo: mayLack || forgotten === Infinity ? upTo : forgotten,
		messages: new Map(kept.slice(-MAX_MESSAGES)),
	};
}

/** What identifies a message: its ID, or else what does not change when its status does. */
export function idOf(message: IDataObject): MessageId {
	const id = exactIdOf(message);
	if (id !== undefined && String(id).length <= MAX_ID_LENGTH) return id;
	const { created, timestamp, sender, members, inboxId, body } = message;
	return hashOf(
		id ?? JSON.stringify([message.id, created, timestamp, sender, members, inboxId, body]),
	);
}

/** A short text that stands for a long one. */
export function hashOf(text: string | number): string {
	return createHash('sha256').update(String(text)).digest('base64').slice(0, 16);
}
