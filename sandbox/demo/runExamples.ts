import type { INode, INodeTypeDescription } from 'n8n-workflow';

import { bindCredential, createWorkflow, type WorkflowDefinition } from '../n8n/workflows.ts';
import type { CredentialReference } from '../n8n/credentials.ts';
import { runManually, type Execution } from '../n8n/executions.ts';
import { listNodeTypes, triggerTypes } from '../n8n/nodeTypes.ts';
import type { RestClient } from '../n8n/rest.ts';
import type { Example } from './examples.ts';
import { chosenOperation, isOwnNode, isReadOnly, operationKey } from './operations.ts';
import { nodeOutcome, type NodeOutcome } from './outcome.ts';

export const CREDENTIAL_TYPE = 'messagingServiceApi';

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';

const NOT_STARTED: Execution = { id: '', status: 'new', runs: {} };

/** One line of the report: a node of an example, and what it did. */
export interface ExampleRow extends NodeOutcome {
	workflow: string;
	/** The operation of a node of this package, the type of any other. */
	does: string;
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
	/** Leave out the examples that may send or change something. */
	readOnly: boolean;
	/** Breaks the run off before the next example. */
	signal?: AbortSignal;
}

function describeNode(node: INode, types: INodeTypeDescription[]): string {
	const chosen = chosenOperation(node, types);
	if (chosen) return operationKey(chosen);
	return isOwnNode(node) ? 'trigger' : node.type.replace(/^.*\./, '');
}

/** A workflow with several triggers runs once from each; a node's row is of the run that tells most. */
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
			return { ...telling, workflow: name, does: describeNode(node, types) };
		});
}

function problemOf(executions: Execution[]): string | undefined {
	const failed = executions.find(({ status }) => status !== 'success');
	if (!failed) return undefined;
	return failed.error?.message ?? `The execution ended as "${failed.status}".`;
}

/** Runs one example from each of its triggers and reports on every node. */
export async function runExample(
	rest: RestClient,
	example: Example,
	credential: CredentialReference,
	types: INodeTypeDescription[],
): Promise<ExampleResult> {
	const { workflow } = example;
	const executions: Execution[] = [];
	try {
		const triggers = triggerTypes(types);
		const starts = workflow.nodes.filter(({ type, disabled }) => triggers.has(type) && !disabled);
		if (starts.length === 0) throw new Error('The workflow has no trigger to start from.');
		const stored = await createWorkflow(
			rest,
			bindCredential(workflow, CREDENTIAL_TYPE, credential),
		);
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

/** Runs the examples one after the other. */
export async function runExamples(
	rest: RestClient,
	examples: Example[],
	credential: CredentialReference,
	{ readOnly, signal }: RunOptions,
): Promise<ExampleResult[]> {
	const types = await listNodeTypes(rest);
	const results: ExampleResult[] = [];
	for (const example of examples) {
		signal?.throwIfAborted();
		if (readOnly && !isReadOnly(example.workflow.nodes, types)) {
			const skipped = 'may send or change something (run it with --yes-send)';
			results.push({ example, executions: [], rows: [], skipped });
		} else {
			results.push(await runExample(rest, example, credential, types));
		}
	}
	return results;
}
