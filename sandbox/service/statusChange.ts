import type { Message } from './contract.ts';
import { seeded } from './identifiers.ts';
import { setStatus } from './store.ts';
import type { MessageStatus, Store } from './store.ts';

/** A new status for a message; the demo team's newest unless given. */
export interface StatusChange extends MessageStatus {
	/** API key of the team. */
	apiKey?: string;
	messageId?: number;
}

/** Changes a message's status now. Undefined when there is no such team or message. */
export function changeStatus(
	store: Store,
	{ apiKey = seeded.demo.apiKey, messageId, ...status }: StatusChange,
): Message | undefined {
	const team = store.teams.get(apiKey);
	const stored = team?.messages.findLast(
		({ message }) => messageId === undefined || message.id === messageId,
	);
	if (team === undefined || stored === undefined) return undefined;
	setStatus(store, team, stored.message, status);
	return stored.message;
}
