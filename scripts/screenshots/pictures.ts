import type { INodeParameters } from 'n8n-workflow';

import { START, type NodeSketch } from '../../sandbox/n8n/workflows.ts';
import { byId, known } from '../../sandbox/operations.ts';
import type { Picture, Studio } from './studio.ts';

const NAME = 'Messaging Service';

const LEADS = [
	{ leadId: 'L-101', firstName: 'Ada', phone: '+1 555 555 0101' },
	{ leadId: 'L-102', firstName: 'Grace', phone: '+1 555 555 0102' },
	{ leadId: 'L-103', firstName: 'Katherine', phone: '+1 555 555 0103' },
	{ leadId: 'L-104', firstName: 'Dorothy', phone: '+1 555 555 0104' },
];

const CALLS = ['agent.start' as const];

/** Opens the panel of the last of these nodes, after a manual trigger. */
async function openPanel({ store, editor }: Studio, nodes: NodeSketch[]) {
	const flow = await store([START, ...nodes]);
	const { id, nodes: stored } = flow.workflow;
	await editor.openNode(id, stored.at(-1)?.id ?? '');
	return flow;
}

/** Executes the step of the open panel, and shows what came out. */
async function execute(studio: Studio, view: 'Schema' | 'Table'): Promise<void> {
	const { panel } = studio.editor;
	await panel.execute();
	await panel.output.succeeded();
	await panel.output.show(view);
}

/** An agent that is started, with the address of its webhook as one pastes it. */
const start: Picture = async (studio) => {
	const value = `${studio.service.url}/public/pipelines/webhook/${known.webhookId}`;
	const field = (name: string, text: string) => ({ id: name, name, value: text, type: 'string' });
	const parameters = {
		resource: 'agent',
		operation: 'start',
		webhook: { __rl: true, mode: 'url', value },
		phone: '+15555550142',
		payloadFields: {
			assignments: [field('firstName', 'Ada'), field('topic', 'a first appointment')],
		},
	};
	await openPanel(studio, [studio.action(NAME, parameters)]);
	await execute(studio, 'Schema');
};

const messages: Picture = async (studio) => {
	const parameters = {
		resource: 'message',
		operation: 'getAll',
		returnAll: true,
		filters: { after: '2026-02-01T00:00:00', direction: 'outbound', status: 'failed' },
	};
	await openPanel(studio, [studio.action(NAME, parameters)]);
	await execute(studio, 'Schema');
};

const fillIn: Picture = async (studio) => {
	const { panel } = studio.editor;
	const parameters = { resource: 'messageTemplate', operation: 'fillIn' };
	await openPanel(studio, [studio.action(NAME, parameters)]);
	await panel.pickFromList(
		'templateId',
		'follow',
		'Lead follow-up · Hi {{firstName}}, you asked about {{topic}}. Is {{ time }} today still good?',
	);
	await panel.fill('firstName', 'Ada');
	await panel.fill('topic', 'a first appointment');
	await panel.fill('time', '2 pm');
	await execute(studio, 'Schema');
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
		resource: 'agent',
		operation: 'start',
		webhook: byId(known.webhookId),
		phone: '={{ $json.phone }}',
		payloadMode: 'input',
		...values,
	};
	return [leads, action('Text the lead', parameters, more)];
}

/** A second run. In the first, one lead was texted, nobody knows of the second, and the others were refused. */
const sendOnce: Picture = async (studio) => {
	const { service } = studio;
	await service.configure({
		faults: [
			{ kind: 'dropAfter', operations: CALLS, requests: { exactly: 2 } },
			{ kind: 'status', status: 400, operations: CALLS, requests: { from: 3 } },
		],
	});
	const once = { sendOnce: 'key', key: '={{ $json.leadId }}' };
	const nodes = texting(studio, once, { onError: 'continueRegularOutput' });
	const flow = await openPanel(studio, nodes);
	await flow.run();
	await service.configure({ faults: [] });
	await execute(studio, 'Table');
};

/** What a run by hand shows when nobody is to be texted. */
const whenTesting: Picture = async (studio) => {
	await openPanel(studio, texting(studio, { whenTesting: 'preview' }));
	await execute(studio, 'Table');
};

/** What a failed run says of each of its items, before it is retried. */
const partlyDone: Picture = async (studio) => {
	const { panel } = studio.editor;
	const requests = { exactly: 3 };
	await studio.service.configure({
		faults: [{ kind: 'status', status: 400, operations: CALLS, requests }],
	});
	await openPanel(studio, texting(studio, {}));
	await panel.execute();
	await panel.output.errorMessage.waitFor();
};

/** The trigger with an event that came while it waited for one. */
const trigger: Picture = async (studio) => {
	const { editor, n8n, service } = studio;
	const { panel } = editor;
	const webhookId = 'f5b7b3a2-5c0e-4d59-8a0b-1f7a5ad0c6f1';
	const parameters = { events: ['message.received'] };
	const name = 'Messaging Service Trigger';
	await openPanel(studio, [studio.trigger(parameters, { name, webhookId })]);
	await panel.showProductionUrl();
	await service.configure({
		events: {
			subscriptions: [{ url: `${n8n.url}/webhook-test/${webhookId}/webhook` }],
			signing: { kind: 'sharedSecret' },
		},
	});
	await panel.start();
	service.receiveMessage({ phone: '+15555550142', body: 'Are you open on Monday?' });
	await panel.output.succeeded();
	await panel.output.show('Schema');
};

/** The pictures, by the names of their files. */
export const PICTURES: Record<string, Picture> = {
	'agent-start': start,
	'message-get-many': messages,
	'message-template-fill-in': fillIn,
	'send-once': sendOnce,
	'when-testing': whenTesting,
	'partly-done': partlyDone,
	trigger,
};
