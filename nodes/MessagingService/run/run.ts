import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { isObject } from '../api/json';
import { RequestFailure } from '../api/request';
import { accountKeyOf, connect } from '../connection';
import { toNodeError } from '../nodeError';
import { Problem } from '../problem';
import { continuesOnFail } from '../panel/tool';
import { findOperation } from '../resources';
import type { Operation, Result, Run, RunningOperation } from '../resources/operation';
import { ItemLoop } from './itemLoop';
import { Journal, UnknownOutcome } from './journal';
import { onceInRetries } from './onceInRetries';
import { toFailedItems, toOutput } from './output';
import { Notices, summarize } from './report';

/** Runs the chosen operation for every input item; what comes out is in the order of the input. */
export async function runOperation(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	// An item may have nothing but a file: n8n does not see to it that each has fields.
	const input = context.getInputData().map(({ json }) => (isObject(json) ? json : {}));
	if (input.length === 0) return [];
	let started: StartedRun;
	try {
		started = await start(context, chosenOperation(context), input);
	} catch (error) {
		if (!continuesOnFail(context)) throw toNodeError(context.getNode(), error);
		// n8n itself would pass the input on as if it had been handled.
		return input.flatMap((json, itemIndex) => toFailedItems(context, error, { json, itemIndex }));
	}
	return await conclude(started, await started.loop.handleAll());
}

function chosenOperation(context: IExecuteFunctions): Operation {
	const resource = context.getNodeParameter('resource', 0);
	const name = context.getNodeParameter('operation', 0);
	const operation = findOperation(resource, name);
	if (operation) return operation;
	throw new Problem(
		`There is no operation "${name}" for "${resource}"`,
		'Choose a resource and an operation from the lists.',
	);
}

/** A run that is ready to handle its items. */
interface StartedRun {
	run: Run;
	loop: ItemLoop;
	notices: Notices;
	running: RunningOperation;
	/** Of what writes, and is no test. */
	journal?: Journal;
}

async function start(
	context: IExecuteFunctions,
	operation: Operation,
	input: IDataObject[],
): Promise<StartedRun> {
	const client = await connect(context, input.length);
	const notices = new Notices();
	let onAllBegun = () => {};
	const run: Run = {
		context,
		input,
		panel: context.getNode().parameters,
		client,
		accountKey: accountKeyOf(context, client.account),
		notices,
		allBegun: new Promise<void>((resolve) => (onAllBegun = resolve)),
	};
	const running = operation.start(run);
	const { isTest = false, concurrency = 1 } = running;
	const journal = operation.writes && !isTest ? new Journal(context, input) : undefined;
	const isRetry = journal !== undefined && context.getMode() === 'retry';
	const loop = new ItemLoop({
		run,
		handling: isRetry ? onceInRetries(run, running, journal) : running,
		concurrency,
		journal,
		continues: isTest || continuesOnFail(context),
		onAllBegun,
		onAbandoned: () => running.abandon?.(),
	});
	return { run, loop, notices, running, journal };
}

/**
 * Ends a run: with its output, or with the failure that ends it. What came of the items is kept before anything else can
 * fail, and whatever the operation has to say comes before the notices are shown.
 */
async function conclude(
	{ run, notices, running, journal }: StartedRun,
	results: ReadonlyArray<Result | undefined>,
): Promise<INodeExecutionData[]> {
	const { context, input, client } = run;
	const { redactor } = client.account;
	const { isTest = false } = running;
	const failure = continuesOnFail(context) ? undefined : failureOf(results, { isTest });
	const output = failure ? [] : toOutput(run, results);
	// Of an execution that was stopped, n8n hands nothing on.
	const isStopped = context.getExecutionCancelSignal()?.aborted === true;
	const isLast = !failure && !isStopped && !isTriedAgain(context, output);
	journal?.save(results, { isLast });
	running.finish?.();
	if (isLast) await running.succeed?.();
	notices.show(context, redactor);
	if (!failure) return output;

	const isRetryable = context.getMode() !== 'integrated';
	const needsSummary = journal !== undefined && (input.length > 1 || !isRetryable);
	const addition = needsSummary ? summarize(results, { isRetryable }) : '';
	const { error, itemIndex } = failure;
	throw toNodeError(context.getNode(), error, { itemIndex, addition, redactor });
}

/** Whether n8n runs the node again although it did not fail: with Retry On Fail, an `error` in its first item is enough. */
function isTriedAgain(context: IExecuteFunctions, [first]: INodeExecutionData[]): boolean {
	const error = first?.json.error ?? false;
	return context.getNode().retryOnFail === true && error !== false;
}

/** A failure that ends the run, and the item that it is of. */
interface ItemFailure {
	itemIndex: number;
	error: unknown;
}

/**
 * The failure that a run ends with where one ends it: the first of this try, or else what an earlier one left unknown.
 * A test shows all items, the bad ones too, unless there are no others, or a text to the test number was refused.
 */
function failureOf(
	results: ReadonlyArray<Result | undefined>,
	{ isTest }: { isTest: boolean },
): ItemFailure | undefined {
	const failures = results.flatMap((result, itemIndex): ItemFailure[] =>
		result && 'error' in result ? [{ itemIndex, error: result.error }] : [],
	);
	const first = failures.find(({ error }) => !(error instanceof UnknownOutcome)) ?? failures.at(0);
	const hasOthers = results.some((result) => result?.outcome === 'accepted');
	return isTest && hasOthers && !(first?.error instanceof RequestFailure) ? undefined : first;
}
