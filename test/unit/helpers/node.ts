import type { INode } from 'n8n-workflow';

/** The node that errors are about. */
export function nodeWith(): INode {
	return {
		id: '1',
		name: 'Messaging Service',
		type: 'n8n-nodes-messaging-service.messagingService',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
}
