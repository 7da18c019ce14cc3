import { generateKeyPairSync, randomUUID, type KeyPairKeyObjectResult } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { createCredential, CREDENTIAL_TYPE } from '../sandbox/n8n/credentials.ts';
import { TRIGGER_TYPE } from '../sandbox/n8n/nodeTypes.ts';
import { activateWorkflow, chain, createWorkflow } from '../sandbox/n8n/workflows.ts';
import { defaultEventSettings, type Signing } from '../sandbox/service/events/settings.ts';
import { sign } from '../sandbox/service/events/signing.ts';
import type { BenchNode } from './contenders.ts';
import { HEADER_CREDENTIAL_TYPE, type Rig } from './rig/rig.ts';
import type { Call } from './rig/sender.ts';

const SECRET = randomUUID();
const SECRET_HEADER = defaultEventSettings.signing.sharedSecretName;

/** One way to take in calls from outside: a workflow's first node, and how it is called. */
export interface Receiver {
	name: string;
	/** How the calls prove where they come from. */
	signing: Signing;
	/** The least share of the Webhook node's rate. A signature takes some more work than a header. */
	leastRatio: number;
	/** Makes the node that takes the calls, at an address with this part in it. */
	trigger(rig: Rig, webhookId: string): Promise<BenchNode>;
	/** Where it listens. */
	path(webhookId: string): string;
}

/** A receiver's workflow in n8n, active. */
export interface Listening {
	receiver: Receiver;
	workflowId: string;
	url: string;
}

const SHARED_SECRET: Signing = {
	...defaultEventSettings.signing,
	kind: 'sharedSecret',
	secret: SECRET,
};

interface TriggerSketch {
	name: string;
	leastRatio: number;
	signing: Signing;
	parameters?: INodeParameters;
	/** What the credential has; the secret that the calls are signed with unless given. */
	webhookSecret?: string;
}

function triggerReceiver({
	name,
	leastRatio,
	signing,
	parameters = {},
	webhookSecret = signing.secret,
}: TriggerSketch): Receiver {
	return {
		name: `Messaging Service Trigger, ${name}`,
		signing,
		leastRatio,
		path: (webhookId) => `${webhookId}/webhook`,
		async trigger({ n8n, standIn }, webhookId) {
			const credential = await createCredential(n8n.rest, {
				name: `Benchmark (${webhookId})`,
				type: CREDENTIAL_TYPE,
				data: { baseUrl: standIn.url, apiKey: 'unused', webhookSecret },
			});
			return {
				name: 'Receive',
				type: TRIGGER_TYPE,
				typeVersion: 1.1,
				webhookId,
				parameters,
				credentials: { [CREDENTIAL_TYPE]: { ...credential } },
			};
		},
	};
}

/** n8n's own node. Its header authentication is what comes nearest to a shared secret. */
export const WEBHOOK_NODE: Receiver = {
	name: 'Webhook, header authentication',
	signing: SHARED_SECRET,
	leastRatio: 1,
	path: (webhookId) => webhookId,
	async trigger({ n8n }, webhookId) {
		const credential = await createCredential(n8n.rest, {
			name: `Benchmark (${webhookId})`,
			type: HEADER_CREDENTIAL_TYPE,
			data: { name: SECRET_HEADER, value: SECRET },
		});
		return {
			name: 'Receive',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2.1,
			webhookId,
			parameters: {
				httpMethod: 'POST',
				path: webhookId,
				authentication: 'headerAuth',
				options: {},
			},
			credentials: { [HEADER_CREDENTIAL_TYPE]: { ...credential } },
		};
	},
};

/** This package's trigger, with each way to verify calls. */
export const TRIGGERS: Receiver[] = [
	triggerReceiver({ name: 'shared secret', leastRatio: 0.95, signing: SHARED_SECRET }),
	hmacReceiver('HMAC SHA-256', 'sha256'),
	hmacReceiver('HMAC SHA-512', 'sha512'),
	publicKeyReceiver('Ed25519', 'ed25519', generateKeyPairSync('ed25519')),
	publicKeyReceiver('ECDSA P-256', 'ecdsaP256', generateKeyPairSync('ec', { namedCurve: 'P-256' })),
];

function hmacReceiver(name: string, algorithm: Signing['algorithm']): Receiver {
	return triggerReceiver({
		name,
		leastRatio: 0.9,
		signing: { ...SHARED_SECRET, kind: 'signature', algorithm },
		parameters: { verification: 'signature', signature: { algorithm } },
	});
}

function publicKeyReceiver(
	name: string,
	algorithm: Signing['algorithm'],
	{ privateKey, publicKey }: KeyPairKeyObjectResult,
): Receiver {
	return triggerReceiver({
		name,
		leastRatio: 0.7,
		signing: {
			...SHARED_SECRET,
			kind: 'signature',
			algorithm,
			encoding: 'base64',
			secret: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
		},
		parameters: {
			verification: 'signature',
			signature: { algorithm, encoding: 'base64', keyFormat: 'pem' },
		},
		webhookSecret: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
	});
}

/** Activates a workflow that takes in calls and does nothing with them. */
export async function listen(rig: Rig, receiver: Receiver): Promise<Listening> {
	const { n8n } = rig;
	const webhookId = randomUUID();
	const workflow = await createWorkflow(
		n8n.rest,
		chain(receiver.name, [
			await receiver.trigger(rig, webhookId),
			{ name: 'Nothing', type: 'n8n-nodes-base.noOp' },
		]),
	);
	await activateWorkflow(n8n.rest, workflow);
	return {
		receiver,
		workflowId: workflow.id,
		url: `${n8n.url}/webhook/${receiver.path(webhookId)}`,
	};
}

/** So many different events of a received message, each signed as the receiver wants it. */
export function eventCalls({ signing }: Receiver, count: number): Call[] {
	const { misbehaviour } = defaultEventSettings;
	return Array.from({ length: count }, (_, index) => {
		const body = JSON.stringify(receivedMessage(index));
		const now = Date.now();
		const { headers } = sign({ body, secret: signing.secret, now, misbehaviour }, signing);
		return { body, headers };
	});
}

function receivedMessage(index: number): object {
	const created = new Date().toISOString();
	const contact = `+155555501${String(index % 100).padStart(2, '0')}`;
	return {
		id: randomUUID(),
		event: 'message.received',
		created,
		data: {
			id: index,
			body: `Hello, is ${index} still free on Thursday?`,
			conversationId: `conversation-${index}`,
			inbound: true,
			members: [contact, '+15555550100'],
			sender: contact,
			senderType: 'contact',
			status: 'received',
			created,
			updated: created,
			timestamp: created,
			seen: false,
			segments: 1,
			inboxId: '1b0c0000-0000-4000-8000-000100000001',
			externalId: `message-${index}`,
		},
	};
}
