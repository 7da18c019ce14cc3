import type { INode, INodeExecutionData, ITaskData } from 'n8n-workflow';

import type { Execution } from '../n8n/executions.ts';

/** What one node of a workflow did. */
export interface NodeOutcome {
	node: string;
	itemsIn: number;
	itemsOut: number;
	milliseconds: number;
	outcome: 'ok' | 'failed' | 'not reached' | 'disabled';
	error?: string;
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

const itemsOf = (outputs: Array<INodeExecutionData[] | null>) =>
	sum(outputs.map((items) => items?.length ?? 0));

/** Nodes of an agent hand over on connections of their own kind, such as `ai_tool`. */
const itemsOut = (run: ITaskData) => sum(Object.values(run.data ?? {}).map(itemsOf));

function itemsIn(run: ITaskData, execution: Execution): number {
	return sum(
		run.source.map((source) => {
			if (!source) return 0;
			const { previousNode, previousNodeOutput = 0, previousNodeRun = 0 } = source;
			const outputs = execution.runs[previousNode]?.[previousNodeRun]?.data?.main;
			return outputs?.[previousNodeOutput]?.length ?? 0;
		}),
	);
}

function describeError(runs: ITaskData[]): string | undefined {
	const error = runs.find((run) => run.error)?.error;
	if (!error) return undefined;
	const sentences = [error.message, error.description].filter(Boolean);
	return sentences.map((sentence) => String(sentence).replace(/[^.!?)]$/, '$&.')).join(' ');
}

/** Sums up what a node did in an execution, over all its runs. */
export function nodeOutcome(node: INode, execution: Execution): NodeOutcome {
	const runs = execution.runs[node.name] ?? [];
	const error = describeError(runs);
	const reached = runs.length > 0 ? 'ok' : 'not reached';
	return {
		node: node.name,
		itemsIn: sum(runs.map((run) => itemsIn(run, execution))),
		itemsOut: sum(runs.map(itemsOut)),
		milliseconds: sum(runs.map((run) => run.executionTime)),
		outcome: node.disabled ? 'disabled' : error === undefined ? reached : 'failed',
		error,
	};
}
