import type { INode, INodeTypeDescription } from 'n8n-workflow';

import { CREDENTIAL_TYPE, type CredentialReference } from '../n8n/credentials.ts';
import { runManually, type Execution } from '../n8n/executions.ts';
import type { N8n } from '../n8n/index.ts';
import { listNodeTypes, triggerTypes } from '../n8n/nodeTypes.ts';
import type { RestClient } from '../n8n/rest.ts';
import { bindCredential, createWorkflow, type WorkflowDefinition } from '../n8n/workflows.ts';
import type { Service } from '../service/service.ts';
import { MAKES_TABLES, readExamples, type Example } from './examples.ts';
import { eventTriggerOf } from './listening.ts';
import { chosenOperation, isOwnNode, isReadOnly } from './operations.ts';
import { nodeOutcome, type NodeOutcome } from './outcome.ts';
import { runConversations } from './runConversations.ts';

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const WAIT = 'n8n-nodes-base.wait';

const NOT_STARTED: Execution = { id: '', status: 'new', runs: {} };

/** One line of the report: a node of an example, and what it did. */
interface ExampleRow extends NodeOutcome {
	workflow: string;
	/** The operation of a node of this package, the type of any other. */
	does: string;
	/** In how many executions it ran. */
	runs: number;
}

export interface ExampleResult {
	example: Example;
	executions: Execution[];
	rows: ExampleRow[];
	/** Why the workflow did not run to its end, if no node says so. */
	problem?: string;
	/** Why it was left out. */
	skipped?: string;
}

export interface RunOptions {
	credential: CredentialReference;
	/** The stand-in, whose events start examples. */
	standIn?: Service;
	/** Leave out the examples that may send or change something. */
	readOnly: boolean;
	/** Breaks the run off before the next example. */
	signal?: AbortSignal;
}

function describeNode(node: INode, types: INodeTypeDescription[]): string {
	const chosen = chosenOperation(node, types);
	if (chosen) return chosen;
	return isOwnNode(node) ? 'trigger' : node.type.replace(/^.*\./, '');
}

/** A workflow may run several times, from each of its triggers; a node's row is of the run that tells most. */
function rowsOf(
	{ name, nodes }: WorkflowDefinition,
	executions: Execution[],
	types: INodeTypeDescription[],
): ExampleRow[] {
	return nodes
		.filter(({ type }) => type !== STICKY_NOTE)
		.map((node) => {
			const outcomes = executions.map((execution) => nodeOutcome(node, execution));
			const telling =
				outcomes.find(({ outcome }) => outcome === 'failed') ??
				outcomes.find(({ outcome }) => outcome === 'ok') ??
				nodeOutcome(node, NOT_STARTED);
			const runs = executions.filter((execution) => execution.runs[node.name]).length;
			return { ...telling, workflow: name, does: describeNode(node, types), runs };
		});
}

function problemOf(executions: Execution[]): string | undefined {
	const failed = executions.find(({ status }) => status !== 'success');
	if (!failed) return undefined;
	return failed.error?.message ?? `The execution ended as "${failed.status}".`;
}

/** Waits of days last a second here. */
function withoutWaiting(workflow: WorkflowDefinition): WorkflowDefinition {
	const nodes = workflow.nodes.map((node) =>
		node.type === WAIT
			? { ...node, parameters: { ...node.parameters, amount: 1, unit: 'seconds' } }
			: node,
	);
	return { ...workflow, nodes };
}

/** A workflow with its schedule turned on, as its note says. */
function withSchedule(workflow: WorkflowDefinition, triggers: Set<string>): WorkflowDefinition {
	const nodes = workflow.nodes.map((node) =>
		triggers.has(node.type) ? { ...node, disabled: false } : node,
	);
	return { ...workflow, nodes };
}

/** Runs one example, bound to a credential, from each of its triggers and reports on every node. */
async function runExample(
	rest: RestClient,
	example: Example,
	types: INodeTypeDescription[],
): Promise<ExampleResult> {
	const triggers = triggerTypes(types);
	const workflow = withSchedule(example.workflow, triggers);
	const executions: Execution[] = [];
	try {
		const starts = workflow.nodes.filter(({ type }) => triggers.has(type));
		if (starts.length === 0) throw new Error('The workflow has no trigger to start from.');
		const stored = await createWorkflow(rest, workflow);
		for (const { name } of starts) executions.push(await runManually(rest, stored, name));
		return {
			example,
			executions,
			rows: rowsOf(workflow, executions, types),
			problem: problemOf(executions),
		};
	} catch (error) {
		const problem = error instanceof Error ? error.message : String(error);
		return { example, executions, rows: rowsOf(workflow, executions, types), problem };
	}
}

/** Why an example cannot be run here. */
function reasonToSkip(
	{ workflow }: Example,
	types: INodeTypeDescription[],
	{ readOnly, standIn }: RunOptions,
): string | undefined {
	const [foreign] = workflow.nodes.flatMap(({ credentials = {} }) =>
		Object.entries(credentials).flatMap(([type, { name }]) =>
			type === CREDENTIAL_TYPE ? [] : [name],
		),
	);
	if (foreign) return `needs a credential of your own (${foreign})`;
	if (eventTriggerOf(workflow) && !standIn) {
		return 'waits for events, which your service sends only when its address is entered there';
	}
	return readOnly && !isReadOnly(workflow.nodes, types)
		? 'may send or change something (run it with --yes-send)'
		: undefined;
}

/** Runs the examples one after the other, those that wait for events at the end. */
export async function runExamples(
	n8n: N8n,
	examples: Example[],
	options: RunOptions,
): Promise<ExampleResult[]> {
	const { credential, standIn, signal } = options;
	const bound = ({ file, workflow }: Example): Example => ({
		file,
		workflow: bindCredential(withoutWaiting(workflow), CREDENTIAL_TYPE, credential),
	});
	const types = await listNodeTypes(n8n.rest);
	const tables = (await readExamples()).find(({ file }) => file === MAKES_TABLES);
	if (tables && !options.readOnly) {
		const stored = await createWorkflow(n8n.rest, bound(tables).workflow);
		await runManually(n8n.rest, stored, 'Start by hand');
	}
	const results: ExampleResult[] = [];
	const waiting: Example[] = [];
	for (const example of examples) {
		signal?.throwIfAborted();
		const skipped = reasonToSkip(example, types, options);
		if (skipped) results.push({ example, executions: [], rows: [], skipped });
		else if (eventTriggerOf(example.workflow)) waiting.push(example);
		else results.push(await runExample(n8n.rest, bound(example), types));
	}
	if (!standIn) return results;
	const runs = await runConversations(waiting.map(bound), {
		n8n,
		service: standIn,
		triggers: triggerTypes(types),
		signal,
	});
	return [
		...results,
		...runs.map(({ example, executions, problem }) => ({
			example,
			executions,
			rows: rowsOf(example.workflow, executions, types),
			problem: problem ?? problemOf(executions),
		})),
	];
}
