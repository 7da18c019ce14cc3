import { readExamples } from '../../sandbox/demo/examples.ts';
import { createCredential, CREDENTIAL_TYPE } from '../../sandbox/n8n/credentials.ts';
import {
	bindCredential,
	createWorkflow,
	type StoredWorkflow,
} from '../../sandbox/n8n/workflows.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { areaOf, around, type Area } from './area.ts';
import type { Picture, Studio } from './studio.ts';
import { runWithTrouble } from './texting.ts';

const DISPLAY_NAME = 'Messaging Service';
const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
/** Around the nodes of a canvas. */
const MARGIN = 56;
/** Above a field of a credential. */
const FIELD_LABEL = 40;

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

/**
 * All nodes of the open workflow. Their names may be wider than they are; on the right, what stands at
 * the last outputs is left out if the margin is small.
 */
async function canvasArea({ editor }: Studio, right = MARGIN): Promise<Area> {
	await editor.canvas.zoomToFit();
	const area = around(await Promise.all((await editor.canvas.nodes()).map(areaOf)), MARGIN);
	return { ...area, width: area.width - MARGIN + right };
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
	const [list, triggers] = await Promise.all([
		areaOf(nodeCreator.list),
		areaOf(nodeCreator.list.getByText(/^Triggers/)),
	]);
	return { ...list, height: triggers.y + triggers.height - list.y + 16 };
};

const credential: Picture = async ({ editor, node, openPanel }) => {
	await openPanel([node({ parameters: { resource: 'inbox', operation: 'getAll' } })]);
	await editor.panel.editCredential();
	await editor.credential.success.waitFor();
	const [dialog, next] = await Promise.all([
		areaOf(editor.credential.dialog),
		areaOf(editor.credential.field('previousWebhookSecret')),
	]);
	return { ...dialog, height: next.y - FIELD_LABEL - dialog.y };
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
	await page.setViewportSize({ width: 1440, height: 1000 });
	await panel.openList('inboxIds');
	await panel.searchList('sales');
	await panel.listEntries.filter({ hasNotText: 'Sales' }).first().waitFor({ state: 'detached' });
	const [main, last] = await Promise.all([areaOf(panel.main), areaOf(panel.listEntries.last())]);
	return { ...main, height: last.y + last.height - main.y + 32 };
};

/** What a node will put out, before it ever ran. */
const preview: Picture = async ({ editor: { panel }, node, openPanel }) => {
	await openPanel([
		node({ name: 'Messages', parameters: { resource: 'message', operation: 'getAll' } }),
		{ name: 'Next', type: 'n8n-nodes-base.noOp' },
	]);
	await panel.input.previewFields();
	return { ...(await areaOf(panel.input.root)), height: 456 };
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

/** What becomes of a list of people of whom some were texted by an earlier run. */
const bulkResult: Picture = async (studio) => {
	const { editor } = studio;
	const workflow = await storeExample(studio, 'text-a-whole-list-once.json');
	await runWithTrouble(studio, workflow, 'Start by hand');
	await editor.openWorkflow(workflow.id);
	await editor.canvas.execute('Start by hand', 'Not certain');
	return await canvasArea(studio, 16);
};

const example: Picture = async (studio) => {
	const { id } = await storeExample(studio, 'text-every-new-lead.json');
	await studio.editor.openWorkflow(id);
	return await canvasArea(studio);
};

const aiAgentTool: Picture = async (studio) => {
	const { editor, n8n } = studio;
	// Without an account, the model would be marked as not set up.
	await createCredential(n8n.rest, { name: 'OpenAI', type: 'openAiApi', data: { apiKey: 'none' } });
	const { id } = await storeExample(studio, 'ai-agent-tool.json');
	await editor.openWorkflow(id);
	return await canvasArea(studio);
};

/** All pictures that are not of a single operation, by the name of their file. */
export const otherPictures: Record<string, Picture> = {
	'list-of-nodes': listOfNodes,
	'list-of-actions': listOfActions,
	credential,
	picker,
	preview,
	error,
	'bulk-result': bulkResult,
	'example-text-every-new-lead': example,
	'ai-agent-tool': aiAgentTool,
};
