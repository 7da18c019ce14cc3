import type { IDataObject } from 'n8n-workflow';
import type { components } from '../../api/api.types';
import { isId, isTextOrNumber } from '../../api/json';
import { readTime } from '../../api/time';
import type { OutputChoice } from '../../panel/output';
import { type People, peopleOf } from '../../contacts/people';

/** How messages are output. */
export const MESSAGE_OUTPUT = {
	fields: {
		id: 'ID',
		body: 'Body',
		campaignId: 'Campaign ID',
		campaignMessageId: 'Campaign Message ID',
		channelId: 'Channel ID',
		conversationId: 'Conversation ID',
		created: 'Created',
		error: 'Error Text',
		errorCode: 'Error Code',
		externalId: 'External ID',
		inbound: 'Inbound',
		inboxId: 'Inbox ID',
		members: 'Members',
		seen: 'Seen',
		segments: 'Segments',
		sender: 'Sender',
		senderType: 'Sender Type',
		sentByName: 'Sent By Name',
		status: 'Status',
		timestamp: 'Timestamp',
		updated: 'Updated',
		userId: 'User ID',
	} satisfies Record<keyof components['schemas']['Message'], string>,
	simplify: simplifyMessage,
} satisfies OutputChoice;

/**
 * Reduces a message to the most used fields, without nesting. The error text is called `errorText`: when the node
 * retries on failure, n8n takes an item with `error` for a failed one.
 */
function simplifyMessage(message: IDataObject): IDataObject {
	const { members } = message;
	return {
		id: message.id,
		timestamp: writtenDateOf(message),
		inbound: message.inbound,
		sender: message.sender,
		body: message.body,
		members: Array.isArray(members) ? members.join(', ') : members,
		status: message.status,
		errorText: message.error,
		inboxId: message.inboxId,
		conversationId: message.conversationId,
	};
}

/** A message with what is compared, so that it is read only once however many items compare it. */
export class ParsedMessage {
	readonly json: IDataObject;
	/** Milliseconds since 1970. */
	readonly date?: number;
	readonly status: string;
	readonly text: string;
	/** Its people, by the country code that completes their numbers. */
	private peopleByCode?: Map<string | undefined, People>;

	constructor(json: IDataObject) {
		this.json = json;
		this.date = toTime(writtenDateOf(json));
		this.status = fold(json.status);
		this.text = fold(json.body);
	}

	/** What identifies it: its ID, or else what does not change when its status does. */
	get id(): string {
		const { id, created, timestamp, sender, members, inboxId, body } = this.json;
		const content = [id, created, timestamp, sender, members, inboxId, body];
		return isId(id) ? String(id) : JSON.stringify(content);
	}

	/** Its people. @param countryCode the country code for numbers of the service that have none */
	people(countryCode?: string): People {
		const known = (this.peopleByCode ??= new Map());
		const people = known.get(countryCode) ?? peopleOf(this.json, countryCode);
		known.set(countryCode, people);
		return people;
	}
}

/** The date as the service writes it: the timestamp, or else when the message was created. */
function writtenDateOf({ timestamp, created }: IDataObject): IDataObject[string] {
	return toTime(timestamp) === undefined ? (created ?? timestamp) : timestamp;
}

function toTime(value: unknown): number | undefined {
	const time = isTextOrNumber(value) ? readTime(String(value)) : NaN;
	// A time of 0 or in the year 1 means that there is none.
	return time > 0 ? time : undefined;
}

/** Compares IDs: numbers in texts count as numbers. */
const byId = new Intl.Collator('en', { numeric: true });

/** Sorts messages by date, those without a date first. Of the same date, the lower ID comes first. */
export function oldestFirst(messages: readonly ParsedMessage[]): ParsedMessage[] {
	return [...messages].sort((a, b) => (a.date ?? 0) - (b.date ?? 0) || byId.compare(a.id, b.id));
}

/** A text as it is compared: what looks alike is alike, in upper or lower case. Empty for anything else. */
export function fold(value: unknown): string {
	if (typeof value !== 'string') return '';
	return value
		.replace(/[‘’‛′]/g, "'")
		.replace(/[“”„‟″]/g, '"')
		.normalize('NFKC')
		.toLowerCase()
		.replace(/\s+/g, ' ')
		.trim();
}
