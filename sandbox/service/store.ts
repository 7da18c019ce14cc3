import type { Inbox, Message, MessageTemplate, PipelineVersion, User } from './contract.ts';

/** A message with its time as a number, since filters compare times all the time. */
export interface StoredMessage {
	/** Milliseconds since 1970. */
	at: number;
	message: Message & { id: number };
}

/** A subscription to events that a client made. */
export interface Subscription {
	id: string;
	url: string;
	/** All events when empty. */
	events: string[];
	secret?: string;
}

/** Everything that belongs to one team. */
export interface Team {
	id: string;
	name: string;
	apiKey: string;
	inboxes: Inbox[];
	/** Oldest first, so that a new message is one push. */
	messages: StoredMessage[];
	templates: MessageTemplate[];
	/** Versions by the ID of their agent, oldest first. */
	agents: Map<string, PipelineVersion[]>;
	webhookIds: ReadonlySet<string>;
	/** By e-mail address in lower case. */
	users: Map<string, User>;
	/** To events to the outside. */
	subscriptions: Map<string, Subscription>;
}

/** Is told what happens to a team's messages. */
export type Announce = (
	event: 'message.received' | 'agent.answered',
	team: Team,
	message: Message,
) => void;

/** All data of the stand-in; built anew by a reset. */
export interface Store {
	teams: Map<string, Team>;
	validOtpTokens: ReadonlySet<string>;
	/** ID for the next message; IDs are unique over all teams. */
	nextMessageId: number;
	announce: Announce;
}

/** What a new message needs; the rest is filled in. */
interface NewMessage {
	inbox: Inbox;
	/** The contact's phone number. */
	phone: string;
	body: string;
	inbound: boolean;
	/** Milliseconds since 1970. */
	at: number;
}

/** Adds a message as the team's newest. */
export function addMessage(store: Store, team: Team, message: NewMessage): Message {
	// A clock that was set back, or seeds around a later `now`, must not break the order.
	const at = Math.max(message.at, team.messages.at(-1)?.at ?? 0);
	const stored = createMessage(store.nextMessageId++, team, { ...message, at });
	team.messages.push({ at, message: stored });
	// Besides contacts only agents write.
	store.announce(message.inbound ? 'message.received' : 'agent.answered', team, stored);
	return stored;
}

/** Makes a complete message without adding it. */
export function createMessage(
	id: number,
	team: Team,
	{ inbox, phone, body, inbound, at }: NewMessage,
): Message & { id: number } {
	const date = new Date(at).toISOString();
	const own = inbox.phone ?? '';
	return {
		id,
		body,
		conversationId: `${team.id.slice(0, 8)}-${phone.replace(/\D/g, '')}`,
		inbound,
		members: [phone, own],
		sender: inbound ? phone : own,
		senderType: inbound ? 'contact' : 'agent',
		status: inbound ? 'received' : 'delivered',
		created: date,
		updated: date,
		seen: !inbound,
		segments: Math.ceil(body.length / 160),
		timestamp: date,
		channelId: inbox.id,
		inboxId: inbox.id,
		externalId: `message-${id}`,
	};
}
