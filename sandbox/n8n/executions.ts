import { parse } from 'flatted';
import type {
	ExecutionStatus,
	INodeExecutionData,
	IRunExecutionData,
	ITaskData,
} from 'n8n-workflow';

import type { RestClient } from './rest.ts';
import type { StoredWorkflow } from './workflows.ts';

/** Whether an execution goes on; "waiting" is for its worker, or to be started again after a crash. */
export const isUnfinished = (status: ExecutionStatus) =>
	['new', 'running', 'unknown', 'waiting'].includes(status);

/** One run of a workflow. */
export interface Execution {
	id: string;
	status: ExecutionStatus;
	/** What each node did, by name; a node in a loop has several runs. */
	runs: Record<string, ITaskData[]>;
	/** Why the workflow failed, if it did. */
	error?: IRunExecutionData['resultData']['error'];
}

export interface ExecutionSummary {
	id: string;
	status: ExecutionStatus;
	/** How it was started, such as `manual` or `webhook`. */
	mode: string;
}

interface StoredExecution {
	status: ExecutionStatus;
	/** In the format of the `flatted` library. */
	data: string;
}

/** Reads one execution with the data of its nodes. */
export async function readExecution(rest: RestClient, id: string): Promise<Execution> {
	const { status, data } = await rest.get<StoredExecution>(`/rest/executions/${id}`);
	// n8n may have begun it, and not stored what it does.
	const stored: IRunExecutionData | undefined = parse(data);
	return { id, status, runs: stored?.resultData.runData ?? {}, error: stored?.resultData.error };
}

/** The executions of a workflow, the newest first. */
export async function listExecutions(
	rest: RestClient,
	{ id }: Pick<StoredWorkflow, 'id'>,
): Promise<ExecutionSummary[]> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
	const { results } = await rest.get<{
		results: ExecutionSummary[];
	}>(`/rest/executions?filter=${filter}&limit=100`);
	return results;
}

/** The items of one output of a node, over all its runs. */
export function outputOf(execution: Execution, node: string, output = 0): INodeExecutionData[] {
	return (execution.runs[node] ?? []).flatMap((run) => run.data?.main?.[output] ?? []);
}
