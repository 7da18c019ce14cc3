import type { INode, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../sandbox/n8n/credentials.ts';
import { ACTION_TYPE } from '../sandbox/n8n/nodeTypes.ts';
import type { NodeSketch } from '../sandbox/n8n/workflows.ts';
import type { NodeOperation } from '../sandbox/operations.ts';
import { seeded } from '../sandbox/service/service.ts';
import { HEADER_CREDENTIAL_TYPE, type Rig } from './rig/rig.ts';

/** A node with the settings that its own tab in the editor has. */
export type BenchNode = NodeSketch &
	Partial<Pick<INode, 'executeOnce' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>>;

/** One way to do the work: a node, or some in a row, whose time is counted together. */
export interface Contender {
	name: string;
	nodes: BenchNode[];
	/** The node that gets the items to start with as its second input, too. */
	joining?: string;
	/** How many keys its node remembers from the beginning. */
	known?: number;
	/** Whether it is one of n8n's own nodes, which have no target here. */
	isPeer?: boolean;
}

/** One input item of the webhook calls. */
export interface Lead {
	lead: number;
	/** Different in each run too. */
	leadId: string;
	firstName: string;
	phone: string;
}

const THIS_NODE = 'Messaging Service';

const PAGE_SIZE = 50;
const NO_LIMIT = 1_000_000_000;

const [WEBHOOK_ID = ''] = seeded.demo.webhookIds;

let lists = 0;

/** So many input items, all different, each with a number reserved for fiction of which there are 80,000. */
export function leads(count: number): Lead[] {
	const list = ++lists;
	return Array.from({ length: count }, (_, lead) => {
		const number = list * count + lead;
		const area = 200 + (Math.floor(number / 100) % 800);
		return {
			lead,
			leadId: `${list}-${lead}`,
			firstName: `Ada ${lead}`,
			phone: `+1${area}55501${String(number % 100).padStart(2, '0')}`,
		};
	});
}

function thisNode({ credential }: Rig, parameters: INodeParameters): BenchNode {
	return {
		name: THIS_NODE,
		type: ACTION_TYPE,
		parameters,
		credentials: { [CREDENTIAL_TYPE]: { ...credential } },
	};
}

function httpRequest(
	{ headerCredential, standIn }: Rig,
	{ path, ...parameters }: INodeParameters & { path: string },
): BenchNode {
	return {
		name: 'HTTP Request',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			url: standIn.url + path,
			authentication: 'genericCredentialType',
			genericAuthType: HEADER_CREDENTIAL_TYPE,
			...parameters,
		},
		credentials: { [HEADER_CREDENTIAL_TYPE]: { ...headerCredential } },
	};
}

/** Lists all messages with this node. */
export function listByNode(rig: Rig): Contender {
	const parameters = { resource: 'message', operation: 'getAll', returnAll: true, simple: false };
	return { name: THIS_NODE, nodes: [thisNode(rig, parameters)] };
}

/**
 * Lists all messages with the HTTP Request node's own pagination. What it gives is an item for each
 * page, so the Split Out node that makes messages of them belongs to it.
 */
export function listByHttpRequest(rig: Rig): Contender {
	return { name: 'HTTP Request', nodes: listing(rig) };
}

function listing(rig: Rig): BenchNode[] {
	const pagination = {
		paginationMode: 'updateAParameterInEachRequest',
		parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] },
		paginationCompleteWhen: 'other',
		completeExpression: '={{ !$response.body.links.next }}',
	};
	const request = httpRequest(rig, {
		path: '/public/messages',
		sendQuery: true,
		queryParameters: { parameters: [{ name: 'limit', value: String(PAGE_SIZE) }] },
		options: { pagination: { pagination } },
	});
	const split: BenchNode = {
		name: 'Split Out',
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: 'data', options: {} },
	};
	return [request, split];
}

/** A contact to look for. */
export interface Contact {
	phone: string;
}

/** Below it, numbers of the first area belong to the stand-in's inboxes. */
const FIRST_CONTACT = 36;

/** So many different contacts, all of the stand-in's among them. */
export function contacts(count: number): Contact[] {
	return Array.from({ length: count }, (_, index) => {
		const number = FIRST_CONTACT + index;
		const area = 555 + Math.floor(number / 100);
		return { phone: `+1${area}55501${String(number % 100).padStart(2, '0')}` };
	});
}

