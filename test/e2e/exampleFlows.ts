/** Examples in the shared n8n, and what they did there. */
import type { INode } from 'n8n-workflow';

import { enterAddresses, imported, readExamples } from '../../sandbox/demo/examples.ts';
import type { Flow, Run } from '../../sandbox/n8n/flow.ts';
import { POLLING_TRIGGER_TYPE } from '../../sandbox/n8n/nodeTypes.ts';
import type { WorkflowDefinition } from '../../sandbox/n8n/workflows.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { sandbox } from './shared.ts';

export const examples = readExamples();

/** The names of those that a test has stored. */
export const used = new Set<string>();

/** Stores a new copy of an example, which remembers nothing of the others. */
export async function store(
	name: string,
	change: (node: INode) => INode = (node) => node,
): Promise<Flow> {
	const example = examples.find((each) => each.name === name);
	if (!example) throw new Error(`There is no example ${name}`);
	used.add(name);
	const workflow = imported(example, sandbox);
	return await sandbox.store({ ...workflow, nodes: workflow.nodes.map(change) });
}

/** Changes the nodes of a stored example, as somebody does in the editor. */
export async function change({ workflow }: Flow, how: (node: INode) => INode): Promise<void> {
	const { id, connections, versionId } = workflow;
	const changes = { nodes: workflow.nodes.map(how), connections, versionId };
	await sandbox.n8n.rest.patch(`/rest/workflows/${id}`, changes);
}

const active: Flow[] = [];

/** Stores an example and publishes it, and has the service send its events there, each twice. */
export async function listen(name: string, change?: (node: INode) => INode): Promise<Flow> {
	const flow = await store(name, change);
	await enterAddresses(sandbox, [flow.workflow]);
	await sandbox.service.configure({ events: { duplicates: 1 } });
	await flow.activate();
	active.push(flow);
	return flow;
}

/** Takes down what listens. */
export async function stopListening(): Promise<void> {
	await sandbox.service.configure({ events: { subscriptions: [], duplicates: 0 } });
	for (const flow of active.splice(0)) await flow.deactivate();
}

const STARTS = [
	'n8n-nodes-base.manualTrigger',
	'n8n-nodes-base.scheduleTrigger',
	POLLING_TRIGGER_TYPE,
];

/** The trigger that a workflow is started by in the editor; the one for that, if there are several. */
export function startOf({ nodes }: Pick<WorkflowDefinition, 'nodes'>): string | undefined {
	const [start] = STARTS.flatMap((type) => nodes.filter((node) => node.type === type));
	return start?.name;
}

/** Runs an example by one of its triggers, to a good end. */
export async function run(flow: Flow, trigger = startOf(flow.workflow)): Promise<Run> {
	const execution = await flow.run(trigger);
	expect([execution.error?.message, execution.status]).toEqual([undefined, 'success']);
	return execution;
}

/** Lets contacts write, and gives what that started: one execution for each message. */
export async function write(
	flow: Flow,
	messages: Array<[phone: string, body: string]>,
): Promise<Run[]> {
	for (const [phone, body] of messages) sandbox.service.receiveMessage({ phone, body });
	await sandbox.service.deliveriesSettled();
	const runs = await flow.ran(messages.length);
	expect(runs.map(({ status }) => status)).toEqual(messages.map(() => 'success'));
	return runs;
}

/** A node with other parameters, if it is the one of this name. */
export const changed =
	(name: string, parameters: INode['parameters']) =>
	(node: INode): INode =>
		node.name === name ? { ...node, parameters: { ...node.parameters, ...parameters } } : node;

/** What an output of a node gave, over several executions. */
export const itemsOf = (runs: Run[], node: string, output?: number) =>
	runs.flatMap(({ items }) => items(node, output)).map(({ json }) => json);

/** The texts that were accepted, and whom they were for. */
export const accepted = () => sandbox.service.accepted().map(({ body }) => body);
export const texted = () => accepted().map(({ phone }) => phone);

/** All messages of the demo team, which tests may change. */
export const messages = () =>
	sandbox.service.teams().find(({ apiKey }) => apiKey === seeded.demo.apiKey)?.messages ?? [];
