import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';

import { TRIGGER_TYPE } from '../n8n/nodeTypes.ts';
import { ROOT } from '../n8n/paths.ts';
import type { Sandbox } from '../n8n/sandbox.ts';
import { bindCredential, listWorkflows, type WorkflowDefinition } from '../n8n/workflows.ts';

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

/** The trigger of a workflow that waits for events of the service. */
export function eventTriggerOf({ nodes }: WorkflowDefinition): INode | undefined {
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
	const examples = readExamples();
	const isAnswering = ({ name }: Example) => ANSWERING.includes(name);
	const answering = examples.filter(isAnswering);
	await enterAddresses(
		sandbox,
		answering.map(({ workflow }) => workflow),
	);
	const present = new Set((await listWorkflows(sandbox.n8n.rest)).map(({ name }) => name));
	const missing = examples.filter(({ workflow }) => !present.has(workflow.name));
	for (const example of missing) {
		const flow = await sandbox.store(bindCredential(example.workflow, sandbox.credential));
		if (isAnswering(example)) await flow.activate();
		if (example.name === MAKES_TABLES) await flow.run('Start by hand');
	}
	if (missing.some(isAnswering)) {
		sandbox.service.receiveMessage({ body: 'Hello, do you have time for me on Thursday?' });
	}
}