/** Finds what each contact has written with this node. */
export function contactsByNode(rig: Rig): Contender {
	const filters = { after: '2000-01-01', phone: '={{ $json.phone }}', direction: 'inbound' };
	const parameters = {
		resource: 'message',
		operation: 'getAll',
		returnAll: true,
		simple: false,
		filters,
	};
	return { name: THIS_NODE, nodes: [thisNode(rig, parameters)] };
}

/** The same with n8n's own nodes: all messages are listed once, and merged with the contacts by their sender. */
export function contactsByMerge(rig: Rig): Contender {
	const [request, ...others] = listing(rig);
	const merge: BenchNode = {
		name: 'Merge',
		type: 'n8n-nodes-base.merge',
		typeVersion: 3.2,
		parameters: {
			mode: 'combine',
			advanced: true,
			mergeByFields: { values: [{ field1: 'sender', field2: 'phone' }] },
			outputDataFrom: 'input1',
			options: {},
		},
	};
	const nodes = [...(request ? [{ ...request, executeOnce: true }] : []), ...others, merge];
	return { name: 'HTTP Request and Merge', nodes, joining: merge.name };
}

/**
 * Invokes a webhook for each lead with this node. Without `paced`, its own pacing is out of the way; with
 * `once`, it remembers what was sent.
 */
export function invokeByNode(
	rig: Rig,
	{
		paced,
		once,
		settings,
	}: { paced: boolean; once?: 'key' | 'phone' } & Pick<InvokeSetting, 'settings'>,
): Contender {
	const field = (id: string, name: string, type: string) => ({
		id,
		name,
		type,
		value: `={{ $json.${name} }}`,
	});
	const node = thisNode(rig, {
		resource: 'pipeline',
		operation: 'invokeWebhook',
		webhookId: { __rl: true, mode: 'id', value: WEBHOOK_ID },
		phone: '={{ $json.phone }}',
		...(once ? { sendOnce: once } : {}),
		...(once === 'key' ? { onceKey: '={{ $json.leadId }}' } : {}),
		payloadMode: 'fields',
		payloadFields: {
			assignments: [field('1', 'firstName', 'string'), field('2', 'lead', 'number')],
		},
		options: {
			...(paced ? {} : { requestsPerMinute: NO_LIMIT }),
		},
	});
	return { name: THIS_NODE, nodes: [{ ...node, ...settings }] };
}

/** How a node invokes webhooks. */
export interface InvokeSetting {
	name: string;
	batching?: { batchSize: number; batchInterval: number };
	settings?: Partial<BenchNode>;
}

/** Invokes a webhook for each lead with the HTTP Request node: the same fields, the same expressions. */
export function invokeByHttpRequest(
	rig: Rig,
	{ name, batching, settings }: InvokeSetting,
): Contender {
	const parameters = ['phone', 'firstName', 'lead'].map((field) => ({
		name: field,
		value: `={{ $json.${field} }}`,
	}));
	const node = httpRequest(rig, {
		path: `/public/pipelines/webhook/${WEBHOOK_ID}`,
		method: 'POST',
		sendBody: true,
		bodyParameters: { parameters },
		options: batching ? { batching: { batch: batching } } : {},
	});
	return { name, nodes: [{ ...node, ...settings }], isPeer: true };
}

/** Does an operation for each item with this node. */
export function operationByNode(
	rig: Rig,
	id: NodeOperation,
	parameters: INodeParameters,
): Contender {
	const [resource, operation] = id.split('.');
	return { name: id, nodes: [thisNode(rig, { resource, operation, ...parameters })] };
}

/** Sets a field of each item. */
export const SET: Contender = {
	name: 'Set',
	nodes: [
		{
			name: 'Set',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: {
				assignments: {
					assignments: [{ id: '1', name: 'text', type: 'string', value: '={{ "Hi " + $json.n }}' }],
				},
				includeOtherFields: true,
				options: {},
			},
		},
	],
	isPeer: true,
};

/** Does nothing: what a run costs apart from the node that is measured. */
export const NOTHING: Contender = {
	name: 'Nothing',
	nodes: [{ name: 'Nothing', type: 'n8n-nodes-base.noOp' }],
};
