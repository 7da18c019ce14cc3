import { PACKAGE_NAME } from '../../sandbox/n8n/paths.ts';
import type { NodeSketch } from '../../sandbox/n8n/workflows.ts';
import type { Deployment } from './deployment.ts';

/** A node that lists the messages that it has not given before. */
export function newMessagesNode({ credentials }: Deployment): NodeSketch {
	return {
		name: 'List new',
		type: `${PACKAGE_NAME}.messagingService`,
		parameters: {
			resource: 'message',
			operation: 'getAll',
			returnAll: true,
			options: { onlyNew: true },
		},
		credentials,
	};
}
