import type { INodeParameters } from 'n8n-workflow';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import { START, type NodeSketch } from '../../sandbox/n8n/workflows.ts';
import { seeded, type Requests } from '../../sandbox/service/service.ts';
import type { Picture, Studio } from './studio.ts';

const NAME = 'Messaging Service';
const PHONE = '+15555550142';

const [webhookId = ''] = seeded.demo.webhookIds;

const LEADS = [
	{ leadId: 'L-101', firstName: 'Ada', phone: '+1 555 555 0101' },
	{ leadId: 'L-102', firstName: 'Grace', phone: '+1 555 555 0102' },
	{ leadId: 'L-103', firstName: 'Katherine', phone: '+1 555 555 0103' },
	{ leadId: 'L-104', firstName: 'Dorothy', phone: '+1 555 555 0104' },
];

const CALLS = ['pipeline.invokeWebhook' as const];

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const field = (name: string, value: string) => ({ id: name, name, value, type: 'string' });

/** An operation's fields with sensible values, and what came out of it. */
function operation(
	name: `${string}.${string}`,
	values: INodeParameters,
	outcome?: Parameters<Studio['execute']>[0],
): Picture {
	const [resource, operation] = name.split('.');
	return async ({ action, openPanel, execute }) => {
		await openPanel([action(NAME, { resource, operation, ...values })]);
		return await execute(outcome);
	};
}

/** An agent that is started, with the address of its webhook as one pastes it. */
const start: Picture = async (studio) => {
	const value = `${studio.service.url}/public/pipelines/webhook/${webhookId}`;
	const picture = operation('pipeline.invokeWebhook', {
		webhookId: { __rl: true, mode: 'url', value },
		phone: PHONE,
		payloadFields: {
			assignments: [field('firstName', 'Ada'), field('topic', 'a first appointment')],
		},
	});
	return await picture(studio);
};

const fillIn: Picture = async ({ editor: { panel }, action, openPanel, execute }) => {
	await openPanel([action(NAME, { resource: 'messageTemplate', operation: 'render' })]);
	await panel.pickFromList(
		'templateId',
		'follow',
		'Lead follow-up · Hi {{firstName}}, you asked about {{topic}}. Is {{ time }} today still good?',
	);
	await panel.fill('firstName', 'Ada');
	await panel.fill('topic', 'a first appointment');
	await panel.fill('time', '2 pm');
	return await execute();
};

/** Leads, and the node that texts them. */
function texting({ action }: Studio, values: INodeParameters, more?: Partial<NodeSketch>) {
	const leads: NodeSketch = {
		name: 'Leads',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { jsCode: `return ${JSON.stringify(LEADS)}.map((json) => ({ json }));` },
	};
	const parameters = {
		resource: 'pipeline',
		operation: 'invokeWebhook',
		webhookId: byId(webhookId),
		phone: '={{ $json.phone }}',
		payloadMode: 'input',
		...values,
	};
	return [leads, action('Text the lead', parameters, more)];
}

/** Has the service refuse some of the calls. */
async function refuse({ service }: Studio, requests: Requests): Promise<void> {
	const fault = { kind: 'status' as const, status: 400, operations: CALLS, requests };
	await service.configure({ faults: [fault] });
}

/** Runs a workflow in which the first lead is texted, nobody knows of the second, and the others are refused. */
async function runWithTrouble({ service }: Studio, flow: Flow): Promise<void> {
	await service.configure({
		faults: [
			{ kind: 'dropAfter', operations: CALLS, requests: { exactly: 2 } },
			{ kind: 'status', status: 400, operations: CALLS, requests: { from: 3 } },
		],
	});
	await flow.run();
	await service.configure({ faults: [] });
}

/** Each lead once: some were texted by an earlier run, and of one nobody knows. */
const sendOnce: Picture = async (studio) => {
	const once = { sendOnce: 'key', onceKey: '={{ $json.leadId }}' };
	const nodes = texting(studio, once, { onError: 'continueRegularOutput' });
	const flow = await studio.store([START, ...nodes]);
	await runWithTrouble(studio, flow);
	const { workflow } = flow;
	await studio.editor.openNode(workflow.id, workflow.nodes.at(-1)?.id ?? '');
	return await studio.execute({ view: 'Table' });
};

/** What a run by hand shows when nobody is to be texted. */
const whenTesting: Picture = async (studio) => {
	await studio.openPanel(texting(studio, { whenTesting: 'dryRun' }));
	return await studio.execute({ view: 'Table' });
};

/** What a failed run says of each of its items, before it is retried. */
const partlyDone: Picture = async (studio) => {
	await refuse(studio, { exactly: 3 });
	await studio.openPanel(texting(studio, {}));
	return await studio.execute({ fails: true });
};

/** Pictures of the action node, by the name of their file. */
export const actionPictures: Record<string, Picture> = {
	'agent-start': start,
	'message-get-many': operation('message.getAll', {
		returnAll: true,
		filters: { after: '2026-02-01T00:00:00', direction: 'outbound', status: 'failed' },
	}),
	'message-template-fill-in': fillIn,
	error: operation(
		'pipeline.invokeWebhook',
		{
			webhookId: byId(webhookId.replace(/1$/, '7')),
			phone: PHONE,
			payloadMode: 'input',
		},
		{ fails: true },
	),
	'send-once': sendOnce,
	'when-testing': whenTesting,
	'partly-done': partlyDone,
};
