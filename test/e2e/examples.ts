/** The examples: what is in their files, and that each of them runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IConnections, INode } from 'n8n-workflow';

import { ANSWERING, eventTriggerOf, type Example } from '../../sandbox/demo/examples.ts';
import { describeDemo } from '../../sandbox/demo/demo.ts';
import { listExecutions } from '../../sandbox/n8n/executions.ts';
import { ROOT } from '../../sandbox/n8n/paths.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { listWorkflows } from '../../sandbox/n8n/workflows.ts';
import { operationIds } from '../../sandbox/operations.ts';
import { changed, examples, operationsRun, run, store, used } from './exampleFlows.ts';
import { sandbox } from './shared.ts';

const NOTE = 'n8n-nodes-base.stickyNote';
/** Other bold words are stressed, or the beginning of a paragraph with a colon. */
const BOLD_NAME = /\*\*([A-Z][^*]*[^*:])\*\*/g;
const OWN = 'n8n-nodes-messaging-service.';

const read = (file: string) => readFileSync(join(ROOT, 'examples', file), 'utf8');
const isAnswering = ({ name }: Example) => ANSWERING.includes(name);

/** Those that can be started by hand, with no account but the one of the service. */
const byHand = examples.filter(
	({ workflow }) =>
		!eventTriggerOf(workflow) && workflow.nodes.some(({ name }) => name === 'Start by hand'),
);

test('npm start imports every example, and the agent answers a customer who has written', async () => {
	const { rest } = sandbox.n8n;
	const stored = await listWorkflows(rest);
	expect(stored.map(({ name }) => name).sort()).toEqual(
		examples.map(({ workflow }) => workflow.name).sort(),
	);
	const answering = examples.filter(isAnswering).map(({ name, workflow }) => {
		used.add(name);
		return stored.find((each) => each.name === workflow.name) ?? { id: '' };
	});
	await until('both have answered', async () => {
		const executions = await Promise.all(answering.map((each) => listExecutions(rest, each)));
		return executions.every((all) => all.some(({ status }) => status === 'success'));
	});
	expect(describeDemo(sandbox)).toContain(sandbox.n8n.url);
});

test.each(byHand)('the example $name runs through', async ({ name }) => {
	await run(await store(name, changed('Wait a day', { amount: 1, unit: 'seconds' })));
});

test('between them, they have run every operation', () => {
	expect([...operationsRun]).toEqual(expect.arrayContaining(operationIds));
});

describe.each(examples)('The file $name', ({ name, workflow }) => {
	const notes = workflow.nodes.filter(({ type }) => type === NOTE);
	const words = notes.map(({ parameters }) => parameters.content).join('\n');

	it('explains itself in notes, which name steps and examples as they are called', () => {
		expect(notes.length).toBeGreaterThan(1);
		expect(words).toContain(`## ${workflow.name}\n`);
		const known = [
			...workflow.nodes.map((node) => node.name),
			...examples.map((each) => each.workflow.name),
		];
		const named = [...words.matchAll(BOLD_NAME)].map(([, bold]) => bold);
		expect(known).toEqual(expect.arrayContaining(named));
	});

	it('carries no credential of anyone and no pinned data, is not active, and is in the list', () => {
		const credentials = workflow.nodes.flatMap((node) => Object.values(node.credentials ?? {}));
		expect(credentials.filter(({ id }) => id)).toEqual([]);
		expect(workflow).toMatchObject({ pinData: {}, active: false });
		expect(read('README.md')).toContain(`](${name}.json)`);
	});

	it('looks up opt-outs before every text', () => {
		const { nodes, connections } = workflow;
		// A tool is called by the model, and tested with one.
		const sends = nodes.filter(
			({ type, parameters }) =>
				type === `${OWN}messagingService` && parameters.operation === 'invokeWebhook',
		);
		const unchecked = reachedWithout(nodes, connections, isOptOutCheck);
		expect(sends.filter((node) => unchecked.has(node.name))).toEqual([]);
	});
});

const isOptOutCheck = ({ type, parameters, name }: INode) =>
	type === 'n8n-nodes-base.dataTable' &&
	parameters.operation === 'rowNotExists' &&
	name === 'Not opted out';

/** The names of all nodes that are reached from a trigger without passing a node that fits. */
function reachedWithout(
	nodes: INode[],
	connections: IConnections,
	fits: (node: INode) => boolean,
): Set<string> {
	const nextOf = (name: string) =>
		Object.values(connections[name] ?? {}).flatMap((outputs) =>
			outputs.flatMap((output) => (output ?? []).map(({ node }) => node)),
		);
	const targets = new Set(nodes.flatMap(({ name }) => nextOf(name)));
	const reached = new Set<string>();
	const visit = (name: string) => {
		const node = nodes.find((each) => each.name === name);
		if (node === undefined || reached.has(name) || fits(node)) return;
		reached.add(name);
		nextOf(name).forEach(visit);
	};
	nodes.filter(({ name }) => !targets.has(name)).forEach(({ name }) => visit(name));
	return reached;
}
