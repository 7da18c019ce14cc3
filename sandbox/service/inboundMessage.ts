import type { Message } from './contract.ts';
import { addMessage } from './store.ts';
import type { Store } from './store.ts';
import { seeded } from './identifiers.ts';

/** A message to receive; the demo team, its first inbox and a contact unless given. */
export interface InboundMessage {
	/** API key of the team. */
	apiKey?: string;
	inboxId?: string;
	/** The contact's phone number. */
	phone?: string;
	body?: string;
}

/** Adds a message that a contact sends now. Undefined when there is no such team or inbox. */
export function receiveMessage(
	store: Store,
	{ apiKey = seeded.demo.apiKey, inboxId, phone, body }: InboundMessage = {},
): Message | undefined {
	const team = store.teams.get(apiKey);
	const inbox = team?.inboxes.find(({ id }) => inboxId === undefined || id === inboxId);
	if (team === undefined || inbox === undefined) return undefined;
	return addMessage(store, team, {
		inbox,
		phone: phone ?? '+15555550199',
		body: body ?? 'Hello, are you there?',
		inbound: true,
		at: Date.now(),
	});
}
