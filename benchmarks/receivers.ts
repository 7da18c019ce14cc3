import { createHmac, randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { activateWorkflow, chain, createWorkflow } from '../sandbox/n8n/workflows.ts';
import { SECRET_HEADER, SIGNATURE_HEADER } from '../sandbox/service/events/outbox.ts';
import type { BenchNode } from './contenders.ts';
import type { Rig } from './rig/rig.ts';
import type { Call } from './rig/sender.ts';

const SECRET = randomUUID();

/** One way to take in calls from outside: a workflow's first node, and how it is called. */
export interface Receiver {
	name: string;
	/** The header by which a call proves where it comes from. */
	proof(body: string): Record<string, string>;
	/** Makes the node that takes the calls, at an address with this part in it. */
	node(rig: Rig, webhookId: string): Promise<BenchNode>;
	/** Where it listens. */
	path(webhookId: string): string;
}

/** A receiver's workflow in n8n, active. */
export interface Listening {
	receiver: Receiver;
	workflowId: string;
	url: string;
}

const sharedSecret = () => ({ [SECRET_HEADER]: SECRET });

/** n8n's own node. Its header authentication is what comes nearest to a shared secret. */
export const WEBHOOK_NODE: Receiver = {
	name: 'Webhook, header authentication',
	proof: sharedSecret,
	path: (webhookId) => webhookId,
	node: async ({ addHeader }, webhookId) => ({
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
		credentials: await addHeader(SECRET_HEADER, SECRET),
	}),
};

/** This package's trigger, with some of its ways to verify calls. */
export const TRIGGERS: Receiver[] = [
	trigger('shared secret', {}, sharedSecret),
	trigger('shared secret, duplicates not skipped', { skipDuplicates: false }, sharedSecret),
	trigger('HMAC SHA-256', { verification: 'signature' }, (body) => ({
		[SIGNATURE_HEADER]: createHmac('sha256', SECRET).update(body).digest('hex'),
	})),
];

function trigger(name: string, parameters: INodeParameters, proof: Receiver['proof']): Receiver {
	return {
		name: `Messaging Service Trigger, ${name}`,
		proof,
		path: (webhookId) => `${webhookId}/webhook`,
		node: async (rig, webhookId) =>
			rig.trigger(parameters, {
				name: 'Receive',
				webhookId,
				credentials: await rig.addCredential({ webhookSecret: SECRET }),
			}),
	};
}

/** Activates a workflow that takes in calls and does nothing with them. */
export async function listen(rig: Rig, receiver: Receiver): Promise<Listening> {
	const { n8n } = rig;
	const webhookId = randomUUID();
	const workflow = await createWorkflow(
		n8n.rest,
		chain(receiver.name, [
			await receiver.node(rig, webhookId),
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
export function eventCalls({ proof }: Receiver, count: number): Call[] {
	return Array.from({ length: count }, (_, index) => {
		const body = JSON.stringify(receivedMessage(index));
		return { body, headers: proof(body) };
	});
}

/** A body of an odd size or shape. No two with different numbers are alike. */
export interface OddBody {
	name: string;
	type?: string;
	make(size: number, index: number): string;
}

const list = (count: number, entry: string) => `[${Array(Math.ceil(count)).fill(entry).join()}]`;
const FORM = 'application/x-www-form-urlencoded';

/** Bodies of about so many bytes, of the kinds that a receiver may stumble over. */
export const ODD_BODIES: OddBody[] = [
	{ name: 'numbers', make: (size, index) => `{"id":${index},"data":${list(size / 2, '1')}}` },
	{ name: 'objects', make: (size, index) => `[{"id":${index}},${list(size / 3, '{}').slice(1)}` },
	{
		name: 'events',
		make: (size) =>
			JSON.stringify(Array.from({ length: size / 400 }, (_, index) => receivedMessage(index))),
	},
	{ name: 'a text', make: (size, index) => `{"event":"${index}${'a'.repeat(size)}"}` },
	{
		name: 'nested',
		make: (size, index) => `${'{"a":'.repeat(size / 6)}${index}${'}'.repeat(size / 6)}`,
	},
	{
		name: 'a text in a text',
		make: (size, index) => JSON.stringify({ id: index, data: `{"data":${list(size / 2, '1')}}` }),
	},
	{
		name: 'no JSON',
		type: 'text/plain',
		make: (size, index) => `{"id":${index},${'['.repeat(size)}`,
	},
	{
		name: 'empty fields',
		type: FORM,
		make: (size, index) => `id=${index}${'&a='.repeat(size / 3)}`,
	},
	{
		name: 'nothing but signs',
		type: FORM,
		make: (size, index) => `id=${index}${'&'.repeat(size)}`,
	},
];

/** Different calls with such a body. */
export function oddCalls({ proof }: Receiver, kind: OddBody, size: number, count: number): Call[] {
	return Array.from({ length: count }, () => {
		const body = kind.make(size, Math.floor(Math.random() * 1e9));
		return { body, headers: { ...proof(body), ...(kind.type && { 'content-type': kind.type }) } };
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
