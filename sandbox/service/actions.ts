/** What happens at the service without a client's doing, when it is told to. */
import Type, { type Static } from 'typebox';

import type { Message } from './contract.ts';
import type { Delivery } from './events/delivery.ts';
import { eventRequestSchema, type EventRequest } from './events/event.ts';
import type { Outbox } from './events/outbox.ts';
import { seeded } from './identifiers.ts';
import { check, closed } from './schema.ts';
import { addMessage, setStatus, type Store } from './store.ts';

const text = Type.Optional(Type.String());

const inboundMessageSchema = closed({
	/** API key of the team; the demo team's unless given. */
	apiKey: text,
	/** The team's first inbox unless given. */
	inboxId: text,
	/** The contact's phone number. */
	phone: text,
	body: text,
});

const statusChangeSchema = closed({
	apiKey: text,
	/** The newest message unless given. */
	messageId: Type.Optional(Type.Integer({ minimum: 1 })),
	status: Type.String(),
	error: text,
	errorCode: Type.Optional(Type.Integer({ minimum: 0 })),
});

export type InboundMessage = Static<typeof inboundMessageSchema>;
export type StatusChange = Static<typeof statusChangeSchema>;

/** Adds a message that a contact sends now. Undefined when there is no such team or inbox. */
export function receiveMessage(store: Store, message: InboundMessage = {}): Message | undefined {
	const {
		apiKey = seeded.demo.apiKey,
		inboxId,
		phone = '+15555550199',
		body = 'Hello, are you there?',
	} = check(inboundMessageSchema, message);
	const team = store.teams.get(apiKey);
	const inbox = team?.inboxes.find(({ id }) => inboxId === undefined || id === inboxId);
	if (team === undefined || inbox === undefined) return undefined;
	return addMessage(store, team, { inbox, phone, body, inbound: true, at: Date.now() });
}

/** Changes a message's status now. Undefined when there is no such team or message. */
export function changeStatus(store: Store, change: StatusChange): Message | undefined {
	const { apiKey = seeded.demo.apiKey, messageId, ...status } = check(statusChangeSchema, change);
	const team = store.teams.get(apiKey);
	const stored = team?.messages.findLast(
		({ message }) => messageId === undefined || message.id === messageId,
	);
	if (team === undefined || stored === undefined) return undefined;
	setStatus(store, team, stored.message, status);
	return stored.message;
}

/** Sends an event without anything having happened. Undefined when there is no such team. */
export function sendEvent(
	{ teams }: Store,
	outbox: Outbox,
	request: EventRequest = {},
): Delivery[] | undefined {
	const { apiKey = seeded.demo.apiKey, ...event } = check(eventRequestSchema, request);
	const team = teams.get(apiKey);
	if (team === undefined) return undefined;
	const newest = team.messages.at(-1)?.message ?? {};
	return outbox.send({ event: 'message.received', data: newest, ...event, team });
}
