import type { INodeTypeDescription } from 'n8n-workflow';

import { PACKAGE_NAME } from './paths.ts';
import type { RestClient } from './rest.ts';
import { until } from './until.ts';

/** The nodes of this package. */
export const ACTION_TYPE = `${PACKAGE_NAME}.messagingService`;
export const TRIGGER_TYPE = `${PACKAGE_NAME}.messagingServiceTrigger`;
export const POLLING_TRIGGER_TYPE = `${PACKAGE_NAME}.messagingServicePollingTrigger`;

/** All node types that n8n offers, as its editor gets them. */
export async function listNodeTypes(rest: RestClient): Promise<INodeTypeDescription[]> {
	// It is a file, which n8n may just be writing anew.
	return await until('n8n has a list of its nodes', () =>
		rest.get<INodeTypeDescription[] | undefined>('/types/nodes.json'),
	);
}
