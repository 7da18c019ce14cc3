/** What happens at the service without a client's doing, when it is told to. */
import type { Message } from './contract.ts';
import type { Delivery, Outbox } from './events/outbox.ts';
import { seeded } from './identifiers.ts';
import { addMessage, type Store } from './store.ts';

/** A message from a contact to the first inbox of the demo team. */
export interface InboundMessage {
	/** The contact's phone number. */
	phone?: string;
	body?: string;
}

/** An event of the demo team. */
export interface EventRequest {
	/** `message.received` unless given. */
	event?: string;
	/** The team's newest message unless given. */
	data?: object;
	/** The whole body instead of the usual one. */
	body?: unknown;
}

/** Adds a message that a contact sends now. */
export function receiveMessage(
	store: Store,
	{ phone = '+15555550199', body = 'Hello, are you there?' }: InboundMessage = {},
): Message {
	const team = demoTeam(store);
	const [inbox = {}] = team.inboxes;
	return addMessage(store, team, { inbox, phone, body, inbound: true, at: Date.now() });
}

/** Sends an event without anything having happened. */
export function sendEvent(store: Store, outbox: Outbox, event: EventRequest = {}): Delivery[] {
	const team = demoTeam(store);
	const newest = team.messages.at(-1)?.message ?? {};
	return outbox.send({ event: 'message.received', data: newest, ...event, team });
}

function demoTeam({ teams }: Store) {
	const team = teams.get(seeded.demo.apiKey);
	if (team === undefined) throw new Error('The demo team is gone');
	return team;
}
