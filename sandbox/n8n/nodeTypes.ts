import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeTypeDescription } from 'n8n-workflow';

import type { RestClient } from './rest.ts';

const MOST_TRIES = 20;
const PAUSE_MS = 200;

/** All node types that n8n offers, as its editor gets them. */
export async function listNodeTypes(rest: RestClient): Promise<INodeTypeDescription[]> {
	for (let tries = 1; ; tries++) {
		const types = await rest.get<INodeTypeDescription[] | undefined>('/types/nodes.json');
		if (types) return types;
		// It is a file that n8n is just writing anew.
		if (tries === MOST_TRIES) throw new Error('n8n has no list of its nodes');
		await sleep(PAUSE_MS);
	}
}

/** The types whose nodes start a workflow. */
export function triggerTypes(types: INodeTypeDescription[]): Set<string> {
	return new Set(types.filter(({ group }) => group.includes('trigger')).map(({ name }) => name));
}
