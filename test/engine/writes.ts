import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { seeded } from '../../sandbox/service/service.ts';
import type { ReceivedRequest } from '../../sandbox/service/service.ts';
import type { OperationId } from '../../sandbox/service/contract.ts';

const [webhookId = ''] = seeded.demo.webhookIds;
const [pipeline = { id: '', versionIds: [] }] = seeded.demo.pipelines;
const [versionId = ''] = pipeline.versionIds;

/** Identifiers of the demo team. */
export const known = {
	webhookId,
	pipelineId: pipeline.id,
	versionId,
	versionIds: pipeline.versionIds,
};

/** A webhook given by its ID. */
export function byId(value: string): INodeParameters {
	return { __rl: true, mode: 'id', value };
}

/** An operation that changes something, once per input item `{ n }`. */
export interface Write {
	operation: OperationId;
	parameters: INodeParameters;
	/** The `n` of the item that a request was made for. */
	itemOf(request: Pick<ReceivedRequest, 'body'>): number;
}

/** Every operation that changes something at the service. */
export const writes: Write[] = [
	{
		operation: 'pipeline.invokeWebhook',
		parameters: { webhookId: byId(webhookId), payloadMode: 'input' },
		itemOf: numberAt('n'),
	},
	{
		operation: 'inbox.createExternal',
		parameters: { name: '={{ "Inbox " + $json.n }}' },
		itemOf: numberAt('name'),
	},
	{
		operation: 'user.create',
		parameters: { email: '={{ "user" + $json.n + "@example.com" }}' },
		itemOf: numberAt('email'),
	},
	{
		operation: 'pipelineVersion.create',
		parameters: {
			pipelineId: pipeline.id,
			schema: '{}',
			additionalFields: { versionName: '={{ "Version " + $json.n }}' },
		},
		itemOf: numberAt('versionName'),
	},
	{
		operation: 'pipelineVersion.update',
		parameters: { pipelineId: pipeline.id, versionId, name: '={{ "Version " + $json.n }}' },
		itemOf: numberAt('name'),
	},
];

/** So many input items, numbered from 0. */
export function numbered(count: number): IDataObject[] {
	return Array.from({ length: count }, (_, n) => ({ n }));
}

function numberAt(field: string): Write['itemOf'] {
	return ({ body }) => {
		const value: unknown = typeof body === 'object' && body ? Reflect.get(body, field) : undefined;
		const digits = /\d+/.exec(String(value));
		if (!digits) throw new Error(`No item number in ${String(value)}`);
		return Number(digits[0]);
	};
}
