import type { INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_TYPE, type CredentialReference } from '../../sandbox/n8n/credentials.ts';
import { ACTION_TYPE, TRIGGER_TYPE } from '../../sandbox/n8n/nodeTypes.ts';
import { chain, type NodeSketch, type WorkflowDefinition } from '../../sandbox/n8n/workflows.ts';
import { seeded } from '../../sandbox/service/service.ts';

export const TRIGGER_ID = 'soak-events';

const every = (seconds: number): NodeSketch => ({
	name: 'Schedule',
	type: 'n8n-nodes-base.scheduleTrigger',
	typeVersion: 1.2,
	parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: seconds }] } },
});

const request = (name: string, parameters: INodeParameters): NodeSketch => ({
	name,
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters,
});

const post = (url: string, body: string): NodeSketch =>
	request('Report', {
		method: 'POST',
		url,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ JSON.stringify(${body}) }}`,
	});

const ALL_IN_ONE: NodeSketch = {
	name: 'All in One',
	type: 'n8n-nodes-base.aggregate',
	typeVersion: 1,
	parameters: { aggregate: 'aggregateAllItemData' },
};

/** The workflows that go on all the time. */
export function soakWorkflows(
	collector: string,
	credential: CredentialReference,
): WorkflowDefinition[] {
	const credentials = { [CREDENTIAL_TYPE]: { ...credential } };
	const [webhookId] = seeded.demo.webhookIds;
	return [
		chain('Leads', [
			every(15),
			request('New Leads', { url: `${collector}/leads` }),
			{
				name: 'Start Agent',
				type: ACTION_TYPE,
				credentials,
				onError: 'continueRegularOutput',
				parameters: {
					resource: 'pipeline',
					operation: 'invokeWebhook',
					webhookId: { __rl: true, mode: 'id', value: webhookId },
					phone: '=+1555{{ String(1000000 + $json.id) }}',
					payloadMode: 'input',
					sendOnce: 'key',
					onceKey: '={{ $json.id }}',
				},
			},
			ALL_IN_ONE,
			post(
				`${collector}/leads`,
				"{ ids: $('New Leads').all().map(({ json }) => json.id), results: $json.data }",
			),
		]),
		chain('Messages', [
			every(20),
			{
				name: 'New Messages',
				type: ACTION_TYPE,
				credentials,
				parameters: {
					resource: 'message',
					operation: 'getAll',
					returnAll: true,
					options: { onlyNew: true },
				},
			},
			ALL_IN_ONE,
			post(`${collector}/messages`, '{ ids: $json.data.map(({ id }) => id) }'),
		]),
		chain('Events', [
			{
				name: 'Trigger',
				type: TRIGGER_TYPE,
				typeVersion: 1.1,
				webhookId: TRIGGER_ID,
				credentials,
				parameters: { verification: 'signature' },
			},
			post(`${collector}/events`, '{ ids: [$json.id] }'),
		]),
	];
}
