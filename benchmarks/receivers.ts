import { randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../sandbox/n8n/credentials.ts';
import { createCredential } from '../sandbox/n8n/credentials.ts';
import { PACKAGE_NAME } from '../sandbox/n8n/paths.ts';
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
	signing: Signing['kind'];
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

function triggerReceiver(name: string, signing: 'sharedSecret' | 'hmac'): Receiver {
	const parameters: INodeParameters = { verification: signing };
	return {
		name,
		signing,
		path: (webhookId) => `${webhookId}/webhook`,
		async trigger({ n8n, standIn }, webhookId) {
			const credential = await createCredential(n8n.rest, {
				name: `Benchmark (${webhookId})`,
				type: CREDENTIAL_TYPE,
				data: { baseUrl: standIn.url, apiKey: 'unused', webhookSecret: SECRET },
			});
			return {
				name: 'Receive',
				type: `${PACKAGE_NAME}.messagingServiceTrigger`,
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
	signing: 'sharedSecret',
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
	triggerReceiver('Messaging Service Trigger, shared secret', 'sharedSecret'),
	triggerReceiver('Messaging Service Trigger, signature', 'hmac'),
];

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
export function eventCalls({ signing: kind }: Receiver, count: number): Call[] {
	const signing = { ...defaultEventSettings.signing, kind };
	const { misbehaviour } = defaultEventSettings;
	return Array.from({ length: count }, (_, index) => {
		const body = JSON.stringify(receivedMessage(index));
		const now = Date.now();
		const { headers } = sign({ body, secret: SECRET, now, misbehaviour }, signing);
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
