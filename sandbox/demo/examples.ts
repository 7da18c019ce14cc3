import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';

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

/** Active in the demo: the agent's answer to the first starts the second. */
export const ANSWERING = ['answer-inbound-messages', 'follow-up-agent-answers'];

/** Makes the tables that others look into, when it is started by hand. */
const MAKES_TABLES = 'keep-the-opt-outs';

/** A workflow of the package's examples. */
export interface Example {
	/** The name of its file, without the extension. */
	name: string;
	workflow: WorkflowDefinition;
}

/** Reads all examples in the order of their files. */
export function readExamples(): Example[] {
	const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
	return files.sort().map((file) => ({
		name: file.replace('.json', ''),
		workflow: JSON.parse(readFileSync(join(FOLDER, file), 'utf8')),
	}));
}

/** Nodes that are called from outside. */
const CALLED = [
	TRIGGER_TYPE,
	'n8n-nodes-base.wait',
	'@n8n/n8n-nodes-langchain.chat',
	'@n8n/n8n-nodes-langchain.chatHitlTool',
	'@n8n/n8n-nodes-langchain.chatTrigger',
];

/** An example as it is once it is imported: with the credential, and with addresses of its own, which n8n's editor makes. */
export function imported(
	{ workflow }: Example,
	{ credential }: Pick<Sandbox, 'credential'>,
): WorkflowDefinition {
	const { nodes, ...rest } = bindCredential(workflow, credential);
	const withAddress = (node: INode) =>
		CALLED.includes(node.type) ? { ...node, webhookId: randomUUID() } : node;
	return { ...rest, nodes: nodes.map(withAddress) };
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
 * Imports the examples that are not there yet; what a user made of the others stays. Those that answer messages are
 * active, and a contact has written.
 */
export async function importExamples(sandbox: Sandbox): Promise<void> {
	const { rest } = sandbox.n8n;
	const isAnswering = ({ name }: Example) => ANSWERING.includes(name);
	const examples = readExamples();
	const present = new Set((await listWorkflows(rest)).map(({ name }) => name));
	const missing = examples.filter(({ workflow }) => !present.has(workflow.name));
	for (const example of missing) {
		const flow = await sandbox.store(imported(example, sandbox));
		if (isAnswering(example)) await flow.activate();
		if (example.name === MAKES_TABLES) await flow.run('Start by hand');
	}
	const names = examples.filter(isAnswering).map(({ workflow }) => workflow.name);
	const stored = (await listWorkflows(rest)).filter(({ name }) => names.includes(name));
	const answering = stored.map(({ id }) => rest.get<StoredWorkflow>(`/rest/workflows/${id}`));
	await enterAddresses(sandbox, await Promise.all(answering));
	if (missing.some(isAnswering)) {
		sandbox.service.receiveMessage({ body: 'Hello, do you have time for me on Thursday?' });
	}
}
