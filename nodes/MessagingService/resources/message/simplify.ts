import type { IDataObject } from 'n8n-workflow';

/**
 * Reduces a message to the fields that people use, flat. The error text is called `errorText`: n8n takes
 * an item with `error` for a failed one when the node retries on failure.
 */
export function simplify(message: IDataObject): IDataObject {
	const { members } = message;
	return {
		id: message.id,
		timestamp: message.timestamp ?? message.created,
		inbound: message.inbound,
		sender: message.sender,
		members: Array.isArray(members) ? members.join(', ') : members,
		body: message.body,
		status: message.status,
		errorText: message.error,
		inboxId: message.inboxId,
		conversationId: message.conversationId,
	};
}
