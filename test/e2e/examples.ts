/** The examples: what is in their files, and that each of them runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type { INode } from 'n8n-workflow';

import { ANSWERING, type Example } from '../../sandbox/demo/examples.ts';
import { listExecutions } from '../../sandbox/n8n/executions.ts';
import { ACTION_TYPE } from '../../sandbox/n8n/nodeTypes.ts';
import { ROOT } from '../../sandbox/n8n/paths.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { listWorkflows } from '../../sandbox/n8n/workflows.ts';
import { examples, used } from './exampleFlows.ts';
import { sandbox } from './shared.ts';

const NOTE = 'n8n-nodes-base.stickyNote';
/** Other bold words are stressed, or the beginning of a paragraph with a colon. */
const BOLD_NAME = /\*\*([A-Z][^*]*[^*:])\*\*/g;

const read = (file: string) => readFileSync(join(ROOT, 'examples', file), 'utf8');
const isAnswering = ({ name }: Example) => ANSWERING.includes(name);

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

	it('carries no credential or address of anyone and no pinned data, is not active, and is in the list', () => {
		const credentials = workflow.nodes.flatMap((node) => Object.values(node.credentials ?? {}));
		expect(credentials.filter(({ id }) => id)).toEqual([]);
		expect(workflow).toMatchObject({ pinData: {}, active: false });
		// n8n's editor makes them when it imports a workflow, so that nobody listens at the address of others.
		expect(workflow.nodes.filter(({ webhookId }) => webhookId)).toEqual([]);
		expect(read('README.md')).toContain(`](${name}.json)`);
	});

	it('looks up opt-outs before every text', () => {
		const unchecked = reachedUnchecked(workflow);
		const texts = workflow.nodes.filter(
			({ type, parameters }) => type === ACTION_TYPE && parameters.operation === 'start',
		);
		expect(texts.filter(({ name }) => unchecked.has(name))).toEqual([]);
	});
});

/** The names of all nodes that are reached from a trigger without a look-up of opt-outs before. */
function reachedUnchecked({ nodes, connections }: Example['workflow']): Set<string> {
	const nextOf = (name: string) =>
		Object.values(connections[name] ?? {})
			.flat(2)
			.flatMap((connection) => connection?.node ?? []);
	const targets = new Set(nodes.flatMap(({ name }) => nextOf(name)));
	const reached = new Set(nodes.map(({ name }) => name).filter((name) => !targets.has(name)));
	for (const name of reached) {
		if (nodes.some((node) => node.name === name && isOptOutCheck(node))) continue;
		for (const next of nextOf(name)) reached.add(next);
	}
	return reached;
}

/** In all examples as in the one that is run with numbers in many ways of writing. */
const OPT_OUT_CHECK = examples
	.find(({ name }) => name === 'text-a-whole-list-once')
	?.workflow.nodes.find(({ name }) => name === 'Not opted out')?.parameters;

const isOptOutCheck = ({ parameters }: INode) => isDeepStrictEqual(parameters, OPT_OUT_CHECK);
