/** What the files of the examples promise to whoever copies them, and what `npm start` makes of them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';

import { ASKED, type Example, KEEPER } from '../../sandbox/demo/examples.ts';
import { listExecutions } from '../../sandbox/n8n/executions.ts';
import { ACTION_TYPE } from '../../sandbox/n8n/nodeTypes.ts';
import { ROOT } from '../../sandbox/n8n/paths.ts';
import { until } from '../../sandbox/n8n/until.ts';
import type { StoredWorkflow } from '../../sandbox/n8n/workflows.ts';
import { examples } from './exampleFlows.ts';
import { sandbox } from './shared.ts';

const NOTE = 'n8n-nodes-base.stickyNote';
const CALL = 'n8n-nodes-base.executeWorkflow';
/** As a step, and as a tool, before which nobody can be asked. */
const TEXTING = [ACTION_TYPE, `${ACTION_TYPE}Tool`];
const SCHEDULE = 'n8n-nodes-base.scheduleTrigger';
/** Whoever finds their address starts the workflow. */
const OPEN = ['n8n-nodes-base.formTrigger', 'n8n-nodes-base.webhook'];
/** Other bold words are stressed, or the beginning of a paragraph with a colon. */
const BOLD_NAME = /\*\*([A-Z][^*]*[^*:])\*\*/g;

test('npm start imports every example, the first one on top, and the agent answers who has written', async () => {
	const { rest } = sandbox.n8n;
	const list = async () =>
		await rest.get<StoredWorkflow[]>('/rest/workflows?sortBy=updatedAt:desc');
	const stored = await list();
	expect(stored.map(({ name }) => name).sort()).toEqual(
		examples.map(({ workflow }) => workflow.name).sort(),
	);
	const answering = stored.find(({ name }) => name === 'Answer inbound messages');
	await until('the agent has answered', async () => {
		const executions = await listExecutions(rest, { id: answering?.id ?? '' });
		return executions.some(({ status }) => status === 'success');
	});
	expect(sandbox.service.accepted()).toHaveLength(1);
	expect((await list())[0]?.name).toBe(examples[0]?.workflow.name);
});

test('the list has every example, and they are few', () => {
	const files = readdirSync(join(ROOT, 'examples')).filter((file) => file.endsWith('.json'));
	expect(examples.map(({ name }) => `${name}.json`).sort()).toEqual(files.sort());
	expect(files.length).toBeLessThanOrEqual(14);
});

describe.each(examples)('The file $name', ({ name: file, workflow }) => {
	const isNote = ({ type }: INode) => type === NOTE;
	const words = workflow.nodes.filter(isNote).map(({ parameters }) => parameters.content);
	const steps = workflow.nodes.filter((node) => !isNote(node));

	it('is small, and explains itself in notes, which name steps and examples as they are called', () => {
		expect(steps.length).toBeLessThanOrEqual(12);
		expect(words.join('\n')).toContain(`## ${workflow.name}\n`);
		const known = [...steps, ...examples.map((each) => each.workflow)].map(({ name }) => name);
		const named = [...words.join('\n').matchAll(BOLD_NAME)].map(([, bold]) => bold);
		expect(known).toEqual(expect.arrayContaining(named));
	});

	it('carries no credential or address of anyone and no pinned data, and is not active', () => {
		const credentials = steps.flatMap((node) => Object.values(node.credentials ?? {}));
		expect(credentials.filter(({ id }) => id)).toEqual([]);
		expect(workflow).toMatchObject({ pinData: {}, active: false });
		// n8n's editor makes them when it imports a workflow, so that nobody listens at the address of others.
		expect(steps.filter(({ webhookId }) => webhookId)).toEqual([]);
	});

	it('is safe for whoever reads no note', () => {
		expect(steps.filter(({ type }) => OPEN.includes(type))).toEqual([]);
		// Nobody's words are in what a model is told.
		const told = JSON.stringify(steps.map(({ parameters }) => parameters.options ?? {}));
		expect(told).not.toContain('"systemMessage":"=');
		if (steps.some(({ type }) => type === SCHEDULE)) {
			expect(workflow.settings?.timezone).toBeDefined();
			expect(words.join('\n')).toMatch(/time zone/);
		}
		// By hand, no text goes out.
		const texts = steps.filter(({ parameters }) => parameters.operation === 'start');
		expect(texts.filter(({ parameters }) => parameters.whenTesting !== 'preview')).toEqual([]);
		expect(texts.filter(({ parameters }) => parameters.sendOnce === 'off')).toEqual([]);
	});

	it('does not fill n8n with what people wrote, if it runs every few minutes', () => {
		const runsOften = [ASKED, KEEPER].includes(file);
		expect(workflow.settings?.saveDataSuccessExecution).toBe(runsOften ? 'none' : undefined);
		// n8n's editor does not read that, so a note says it.
		expect(/Save successful production executions/.test(words.join())).toBe(runsOften);
	});

	it('asks who may be texted before every text', () => {
		const unchecked = reachedUnchecked(workflow);
		const texts = steps.filter(
			({ type, parameters }) => TEXTING.includes(type) && parameters.operation === 'start',
		);
		expect(texts.filter(({ name }) => unchecked.has(name))).toEqual([]);
	});
});

/** The names of all nodes that are reached from a trigger without a verdict of the sub-workflow. */
function reachedUnchecked({ nodes, connections }: Example['workflow']): Set<string> {
	const nextOf = (name: string) =>
		Object.values(connections[name] ?? {})
			.flat(2)
			.flatMap((connection) => connection?.node ?? []);
	const targets = new Set(nodes.flatMap(({ name }) => nextOf(name)));
	const reached = new Set(nodes.map(({ name }) => name).filter((name) => !targets.has(name)));
	const callers = nodes.filter(({ type }) => type === CALL).map(({ name }) => name);
	const asked = new Set(callers.flatMap(nextOf));
	const isVerdict = ({ name, parameters }: INode) =>
		asked.has(name) && JSON.stringify(parameters).includes('$json.verdict');
	for (const name of reached) {
		if (nodes.some((node) => node.name === name && isVerdict(node))) continue;
		for (const next of nextOf(name)) reached.add(next);
	}
	return reached;
}
