import { readExamples } from '../../sandbox/demo/examples.ts';
import { CREDENTIAL_TYPE } from '../../sandbox/demo/runExamples.ts';
import { createCredential } from '../../sandbox/n8n/credentials.ts';
import { runManually } from '../../sandbox/n8n/executions.ts';
import { PACKAGE_NAME } from '../../sandbox/n8n/paths.ts';
import {
	bindCredential,
	createWorkflow,
	type StoredWorkflow,
} from '../../sandbox/n8n/workflows.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { areaOf, around, type Area, type Picture, type Studio } from './studio.ts';

const DISPLAY_NAME = 'Messaging Service';
const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const SECRET = 'demo-webhook-secret';

const [webhookId = ''] = seeded.demo.webhookIds;

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

/** Stores an example without its notes, which would be too small to read. */
async function storeExample(studio: Studio, file: string): Promise<StoredWorkflow> {
	const example = (await readExamples()).find((each) => each.file === file);
	if (!example) throw new Error(`There is no example ${file}`);
	const workflow = bindCredential(example.workflow, CREDENTIAL_TYPE, studio.credential);
	const nodes = workflow.nodes.filter(({ type }) => type !== STICKY_NOTE);
	return await createWorkflow(studio.n8n.rest, { ...workflow, nodes });
}

/** All nodes of a workflow. */
async function canvasArea({ editor }: Studio, workflow: StoredWorkflow): Promise<Area> {
	await editor.openWorkflow(workflow.id);
	await editor.canvas.zoomToFit();
	return around(await Promise.all((await editor.canvas.nodes()).map(areaOf)), 32);
}

/** How somebody finds the node. */
const listOfNodes: Picture = async ({ editor, store }) => {
	const { nodeCreator } = editor;
	await editor.openWorkflow((await store([])).id);
	await nodeCreator.open();
	await nodeCreator.search('text message');
	const entry = nodeCreator.entry(DISPLAY_NAME);
	await entry.waitFor();
	const [list, own] = await Promise.all([areaOf(nodeCreator.list), areaOf(entry)]);
	return { ...list, height: own.y + own.height - list.y + 24 };
};

/** All that the node can do, as n8n lists it. */
const listOfActions: Picture = async ({ editor, store }) => {
	const { nodeCreator, page } = editor;
	await editor.openWorkflow((await store([])).id);
	await page.setViewportSize({ width: 1440, height: 1180 });
	await nodeCreator.open();
	await nodeCreator.search(DISPLAY_NAME);
	await nodeCreator.entry(DISPLAY_NAME).click();
	await nodeCreator.action('Get many messages').waitFor();
	return await areaOf(nodeCreator.list);
};

const credential: Picture = async ({ editor, node, openPanel }) => {
	await openPanel([node({ parameters: { resource: 'inbox', operation: 'getAll' } })]);
	await editor.panel.editCredential();
	await editor.credential.success.waitFor();
	return await areaOf(editor.credential.dialog);
};

/** Choosing an inbox from the list. */
const picker: Picture = async ({ editor: { panel, page }, node, openPanel }) => {
	await openPanel([
		node({
			parameters: {
				resource: 'message',
				operation: 'getAll',
				returnAll: true,
				filters: { inboxIds: [{ __rl: true, mode: 'list', value: '' }] },
			},
		}),
	]);
	await panel.openList('inboxIds');
	await page.keyboard.type('s');
	await panel.listEntries.first().waitFor();
	const [main, last] = await Promise.all([areaOf(panel.main), areaOf(panel.listEntries.last())]);
	return { ...main, height: last.y + last.height - main.y + 24 };
};

/** What a node will put out, before it ever ran. */
const preview: Picture = async ({ editor: { panel }, node, openPanel }) => {
	await openPanel([
		node({ name: 'Messages', parameters: { resource: 'message', operation: 'getAll' } }),
		{ name: 'Next', type: 'n8n-nodes-base.noOp' },
	]);
	await panel.input.previewFields();
	return { ...(await areaOf(panel.input.root)), height: 480 };
};

