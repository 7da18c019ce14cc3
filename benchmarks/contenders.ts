import type { INode, INodeParameters } from 'n8n-workflow';

import type { NodeSketch } from '../sandbox/n8n/workflows.ts';
import { seeded } from '../sandbox/service/service.ts';
import { HEADER_CREDENTIAL_TYPE, type Rig } from './rig/rig.ts';

/** A node with the settings that its own tab in the editor has. */
export type BenchNode = NodeSketch &
	Partial<Pick<INode, 'executeOnce' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>>;

/** One way to do the work: a node, or some in a row, whose time is counted together. */
export interface Contender {
	name: string;
	nodes: BenchNode[];
	/** How many keys its node remembers from the beginning. */
	known?: number;
}

/** One input item of the webhook calls. */
interface Lead {
	lead: number;
	/** Different in each run too. */
	leadId: string;
	firstName: string;
	phone: string;
}

const THIS_NODE = 'Messaging Service';
const HTTP_REQUEST = 'HTTP Request';

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

/** Lists all messages with this node. */
export function listByNode({ action }: Rig): Contender {
	const parameters = { resource: 'message', operation: 'getAll', returnAll: true, simple: false };
	return { name: THIS_NODE, nodes: [action(THIS_NODE, parameters)] };
}

/**
 * Lists all messages with the HTTP Request node's own pagination. What it gives is an item for each
 * page, so the Split Out node that makes messages of them belongs to it.
 */
export function listByHttpRequest(rig: Rig): Contender {
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
	return { name: HTTP_REQUEST, nodes: [request, split] };
}

/**
 * Calls a webhook for each lead with this node.
 *
 * @param requestsPerMinute keeps the node's own pacing out of the way unless given
 */
export function callByNode(
	{ action }: Rig,
	{ name = THIS_NODE, ...parameters }: INodeParameters & { name?: string } = {},
	requestsPerMinute = NO_LIMIT,
): Contender {
	const field = (id: string, field: string, type: string) => ({
		...{ id, name: field, type },
		value: `={{ $json.${field} }}`,
	});
	const node = action(THIS_NODE, {
		resource: 'agent',
		operation: 'start',
		webhook: { __rl: true, mode: 'id', value: WEBHOOK_ID },
		phone: '={{ $json.phone }}',
		payloadMode: 'fields',
		payloadFields: {
			assignments: [field('1', 'firstName', 'string'), field('2', 'lead', 'number')],
		},
		options: { requestsPerMinute },
		...parameters,
	});
	return { name, nodes: [node] };
}

/** Calls a webhook for each lead with the HTTP Request node: the same fields, the same expressions. */
export function callByHttpRequest(
	rig: Rig,
	{ name = HTTP_REQUEST, ...settings }: Partial<BenchNode> = {},
	batch?: { batchSize: number; batchInterval: number },
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
		options: batch ? { batching: { batch } } : {},
	});
	return { name, nodes: [{ ...node, ...settings }] };
}

function httpRequest(
	{ header, service }: Rig,
	{ path, ...parameters }: INodeParameters & { path: string },
): BenchNode {
	return {
		name: HTTP_REQUEST,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			url: service.url + path,
			authentication: 'genericCredentialType',
			genericAuthType: HEADER_CREDENTIAL_TYPE,
			...parameters,
		},
		credentials: header,
	};
}

/** Does nothing: what a run costs apart from the node that is measured. */
export const NOTHING: Contender = {
	name: 'Nothing',
	nodes: [{ name: 'Nothing', type: 'n8n-nodes-base.noOp' }],
};
