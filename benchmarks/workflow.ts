import { randomUUID } from 'node:crypto';

import type { INode } from 'n8n-workflow';

import type { Execution } from '../sandbox/n8n/executions.ts';
import { webhookNode, type NodeSketch } from '../sandbox/n8n/workflows.ts';
import type { Rig } from './rig.ts';

/** A node with the settings that its own tab in the editor has. */
export type BenchNode = NodeSketch & Partial<Pick<INode, 'maxTries' | 'waitBetweenTries'>>;

/** Makes the nodes that are measured; they come one after the other. */
export type NodesOf = (rig: Rig) => BenchNode[] | Promise<BenchNode[]>;

/** One run of a workflow. */
interface Run {
	/** Time of the nodes that are measured, as n8n took it, in milliseconds. */
	ms: number;
	/** Items that came out. */
	items: number;
	/** Why the execution failed, if it did. */
	error: Execution['error'];
}

const LONGEST_RUN_MS = 15 * 60_000;

const ITEMS: BenchNode = {
	name: 'Items',
	type: 'n8n-nodes-base.splitOut',
	parameters: { fieldToSplitOut: 'body.items', options: {} },
};

/**
 * Puts nodes behind a webhook.
 *
 * @param known how many keys the first node remembers from the beginning
 * @returns what runs them for some items
 */
export async function deploy(
	rig: Rig,
	nodesOf: NodesOf,
	known = 0,
): Promise<(items?: readonly object[]) => Promise<Run>> {
	const nodes = await nodesOf(rig);
	const flow = await rig.store([webhookNode(randomUUID()), ITEMS, ...nodes]);
	const [, , first] = flow.workflow.nodes;
	if (known > 0) rig.remember(flow.workflow.id, first.id, known);
	await flow.activate();
	return async (items = [{}]) => {
		await flow.call({ items });
		const [id = ''] = await flow.started(1);
		const run = await flow.ended(id, LONGEST_RUN_MS);
		await rig.removeExecutions(flow.workflow.id);
		const times = nodes.flatMap(({ name }) => run.runs[name] ?? []);
		return {
			ms: times.reduce((sum, { executionTime }) => sum + executionTime, 0),
			items: run.items().length,
			error: run.error,
		};
	};
}
