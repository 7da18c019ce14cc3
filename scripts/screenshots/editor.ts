import { readExamples } from '../../sandbox/demo/examples.ts';
import { createCredential, CREDENTIAL_TYPE } from '../../sandbox/n8n/credentials.ts';
import { bindCredential, START, type StoredWorkflow } from '../../sandbox/n8n/workflows.ts';
import { runWithTrouble } from './action.ts';
import { areaOf, around, type Area, type Picture, type Studio } from './studio.ts';

const NAME = 'Messaging Service';
const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
/** Around the nodes of a canvas. */
const MARGIN = 56;
/** Above a field of a credential. */
const FIELD_LABEL = 40;

/** Stores an example without its notes, which would be too small to read. */
async function storeExample(studio: Studio, file: string): Promise<StoredWorkflow> {
	const example = (await readExamples()).find((each) => each.file === file);
	if (!example) throw new Error(`There is no example ${file}`);
	const workflow = bindCredential(example.workflow, CREDENTIAL_TYPE, studio.credential);
	const nodes = workflow.nodes.filter(({ type }) => type !== STICKY_NOTE);
	return (await studio.store({ ...workflow, nodes })).workflow;
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

function example(file: string): Picture {
	return async (studio) => {
		const { id } = await storeExample(studio, file);
		await studio.editor.openWorkflow(id);
		return await canvasArea(studio);
	};
}

/** Searches n8n's list of nodes, beside an empty workflow. */
async function search({ editor, store }: Studio, words: string): Promise<void> {
	const { workflow } = await store([START]);
	await editor.openWorkflow(workflow.id);
	await editor.page.setViewportSize({ width: 1440, height: 1180 });
	await editor.nodeCreator.open();
	await editor.nodeCreator.search(words);
	await editor.nodeCreator.entry(NAME).waitFor();
}

/** How somebody finds the node. */
const listOfNodes: Picture = async (studio) => {
	const { nodeCreator } = studio.editor;
	await search(studio, 'text message');
	const [list, own] = await Promise.all([
		areaOf(nodeCreator.list),
		areaOf(nodeCreator.entry(NAME)),
	]);
	return { ...list, height: own.y + own.height - list.y + 24 };
};

/** All that the node can do, as n8n lists it. */
const listOfActions: Picture = async (studio) => {
	const { nodeCreator } = studio.editor;
	await search(studio, NAME);
	await nodeCreator.entry(NAME).click();
	await nodeCreator.action('Get many messages').waitFor();
	const [list, triggers] = await Promise.all([
		areaOf(nodeCreator.list),
		areaOf(nodeCreator.list.getByText(/^Triggers/)),
	]);
	return { ...list, height: triggers.y + triggers.height - list.y + 16 };
};

const credential: Picture = async ({ editor, action, openPanel }) => {
	await openPanel([action(NAME, { resource: 'inbox', operation: 'getAll' })]);
	await editor.panel.editCredential();
	await editor.credential.success.waitFor();
	const [dialog, next] = await Promise.all([
		areaOf(editor.credential.dialog),
		areaOf(editor.credential.field('previousWebhookSecret')),
	]);
	return { ...dialog, height: next.y - FIELD_LABEL - dialog.y };
};

/** Choosing an inbox from the list. */
const picker: Picture = async ({ editor: { panel, page }, action, openPanel }) => {
	const filters = { inboxIds: [{ __rl: true, mode: 'list', value: '' }] };
	const parameters = { resource: 'message', operation: 'getAll', returnAll: true, filters };
	await openPanel([action(NAME, parameters)]);
	await page.setViewportSize({ width: 1440, height: 1000 });
	await panel.openList('inboxIds');
	await panel.searchList('sales');
	await panel.listEntries.filter({ hasNotText: 'Sales' }).first().waitFor({ state: 'detached' });
	const [main, last] = await Promise.all([areaOf(panel.main), areaOf(panel.listEntries.last())]);
	return { ...main, height: last.y + last.height - main.y + 32 };
};

/** What a node will put out, before it ever ran. */
const preview: Picture = async ({ editor: { panel }, action, openPanel }) => {
	await openPanel([
		action('Messages', { resource: 'message', operation: 'getAll' }),
		{ name: 'Next', type: 'n8n-nodes-base.noOp' },
	]);
	await panel.input.previewFields();
	return { ...(await areaOf(panel.input.root)), height: 456 };
};

/** What becomes of a list of people of whom some were texted by an earlier run. */
const bulkResult: Picture = async (studio) => {
	const { editor } = studio;
	const workflow = await storeExample(studio, 'text-a-whole-list-once.json');
	await runWithTrouble(studio, workflow, 'Start by hand');
	await editor.openWorkflow(workflow.id);
	await editor.canvas.execute('Start by hand', 'Uncertain');
	return await canvasArea(studio, 16);
};

const aiAgentTool: Picture = async (studio) => {
	const openAi = { name: 'OpenAI', type: 'openAiApi', data: { apiKey: 'none' } };
	// Without an account, the model would be marked as not set up.
	await createCredential(studio.n8n.rest, openAi);
	return await example('ai-agent-tool.json')(studio);
};

/** Pictures of n8n around the nodes, by the name of their file. */
export const editorPictures: Record<string, Picture> = {
	'list-of-nodes': listOfNodes,
	'list-of-actions': listOfActions,
	credential,
	picker,
	preview,
	'bulk-result': bulkResult,
	'example-text-every-new-lead': example('text-every-new-lead.json'),
	'ai-agent-tool': aiAgentTool,
};
