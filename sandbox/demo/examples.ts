import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';

import type { Flow } from '../n8n/flow.ts';
import { TRIGGER_TYPE } from '../n8n/nodeTypes.ts';
import { ROOT } from '../n8n/paths.ts';
import type { Sandbox } from '../n8n/sandbox.ts';
import {
	bindCredential,
	listWorkflows,
	type StoredWorkflow,
	type WorkflowDefinition,
} from '../n8n/workflows.ts';

const FOLDER = join(ROOT, 'examples');

/** Makes the tables that others look into, when it is started. */
const MAKES_TABLES = 'begin-here';

/** The sub-workflow that the others ask before they text. */
export const ASKED = 'who-may-be-texted';

/** Without it, the one that is asked lets nobody be texted. */
export const KEEPER = 'keep-the-opt-outs';
export const KEEPS_EVERY = 'Every five minutes';

/** Answers who writes, in the demo. */
const ANSWERS = 'answer-inbound-messages';

/** A workflow of the package's examples. */
export interface Example {
	/** The name of its file, without the extension. */
	name: string;
	workflow: WorkflowDefinition;
}

/** Reads all examples in the order of their list. */
export function readExamples(): Example[] {
	const list = readFileSync(join(FOLDER, 'README.md'), 'utf8');
	return [...list.matchAll(/\]\(([\w-]+)\.json\)/g)].map(([, name = '']) => ({
		name,
		workflow: JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')),
	}));
}

/** Nodes that are called from outside. */
const CALLED = [
	TRIGGER_TYPE,
	'n8n-nodes-base.wait',
	'@n8n/n8n-nodes-langchain.chat',
	'@n8n/n8n-nodes-langchain.chatTrigger',
];

const CALLING = 'n8n-nodes-base.executeWorkflow';

/**
 * An example as it is once somebody has imported it: with the credential, with the sub-workflow chosen, with addresses
 * of its own, which n8n's editor makes, and without the settings in the file, which it does not read.
 *
 * @param asked the identifier of the sub-workflow
 */
export function imported(
	{ workflow }: Example,
	{ credential }: Pick<Sandbox, 'credential'>,
	asked: string,
): WorkflowDefinition {
	const { nodes, ...rest } = bindCredential(workflow, credential);
	const complete = (node: INode): INode => {
		if (CALLED.includes(node.type)) return { ...node, webhookId: randomUUID() };
		if (node.type !== CALLING) return node;
		const workflowId = { __rl: true, mode: 'id', value: asked };
		return { ...node, parameters: { ...node.parameters, workflowId } };
	};
	return { ...rest, settings: { executionOrder: 'v1' }, nodes: nodes.map(complete) };
}

/** The trigger of a workflow that waits for events of the service. */
function eventTriggerOf({ nodes }: WorkflowDefinition): INode | undefined {
	return nodes.find(({ type }) => type === TRIGGER_TYPE);
}

/** Has the service send its events to these workflows alone, as users enter the addresses of triggers there. */
export async function enterAddresses(
	{ n8n, service }: Pick<Sandbox, 'n8n' | 'service'>,
	workflows: WorkflowDefinition[],
): Promise<void> {
	const subscriptions = workflows.flatMap((workflow) => {
		const trigger = eventTriggerOf(workflow);
		if (!trigger) return [];
		const events = [trigger.parameters.events ?? []].flat().map(String);
		return { url: `${n8n.url}/webhook/${trigger.webhookId}/webhook`, events };
	});
	await service.configure({ events: { subscriptions } });
}

/**
 * Imports the examples that are not there yet, the first one last, since n8n lists the newest on top; what a user made
 * of the others stays. The one that answers messages is active, and so are those that it needs; a contact has written.
 */
export async function importExamples(sandbox: Sandbox): Promise<void> {
	const { rest } = sandbox.n8n;
	const examples = readExamples();
	const ids = new Map((await listWorkflows(rest)).map(({ id, name }) => [name, id]));
	const find = (name: string) => {
		const example = examples.find((each) => each.name === name);
		if (!example) throw new Error(`There is no example ${name}`);
		return example;
	};
	const idOf = ({ workflow }: Example) => ids.get(workflow.name) ?? '';
	const isNew = (example: Example) => idOf(example) === '';

	const [asked, keeper, answers] = [find(ASKED), find(KEEPER), find(ANSWERS)];
	const hasToAnswer = isNew(answers);
	const flows = new Map<Example, Flow>();
	for (const example of [asked, ...examples.toReversed()]) {
		if (!isNew(example)) continue;
		const flow = await sandbox.store(imported(example, sandbox, idOf(asked)));
		ids.set(example.workflow.name, flow.workflow.id);
		flows.set(example, flow);
		if ([asked, keeper, answers].includes(example)) await flow.activate();
		if (example.name === MAKES_TABLES) await flow.run('Start by hand');
	}
	// Its schedule may take five minutes to begin.
	await flows.get(keeper)?.run(KEEPS_EVERY);
	const answering = await rest.get<StoredWorkflow>(`/rest/workflows/${idOf(answers)}`);
	await enterAddresses(sandbox, [answering]);
	if (hasToAnswer) {
		sandbox.service.receiveMessage({ body: 'Hello, do you have time for me on Thursday?' });
	}
}
