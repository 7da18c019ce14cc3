import type { INodeTypeDescription } from 'n8n-workflow';

import type { RestClient } from './rest.ts';

/** All node types that n8n offers, as its editor gets them. */
export async function listNodeTypes(rest: RestClient): Promise<INodeTypeDescription[]> {
	return await rest.get('/types/nodes.json');
}

/** The types whose nodes start a workflow. */
export function triggerTypes(types: INodeTypeDescription[]): Set<string> {
	return new Set(types.filter(({ group }) => group.includes('trigger')).map(({ name }) => name));
}