const error: Picture = async ({ editor: { panel }, node, openPanel, panelArea }) => {
	await openPanel([
		node({
			parameters: {
				resource: 'pipeline',
				operation: 'invokeWebhook',
				webhookId: byId(webhookId.replace(/1$/, '7')),
				phone: '+15555550142',
				payloadMode: 'input',
			},
		}),
	]);
	await panel.execute();
	await panel.output.errorMessage.waitFor();
	return await panelArea();
};

/** The trigger with an event that came while it waited for one. */
const trigger: Picture = async ({ editor, n8n, node, service, openPanel, panelArea }) => {
	const { panel } = editor;
	const path = 'f5b7b3a2-5c0e-4d59-8a0b-1f7a5ad0c6f1';
	await openPanel([
		node({
			name: 'Messaging Service Trigger',
			type: `${PACKAGE_NAME}.messagingServiceTrigger`,
			typeVersion: 1.1,
			webhookId: path,
		}),
	]);
	await service.configure({
		events: {
			subscriptions: [{ url: `${n8n.url}/webhook-test/${path}/webhook`, secret: SECRET }],
			signing: { kind: 'sharedSecret' },
		},
	});
	await panel.start();
	service.receiveMessage({ body: 'Are you open on Monday?' });
	await panel.output.succeeded();
	await panel.output.show('Schema');
	return await panelArea();
};

/** What becomes of leads of which some were texted by an earlier run. */
const bulkResult: Picture = async ({ editor, n8n, node, service, store }) => {
	const { panel, page } = editor;
	const leads = ['+15555550100', '+15555550101', '+15555550102', '+15555550103'];
	const items = leads.map((phone) => ({ json: { phone } }));
	const workflow = await store([
		{
			name: 'Leads',
			type: 'n8n-nodes-base.code',
			typeVersion: 2,
			parameters: { jsCode: `return ${JSON.stringify(items)};` },
		},
		node({
			name: 'Text the lead',
			parameters: {
				resource: 'pipeline',
				operation: 'invokeWebhook',
				webhookId: byId(webhookId),
				phone: '={{ $json.phone }}',
				options: { onceKey: '={{ $json.phone }}' },
			},
			onError: 'continueRegularOutput',
		}),
	]);
	const operations = ['pipeline.invokeWebhook' as const];
	await service.configure({
		faults: [
			{ kind: 'dropAfter', operations, requests: { exactly: 2 } },
			{ kind: 'status', status: 400, operations, requests: { from: 3 } },
		],
	});
	await runManually(n8n.rest, workflow, 'Start');
	await service.configure({ faults: [] });
	await page.setViewportSize({ width: 2000, height: 420 });
	await editor.openNode(workflow.id, workflow.nodes.at(-1)?.id ?? '');
	await panel.execute();
	await panel.output.show('Table');
	return await areaOf(panel.output.root);
};

const example: Picture = async (studio) =>
	await canvasArea(studio, await storeExample(studio, 'text-every-new-lead.json'));

const aiAgentTool: Picture = async (studio) => {
	// Without an account, the model would be marked as not set up.
	const { rest } = studio.n8n;
	await createCredential(rest, { name: 'OpenAI', type: 'openAiApi', data: { apiKey: 'none' } });
	return await canvasArea(studio, await storeExample(studio, 'ai-agent-tool.json'));
};

/** All pictures that are not of a single operation, by the name of their file. */
export const otherPictures: Record<string, Picture> = {
	'list-of-nodes': listOfNodes,
	'list-of-actions': listOfActions,
	credential,
	picker,
	preview,
	error,
	trigger,
	'bulk-result': bulkResult,
	'example-text-every-new-lead': example,
	'ai-agent-tool': aiAgentTool,
};
