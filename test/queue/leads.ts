import { randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { PACKAGE_NAME } from '../../sandbox/n8n/paths.ts';
import type { NodeSketch } from '../../sandbox/n8n/workflows.ts';
import { seeded } from '../../sandbox/service/service.ts';
import type { Deployment } from './deployment.ts';

const [webhookId = ''] = seeded.demo.webhookIds;

export interface Lead {
	lead: string;
}

/** Leads that no other call of this gives. */
export function newLeads(count: number): Lead[] {
	const batch = randomUUID();
	return Array.from({ length: count }, (_, index) => ({ lead: `${batch}-${index}` }));
}

/** The leads that arrived at the service, as often as they did. */
export function arrivedAt({ service }: Deployment): string[] {
	return service.received().flatMap(({ body }): string[] => Object(body).lead ?? []);
}

/** A node that texts the leads of its input, and waits for no limit. */
export function textingNode({ credentials }: Deployment, options: INodeParameters): NodeSketch {
	return {
		name: 'Text',
		type: `${PACKAGE_NAME}.messagingService`,
		parameters: {
			resource: 'pipeline',
			operation: 'invokeWebhook',
			webhookId: { __rl: true, mode: 'id', value: webhookId },
			payloadMode: 'input',
			options: { requestsPerMinute: 100_000, ...options },
		},
		credentials,
	};
}
