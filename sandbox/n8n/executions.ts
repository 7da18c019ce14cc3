import { parse } from 'flatted';
import type {
	ExecutionStatus,
	INodeExecutionData,
	IRunExecutionData,
	ITaskData,
} from 'n8n-workflow';

import { RestError, type RestClient } from './rest.ts';
import { until } from './until.ts';
import type { StoredWorkflow } from './workflows.ts';

const DEFAULT_TIMEOUT_MS = 60_000;

/** Whether an execution goes on; "waiting" is for its worker, or to be started again after a crash. */
export const isUnfinished = (status: ExecutionStatus) =>
	['new', 'running', 'unknown', 'waiting'].includes(status);

/** One run of a workflow, after it ended. */
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

/** A trigger waits for a call from outside, so the workflow cannot run by itself. */
export class WaitingForWebhookError extends Error {
	constructor(trigger: string) {
		super(`The trigger "${trigger}" waits for an event and has no pinned data to run with.`);
		this.name = 'WaitingForWebhookError';
	}
}

function executionOf(id: string, { status, data }: StoredExecution): Execution {
	const { resultData }: IRunExecutionData = parse(data);
	return { id, status, runs: resultData.runData, error: resultData.error };
}

const fetchExecution = (rest: RestClient, id: string) =>
	rest.get<StoredExecution>(`/rest/executions/${id}`);

/** Reads one execution with the data of its nodes. */
export async function readExecution(rest: RestClient, id: string): Promise<Execution> {
	return executionOf(id, await fetchExecution(rest, id));
}

/** Waits until an execution has ended, well or not; stops it if that takes too long. */
export async function waitForExecution(
	rest: RestClient,
	id: string,
	timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<Execution> {
	const ended = async () => {
		const stored = await fetchExecution(rest, id);
		return !isUnfinished(stored.status) && stored;
	};
	try {
		return executionOf(id, await until(`execution ${id} has ended`, ended, { timeoutMs }));
	} catch (error) {
		await stopExecution(rest, id);
		throw error;
	}
}

/** Stops an execution, as the button in the list of executions does. */
export async function stopExecution(rest: RestClient, id: string): Promise<void> {
	try {
		await rest.post(`/rest/executions/${id}/stop`);
	} catch (error) {
		// It may have ended in the meantime.
		if (!(error instanceof RestError)) throw error;
	}
}

/** Starts a workflow by one of its triggers, as the button in the editor does. */
export async function startManually(
	rest: RestClient,
	workflow: Pick<StoredWorkflow, 'id'>,
	trigger: string,
): Promise<string> {
	const path = `/rest/workflows/${workflow.id}`;
	const answer = await rest.post<{ executionId?: string }>(`${path}/run`, {
		triggerToStartFrom: { name: trigger },
		// n8n 1.x runs what it is sent, and n8n 2.x what is stored.
		workflowData: await rest.get<StoredWorkflow>(path),
	});
	if (answer.executionId === undefined) throw new WaitingForWebhookError(trigger);
	return answer.executionId;
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
