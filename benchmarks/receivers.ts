import { createHmac, randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { SECRET_HEADER, SIGNATURE_HEADER } from '../sandbox/service/events/outbox.ts';
import type { Rig } from './rig.ts';
import type { BenchNode } from './workflow.ts';

const SECRET = randomUUID();

/** A node that takes in calls from outside, and how it is called. */
export interface Receiver {
	name: string;
	/** The header by which a call proves where it comes from. */
	proof(body: string): Record<string, string>;
	node(rig: Rig): Promise<BenchNode>;
}

const sharedSecret = () => ({ [SECRET_HEADER]: SECRET });
const signature = (body: string) => ({
	[SIGNATURE_HEADER]: createHmac('sha256', SECRET).update(body).digest('hex'),
});

/** n8n's own node, whose header authentication is what comes nearest to a shared secret, and this package's trigger. */
export const RECEIVERS: Receiver[] = [
	{ name: 'Webhook, header authentication', proof: sharedSecret, node: webhook },
	trigger('shared secret', {}, sharedSecret),
	trigger('HMAC SHA-256', { verification: 'signature' }, signature),
	trigger('shared secret, duplicates not skipped', { skipDuplicates: false }, sharedSecret),
];

async function webhook(rig: Rig): Promise<BenchNode> {
	const path = randomUUID();
	return {
		name: 'Receive',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2.1,
		webhookId: path,
		parameters: { httpMethod: 'POST', path, authentication: 'headerAuth', options: {} },
		credentials: await rig.addHeader(SECRET_HEADER, SECRET),
	};
}

function trigger(name: string, parameters: INodeParameters, proof: Receiver['proof']): Receiver {
	return {
		name: `Trigger, ${name}`,
		proof,
		node: async (rig) =>
			rig.trigger(parameters, {
				credentials: await rig.addCredential({ webhookSecret: SECRET }),
			}),
	};
}
