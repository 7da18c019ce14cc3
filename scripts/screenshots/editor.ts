import { readExamples } from '../../sandbox/demo/examples.ts';
import { createCredential } from '../../sandbox/n8n/credentials.ts';
import { bindCredential, START, type StoredWorkflow } from '../../sandbox/n8n/workflows.ts';
import { areaOf, around, type Area, type Picture, type Studio } from './studio.ts';

const NAME = 'Messaging Service';
const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
/** Around the nodes of a canvas. */
const MARGIN = 56;

/** Stores an example without its notes, which would be too small to read. */
async function storeExample(studio: Studio, name: string): Promise<StoredWorkflow> {
	const example = readExamples().find((each) => each.name === name);
	if (!example) throw new Error(`There is no example ${name}`);
	const workflow = bindCredential(example.workflow, studio.credential);
	const nodes = workflow.nodes.filter(({ type }) => type !== STICKY_NOTE);
	return (await studio.store({ ...workflow, nodes })).workflow;
}

/** All nodes of the open workflow. Their names may be wider than they are. */
async function canvasArea({ editor }: Studio): Promise<Area> {
	await editor.canvas.zoomToFit();
	return around(await Promise.all((await editor.canvas.nodes()).map(areaOf)), MARGIN);
}

function example(name: string): Picture {
	return async (studio) => {
		const { id } = await storeExample(studio, name);
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

const aiAgentTool: Picture = async (studio) => {
	const openAi = { name: 'OpenAI', type: 'openAiApi', data: { apiKey: 'none' } };
	// Without an account, the model would be marked as not set up.
	await createCredential(studio.n8n.rest, openAi);
	return await example('ai-agent-tool')(studio);
};

/** Pictures of n8n around the nodes, by the name of their file. */
export const editorPictures: Record<string, Picture> = {
	'list-of-actions': listOfActions,
	'example-text-every-new-lead': example('text-every-new-lead'),
	'ai-agent-tool': aiAgentTool,
};
