/** All that relies on how n8n works inside, and that its documentation does not promise: look here after an update. */
import {
	type IDataObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
} from 'n8n-workflow';
import { asObject } from '../api/json';

/** What is known of a run of the node when it begins. */
export type Evidence =
	/** The execution is new, so nothing was sent. */
	| 'firstTry'
	/** An earlier try of this very run has left its journal, which says what was sent. */
	| 'journal'
	/** The execution is a retry, and this run had not begun before. */
	| 'notBegun'
	/** The execution is a retry, and nothing tells what was sent. */
	| 'nothing';

/**
 * What n8n's data prove of a run of the node. In a retry, something may be sent only on `journal` and on `notBegun`.
 *
 * | How the first execution ended                              | What a retry has                             | Evidence   |
 * | ---------------------------------------------------------- | -------------------------------------------- | ---------- |
 * | this node failed, also in a round of a loop                | its journal                                  | `journal`  |
 * | Retry On Fail runs the node again                          | its journal                                  | `journal`  |
 * | timed out while this node was under way                    | its journal                                  | `journal`  |
 * | an earlier node failed                                     | the steps before that one                    | `notBegun` |
 * | a later node failed, in a loop that comes back to this one | the steps of earlier rounds                  | `notBegun` |
 * | n8n was killed, and its event log is there                 | steps that n8n has made up from the log      | `nothing`  |
 * | n8n was killed without its event log, or a worker was, or the queue was recovered | no steps: it begins anew, long after the execution did | `nothing` |
 * | a retry of one of these failed in an earlier node          | steps of a beginning long after the execution's | `nothing` |
 * | n8n was killed during this node, with Save Execution Progress | the steps before it: it begins with this node | `nothing` |
 * | somebody stopped it                                        | an error beside the data                     | `nothing`  |
 * | n8n 1: n8n was killed                                      | a context that the retry itself has made     | `nothing`  |
 * | its data are from an n8n that has no such context          | no context                                   | `nothing`  |
 * | n8n was killed after a Wait node                           | the steps before the Wait node               | `notBegun` |
 *
 * The last row is no proof, and looks like that of an earlier node that failed. So in an execution that goes on after a
 * wait, each write is claimed in n8n's store before it is sent, and a retry finds it there: see `isContinued`.
 *
 * @param hasJournal whether the execution keeps a journal of this run
 */
export function evidenceOf(context: IExecuteFunctions, hasJournal: boolean): Evidence {
	if (hasJournal) return 'journal';
	if (context.getMode() !== 'retry') return 'firstTry';
	return provesNotBegun(context) ? 'notBegun' : 'nothing';
}

/** Milliseconds from the moment at which an execution began to its first step, at most. Nobody retries one sooner. */
const LONGEST_BEGINNING = 5_000;

function provesNotBegun(context: IExecuteFunctions): boolean {
	const { establishedAt, source } = contextOf(context);
	if (establishedAt === undefined || source === 'retry') return false;
	const { error, runData } = resultOf(context);
	const steps = Object.values(asObject(runData)).flat().map(asObject);
	if (error !== undefined || steps.some(isMadeUp)) return false;
	const first = steps.reduce(
		(least, { startTime }) => Math.min(least, Number(startTime)),
		Infinity,
	);
	if (!(first - establishedAt < LONGEST_BEGINNING)) return false;
	// A tool is a part of another step, which is the one that counts.
	const before = stepsBefore(context);
	return isTool(context) || (before > 0 && steps.length > before);
}

/** Whether n8n goes on with what it had stored of an execution: in a retry, or after a wait. */
export function isContinued(context: IExecuteFunctions): boolean {
	if (context.getMode() === 'retry') return true;
	if (isTool(context)) return false;
	const runs = Object.values(asObject(resultOf(context).runData));
	const steps = runs.reduce((sum: number, each) => sum + [each].flat().length, 0);
	return steps > stepsBefore(context);
}

/**
 * A name for an execution, all its retries, and theirs; undefined where n8n does not tell it. Executions of the same
 * millisecond share it, so it may say what is not to be sent, and never what may be.
 */
export function chainOf(context: IExecuteFunctions): string | undefined {
	const { establishedAt, source } = contextOf(context);
	return source === 'retry' ? undefined : establishedAt?.toString();
}

/**
 * How the execution was started, or the one that it retries: `manual`, `webhook` and so on; undefined where n8n does not
 * tell it of a retry.
 */
export function startedBy(context: IExecuteFunctions): string | undefined {
	const mode = context.getMode();
	if (mode !== 'retry') return mode;
	const { source } = contextOf(context);
	return source === 'retry' ? undefined : source;
}

/** What n8n keeps for all retries of an execution. Versions before 1.115 have nothing of the kind. */
function contextOf(context: IExecuteFunctions): { establishedAt?: number; source?: string } {
	return context.getExecutionContext?.() ?? {};
}

/** How many steps this execution has made before this one, not counting those that it had from the beginning. */
function stepsBefore(context: IExecuteFunctions): number {
	const data = 'additionalData' in context ? asObject(context.additionalData) : {};
	// n8n counts a step when it begins.
	return Number(data.currentNodeExecutionIndex ?? 0) - 1;
}

/** Whether n8n has made up what a step gave. */
function isMadeUp({ data }: IDataObject): boolean {
	const [item] = [asObject(data).main].flat(2);
	return asObject(asObject(item).json).isArtificialRecoveredEventItem === true;
}

/** What the execution has got so far, including what a retry got from the retried one. */
function resultOf(context: IExecuteFunctions): IDataObject {
	const data = 'runExecutionData' in context ? asObject(context.runExecutionData) : {};
	return asObject(data.resultData);
}

/** The number of this run of the node in its execution: a loop has several. */
export function runIndexOf(context: IExecuteFunctions): number {
	return Number(context.getWorkflowDataProxy(0).$runIndex);
}

/** Whether the node runs as the tool of an AI agent: n8n makes a type with another name of it. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/**
 * A context with which n8n's request helper breaks a request off only when the request's own signal says so. By itself, it
 * does when the execution is cancelled; but what a write did matters even then.
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
 * Sends an item to the error output. n8n sends a copy of an item with an `error` of its own there. Later, it replaces the
 * fields of items that have an `error` with the bare message. The copy keeps its fields, since only enumerable properties
 * are copied.
 */
export function routeToErrorOutput(item: INodeExecutionData, error: Error): void {
	Object.defineProperty(item, 'error', { value: error });
}

/** The word by which n8n takes a failed execution for one that somebody has canceled. */
const CANCELED = /canceled/gi;

/** A message that n8n does not take for that of a cancel: it would offer no retry. */
export function withoutCancel(message: string): string {
	return message.replace(CANCELED, (word) => `${word.slice(0, 5)}l${word.slice(5)}`);
}
