import type { INodeParameters } from 'n8n-workflow';

import { seeded } from '../sandbox/service/service.ts';
import { HEADER_CREDENTIAL_TYPE, type Rig } from './rig.ts';
import type { BenchNode } from './workflow.ts';

const [WEBHOOK_ID = ''] = seeded.demo.webhookIds;
const NO_LIMIT = 1_000_000_000;

/** What the values of webhook calls are made of: an expression for each field, or the item as it is. */
export type Values = 'expressions' | 'the item as it is';

let lists = 0;

/** So many input items, all different, each with a number reserved for fiction of which there are 80,000. */
export function leads(count: number): object[] {
	const list = ++lists;
	return Array.from({ length: count }, (_, lead) => {
		const number = list * count + lead;
		const area = 200 + (Math.floor(number / 100) % 800);
		const phone = `+1${area}55501${String(number % 100).padStart(2, '0')}`;
		return { lead, firstName: `Ada ${lead}`, phone };
	});
}

/** Lists all messages with this node. */
export function listByNode({ action }: Rig): BenchNode[] {
	const parameters = { resource: 'message', operation: 'getAll', returnAll: true, simple: false };
	return [action('Messaging Service', parameters)];
}

/** Lists them with the pagination of HTTP Request, which gives an item for each page, and makes messages of those. */
export async function listByHttpRequest(rig: Rig): Promise<BenchNode[]> {
	const pagination = {
		paginationMode: 'updateAParameterInEachRequest',
		parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] },
		paginationCompleteWhen: 'other',
		completeExpression: '={{ !$response.body.links.next }}',
	};
	const request = await httpRequest(rig, '/public/messages', {
		sendQuery: true,
		queryParameters: { parameters: [{ name: 'limit', value: '50' }] },
		options: { pagination: { pagination } },
	});
	const split: BenchNode = {
		name: 'Split Out',
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: 'data', options: {} },
	};
	return [request, split];
}

/**
 * Calls a webhook for each lead with this node.
 *
 * @param options.requestsPerMinute keeps the node's own pacing out of the way unless given
 */
export function callByNode(
	{ action }: Rig,
	values: Values,
	{ requestsPerMinute = NO_LIMIT, sendOnce = 'off' } = {},
): BenchNode[] {
	const assignments = ['firstName', 'lead'].map((name) => ({
		...{ id: name, name, type: name === 'lead' ? 'number' : 'string' },
		value: `={{ $json.${name} }}`,
	}));
	const payload =
		values === 'expressions'
			? { payloadMode: 'fields', payloadFields: { assignments } }
			: { payloadMode: 'input' };
	const node = action('Messaging Service', {
		resource: 'agent',
		operation: 'start',
		webhook: { __rl: true, mode: 'id', value: WEBHOOK_ID },
		phone: '={{ $json.phone }}',
		...payload,
		sendOnce,
		options: { requestsPerMinute },
	});
	return [node];
}

/** Calls a webhook for each lead with HTTP Request: the same body, made of the same. */
export async function callByHttpRequest(
	rig: Rig,
	values: Values,
	options: INodeParameters = {},
): Promise<BenchNode> {
	const parameters = ['phone', 'firstName', 'lead'].map((name) => ({
		name,
		value: `={{ $json.${name} }}`,
	}));
	const body =
		values === 'expressions'
			? { bodyParameters: { parameters } }
			: { specifyBody: 'json', jsonBody: '={{ $json }}' };
	return await httpRequest(rig, `/public/pipelines/webhook/${WEBHOOK_ID}`, {
		method: 'POST',
		sendBody: true,
		...body,
		options,
	});
}

async function httpRequest(
	{ addHeader, service }: Rig,
	path: string,
	parameters: INodeParameters,
): Promise<BenchNode> {
	return {
		name: 'HTTP Request',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			url: service.url + path,
			authentication: 'genericCredentialType',
			genericAuthType: HEADER_CREDENTIAL_TYPE,
			...parameters,
		},
		credentials: await addHeader('apiKey', seeded.demo.apiKey),
	};
}
