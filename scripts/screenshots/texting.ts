import type { INodeParameters } from 'n8n-workflow';

import { runManually } from '../../sandbox/n8n/executions.ts';
import type { NodeSketch, StoredWorkflow } from '../../sandbox/n8n/workflows.ts';
import { seeded, type Requests } from '../../sandbox/service/service.ts';
import type { Picture, Studio } from './studio.ts';

const [webhookId = ''] = seeded.demo.webhookIds;

const LEADS = [
	{ leadId: 'L-101', firstName: 'Ada', phone: '+1 555 555 0101' },
	{ leadId: 'L-102', firstName: 'Grace', phone: '+1 555 555 0102' },
	{ leadId: 'L-103', firstName: 'Katherine', phone: '+1 555 555 0103' },
	{ leadId: 'L-104', firstName: 'Dorothy', phone: '+1 555 555 0104' },
];

/** Leads, and the node that texts them. */
function texting({ node }: Studio, parameters: INodeParameters, more?: Partial<NodeSketch>) {
	const leads: NodeSketch = {
		name: 'Leads',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { jsCode: `return ${JSON.stringify(LEADS)}.map((json) => ({ json }));` },
	};
	const text = node({
		name: 'Text the lead',
		parameters: {
			resource: 'pipeline',
			operation: 'invokeWebhook',
			webhookId: { __rl: true, mode: 'id', value: webhookId },
			phone: '={{ $json.phone }}',
			payloadMode: 'input',
			...parameters,
		},
		...more,
	});
	return [leads, text];
}

/** Runs a workflow in which the first lead is texted, nobody knows of the second, and the others are refused. */
export async function runWithTrouble(
	{ n8n, service }: Studio,
	workflow: StoredWorkflow,
	trigger: string,
): Promise<void> {
	const operations = ['pipeline.invokeWebhook' as const];
	await service.configure({
		faults: [
			{ kind: 'dropAfter', operations, requests: { exactly: 2 } },
			{ kind: 'status', status: 400, operations, requests: { from: 3 } },
		],
	});
	await runManually(n8n.rest, workflow, trigger);
	await service.configure({ faults: [] });
}

/** Each lead once: some were texted by an earlier run, and of one nobody knows. */
const sendOnce: Picture = async (studio) => {
	const { editor } = studio;
	const nodes = texting(
		studio,
		{ sendOnce: 'key', onceKey: '={{ $json.leadId }}' },
		{ onError: 'continueRegularOutput' },
	);
	const workflow = await studio.store(nodes);
	await runWithTrouble(studio, workflow, 'Start');
	await editor.openNode(workflow.id, workflow.nodes.at(-1)?.id ?? '');
	await editor.panel.execute();
	await editor.panel.output.succeeded();
	await editor.panel.output.show('Table');
	return await studio.panelArea();
};

/** What a run by hand shows when nobody is to be texted. */
const whenTesting: Picture = async (studio) => {
	const { panel } = studio.editor;
	await studio.openPanel(texting(studio, { options: { whenTesting: 'dryRun' } }));
	await panel.execute();
	await panel.output.succeeded();
	await panel.output.show('Table');
	return await studio.panelArea();
};

/** Has the service refuse some of the calls. */
async function refuse({ service }: Studio, requests: Requests): Promise<void> {
	const operations = ['pipeline.invokeWebhook' as const];
	await service.configure({ faults: [{ kind: 'status', status: 400, operations, requests }] });
}

/** A failed item on the error output, with all that it came in with. */
const errorOutput: Picture = async (studio) => {
	const { editor } = studio;
	await refuse(studio, { first: 2 });
	await studio.openPanel(texting(studio, {}, { onError: 'continueErrorOutput' }));
	await editor.panel.execute();
	await editor.panel.output.succeeded();
	await editor.panel.output.branch('Error');
	await editor.panel.output.show('Table');
	return await studio.panelArea();
};

/** A number that could be somebody else's is refused before anything is sent. */
const phoneRefused: Picture = async (studio) => {
	const { panel } = studio.editor;
	await studio.openPanel(texting(studio, { phone: '(555) 555-0100' }));
	await panel.execute();
	await panel.output.errorMessage.waitFor();
	return await studio.panelArea();
};

/** What a failed run says of each of its items, before it is retried. */
const partlyDone: Picture = async (studio) => {
	const { editor } = studio;
	await refuse(studio, { exactly: 3 });
	await studio.openPanel(texting(studio, {}));
	await editor.panel.execute();
	await editor.panel.output.errorMessage.waitFor();
	return await studio.panelArea();
};

/** Pictures of what keeps people from being texted twice, or by a trial, by the name of their file. */
export const textingPictures: Record<string, Picture> = {
	'send-once': sendOnce,
	'when-testing': whenTesting,
	'error-output': errorOutput,
	'phone-refused': phoneRefused,
	'partly-done': partlyDone,
};
