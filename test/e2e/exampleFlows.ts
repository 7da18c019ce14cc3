/** Examples in the shared n8n, and what they did there. */
import type { INode } from 'n8n-workflow';

import {
	ASKED,
	enterAddresses,
	imported,
	KEEPER,
	readExamples,
} from '../../sandbox/demo/examples.ts';
import type { Flow, Run } from '../../sandbox/n8n/flow.ts';
import { deactivateWorkflow, listWorkflows } from '../../sandbox/n8n/workflows.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { sandbox } from './shared.ts';

export const examples = readExamples();

function exampleNamed(name: string) {
	const example = examples.find((each) => each.name === name);
	if (!example) throw new Error(`There is no example ${name}`);
	return example;
}

/** The titles of those that a test has run to a good end. */
export const ran = new Set<string>();

/** The identifier of the workflow that the demo has made of an example of which no test has stored another one. */
async function idInDemo(name: string): Promise<string> {
	const stored = await listWorkflows(sandbox.n8n.rest);
	return stored.find((each) => each.name === exampleNamed(name).workflow.name)?.id ?? '';
}

type Change = (node: INode) => INode;

/** Stores a new copy of an example, which remembers nothing of the others. */
export async function store(name: string, ...changes: Change[]): Promise<Flow> {
	const { nodes, ...rest } = imported(exampleNamed(name), sandbox, await idInDemo(ASKED));
	return await sandbox.store({ ...rest, nodes: changedBy(nodes, changes) });
}

/** Changes the nodes of a stored example, as somebody does in the editor. */
export async function change({ workflow }: Flow, ...changes: Change[]): Promise<void> {
	const { id, nodes, connections, versionId } = workflow;
	const changed = { nodes: changedBy(nodes, changes), connections, versionId };
	await sandbox.n8n.rest.patch(`/rest/workflows/${id}`, changed);
}

const changedBy = (nodes: INode[], changes: Change[]) =>
	changes.reduce((all, each) => all.map(each), nodes);

/** A node with other parameters, if it is the one of this name. */
export const changed =
	(name: string, parameters: INode['parameters']): Change =>
	(node) =>
		node.name === name ? { ...node, parameters: { ...node.parameters, ...parameters } } : node;

/** All steps that text do so by hand, too. */
export const sending: Change = (node) =>
	node.parameters.whenTesting === undefined
		? node
		: { ...node, parameters: { ...node.parameters, whenTesting: 'send' } };

/** A step that gives these items. */
export const giving = (name: string, items: object[]): Change =>
	changed(name, { jsCode: `return ${JSON.stringify(items)}` });

const active: Flow[] = [];

/** Stores an example and publishes it, and has the service send its events there, each twice. */
export async function listen(name: string, ...changes: Change[]): Promise<Flow> {
	const flow = await store(name, ...changes);
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

/** Stops the schedule by which the demo keeps the opt-outs, so that tests decide when that happens. */
export async function stopKeeping(): Promise<void> {
	await deactivateWorkflow(sandbox.n8n.rest, await idInDemo(KEEPER));
}

/** Brings the table of opt-outs up to date, as the schedule does. */
export async function keepOptOuts(): Promise<Run> {
	return await run(await store(KEEPER));
}

/** Runs an example by its trigger, to a good end. */
export async function run(flow: Flow): Promise<Run> {
	const triggers = flow.workflow.nodes.filter(({ type }) => /trigger$/i.test(type));
	const execution = await flow.run(triggers[0]?.name);
	expect([execution.error?.message, execution.status]).toEqual([undefined, 'success']);
	ran.add(flow.workflow.name);
	return execution;
}

/** Waits until an example has taken so many events, to a good end. */
export async function taken(flow: Flow, count: number): Promise<Run[]> {
	await sandbox.service.deliveriesSettled();
	const runs = await flow.ran(count);
	expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'success'));
	ran.add(flow.workflow.name);
	return runs;
}

/** What an output of a node gave, over several executions. */
export const itemsOf = (runs: Run[], node: string, output?: number) =>
	runs.flatMap(({ items }) => items(node, output)).map(({ json }) => json);

/** The texts that were accepted, and whom they were for. */
export const accepted = () => sandbox.service.accepted().map(({ body }) => body);
export const texted = () => accepted().map(({ phone }) => phone);

/** All messages of the demo team, which tests may change. */
export const messages = () =>
	sandbox.service.teams().find(({ apiKey }) => apiKey === seeded.demo.apiKey)?.messages ?? [];
