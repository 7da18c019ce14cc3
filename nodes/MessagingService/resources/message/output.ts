import type { IDataObject } from 'n8n-workflow';
import type { OutputChoice } from '../../panel/toolOutput';
import type { components } from '../../api/api.types';

/** How messages are put out. */
export const MESSAGE = {
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
	simplify,
} satisfies OutputChoice;

/**
 * Reduces a message to the fields that people use, flat. The error text is called `errorText`: n8n takes
 * an item with `error` for a failed one when the node retries on failure.
 */
function simplify(message: IDataObject): IDataObject {
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
