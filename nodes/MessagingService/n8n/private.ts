/** What reads and changes n8n's own data, which its documentation does not promise: check it after an update. */
import {
	type IDataObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
} from 'n8n-workflow';
import { asObject } from '../api/json';

/** The most milliseconds from the beginning of an execution to its first step. Nobody retries it so soon. */
const LONGEST_BEGINNING = 5_000;

/**
 * Whether n8n's data prove that a run of the node without a journal has sent nothing: in a new execution; and in a retry
 * if the run had not begun before, `notBegun`. In a retry, something may be sent only on that, and on a `journal`.
 *
 * | How the first execution ended                              | What a retry has                             | Evidence   |
 * | ---------------------------------------------------------- | -------------------------------------------- | ---------- |
 * | this node failed, also in a round of a loop                | its journal                                  | `journal`  |
 * | Retry On Fail runs the node again                          | its journal                                  | `journal`  |
 * | timed out while this node was under way                    | its journal                                  | `journal`  |
 * | an earlier node failed                                     | the steps before that node                   | `notBegun` |
 * | a later node failed, in a loop that comes back to this one | the steps of earlier rounds                  | `notBegun` |
 * | n8n was killed, and its event log is there                 | steps that n8n made up from the log          | `nothing`  |
 * | n8n was killed without its event log, a worker was killed, the queue was recovered, or somebody stopped it | no steps: it starts over, long after the execution began | `nothing` |
 * | a retry of one of these failed in an earlier node          | a first step long after the execution began  | `nothing`  |
 * | n8n was killed during this node, with Save Execution Progress | the steps before this node, with which it begins | `nothing` |
 * | n8n 1: n8n was killed                                      | a context that the retry itself made         | `nothing`  |
 * | the execution is from an n8n without such contexts         | no context                                   | `nothing`  |
 * | n8n was killed after a Wait node                           | the steps before the Wait node               | `notBegun` |
 *
 * The last row proves nothing, but looks like the row of an earlier node that failed. So if an execution goes on after a
 * wait, each write is claimed in n8n's store before it is sent, and a retry finds it there: see `isContinued`.
 */
export function provesUnsent(context: IExecuteFunctions): boolean {
	if (context.getMode() !== 'retry') return true;
	const { establishedAt } = contextOf(context);
	if (establishedAt === undefined) return false;
	const steps = stepsOf(context);
	if (steps.some(isMadeUp)) return false;
	const first = steps.reduce(
		(least, { startTime }) => Math.min(least, Number(startTime)),
		Infinity,
	);
	if (!(first - establishedAt < LONGEST_BEGINNING)) return false;
	// A tool is part of the step of another node, and only that step counts.
	const before = stepsBefore(context);
	return isTool(context) || (before > 0 && steps.length > before);
}

/** Whether n8n goes on with what it had stored of an execution: in a retry, or after a wait. */
export function isContinued(context: IExecuteFunctions): boolean {
	if (context.getMode() === 'retry') return true;
	if (isTool(context)) return false;
	return stepsOf(context).length > stepsBefore(context);
}

/**
 * The name that an execution shares with its retries, and with their retries; undefined where n8n does not tell it. Where
 * there is no token, as in n8n 1, executions that began in the same millisecond share it too, so it may tell what not to
 * send, but never what to send.
 */
export function chainOf(context: IExecuteFunctions): string | undefined {
	const { establishedAt } = contextOf(context);
	// With this token of its own, an execution that waits is called. It outlives a crash, and no step has to be there.
	const { resumeToken = '' } = dataOf(context);
	return establishedAt === undefined ? undefined : `${establishedAt}:${String(resumeToken)}`;
}

/**
 * How the execution, or the one that it retries, was started: `manual`, `webhook` and so on; of a sub-workflow, how its
 * outermost parent was. n8n 1 does not tell that, and says `integrated`. Undefined for a retry if n8n does not tell it.
 */
export function startedBy(context: IExecuteFunctions): string | undefined {
	const { rootExecutionMode = context.getMode() } = additionalDataOf(context);
	if (rootExecutionMode !== 'retry') return String(rootExecutionMode);
	const { source } = contextOf(context);
	// n8n does not keep how the parent was started.
	return source === 'integrated' ? undefined : source;
}

/** What n8n, from 1.115 on, keeps for all retries of an execution; nothing where a retry itself has made it. */
function contextOf(context: IExecuteFunctions): { establishedAt?: number; source?: string } {
	const kept = context.getExecutionContext?.();
	return kept === undefined || kept.source === 'retry' ? {} : kept;
}

/** How many steps this execution has made before this one, without those that it took over when it began. */
function stepsBefore(context: IExecuteFunctions): number {
	// n8n counts a step when it begins.
	return Number(additionalDataOf(context).currentNodeExecutionIndex ?? 0) - 1;
}

/** What n8n knows of the execution besides its data. */
function additionalDataOf(context: IExecuteFunctions): IDataObject {
	return 'additionalData' in context ? asObject(context.additionalData) : {};
}

/** Whether n8n made up the output of a step. */
function isMadeUp({ data }: IDataObject): boolean {
	const [item] = [asObject(data).main].flat(2);
	return asObject(asObject(item).json).isArtificialRecoveredEventItem === true;
}

/** The steps of the execution so far, including those that a retry took over from the retried one. */
function stepsOf(context: IExecuteFunctions): IDataObject[] {
	const runs = Object.values(asObject(asObject(dataOf(context).resultData).runData));
	return runs.flat().map(asObject);
}

/** What n8n stores of the execution. */
function dataOf(context: IExecuteFunctions): IDataObject {
	return 'runExecutionData' in context ? asObject(context.runExecutionData) : {};
}

/** The number of this run of the node in its execution: a loop has several. */
export function runIndexOf(context: IExecuteFunctions): number {
	return Number(context.getWorkflowDataProxy(0).$runIndex);
}

/** Whether the node runs as the tool of an AI agent: n8n gives it a node type of its own for that. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/**
 * Whether failed items are output with their errors while the others continue: if "On Error" says so, and always for a
 * tool. Tools have no "On Error": when one fails, n8n gives the model an empty answer or ends the agent.
 */
export function continuesOnFail(context: IExecuteFunctions): boolean {
	return context.continueOnFail() || isTool(context);
}

/**
 * Makes a context with which n8n's request helper breaks off a request only when the request's own signal aborts.
 * Otherwise it would do so when the execution is cancelled, but what a write did matters even then.
 */
export function withOwnSignal<Context extends object>(
	context: Context,
	{ abortSignal }: IHttpRequestOptions,
): Context {
	const caller: Context = Object.create(context, {
		getExecutionCancelSignal: { value: () => abortSignal },
	});
	return caller;
}

/**
 * Sends an item to the error output: n8n sends a copy of each item with an `error` there. Later, it replaces the fields of
 * items with an `error` by the bare message. The copy keeps its fields, since this `error` is not enumerable, and so not
 * copied.
 */
export function routeToErrorOutput(item: INodeExecutionData, error: Error): void {
	Object.defineProperty(item, 'error', { value: error });
}

/** The word by which n8n takes a failed execution for one that somebody has canceled. */
const CANCELED = /canceled/gi;

/** Respells that word in the message of another failure, for which n8n would otherwise offer no retry. */
export function withoutCancel(message: string): string {
	return message.replace(CANCELED, (word) => `${word.slice(0, 5)}l${word.slice(5)}`);
}
