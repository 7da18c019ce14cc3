import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { asObject } from '../api/json';
import { RequestFailure } from '../api/request';
import { accountKeyOf, connect } from '../connection';
import { toNodeError } from '../nodeError';
import { Problem } from '../problem';
import { continuesOnFail } from '../panel/tool';
import { findOperation } from '../resources';
import type { Operation, OperationRun, Result, Run } from '../resources/operation';
import { ItemLoop } from './itemLoop';
import { Journal, UnknownOutcome } from './journal';
import { onceInRetries } from './onceInRetries';
import { toFailedItems, toOutput } from './output';
import { Notices, summarize } from './report';

/** Runs the chosen operation for every input item; the output is in the order of the input. */
export async function runOperation(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	// n8n does not make sure that each item has fields: it may have nothing but a file.
	const input = context.getInputData().map(({ json }) => asObject(json));
	if (input.length === 0) return [];
	try {
		const prepared = await prepare(context, chosenOperation(context), input);
		return await conclude(prepared, await prepared.loop.handleAll());
	} catch (error) {
		if (!continuesOnFail(context)) throw toNodeError(context.getNode(), error);
		// n8n itself would pass the input on as if it had been handled.
		return input.flatMap((json, itemIndex) => toFailedItems(context, error, { json, itemIndex }));
	}
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

const WOULD_FAIL = 'An item would fail: see its "error" in the output.';

/** A run that is ready to handle its items. */
interface PreparedRun {
	run: Run;
	operation: OperationRun;
	loop: ItemLoop;
	notices: Notices;
	/** For an operation that writes, and not in a test. */
	journal?: Journal;
}

async function prepare(
	context: IExecuteFunctions,
	{ writes, start }: Operation,
	input: IDataObject[],
): Promise<PreparedRun> {
	const client = await connect(context, input.length);
	const notices = new Notices();
	const run: Run = {
		context,
		input,
		panel: context.getNode().parameters,
		client,
		accountKey: accountKeyOf(context, client.account),
		notices,
	};
	const operation = start(run);
	const { isTest = false, concurrency = 1 } = operation;
	const journal = writes && !isTest ? new Journal(context, input) : undefined;
	const isRetry = journal !== undefined && context.getMode() === 'retry';
	const loop = new ItemLoop({
		run,
		handling: isRetry ? onceInRetries(run, operation, journal) : operation,
		concurrency,
		journal,
		continues: isTest || continuesOnFail(context),
		onAbandoned: () => operation.abandon?.(),
	});
	return { run, operation, loop, notices, journal };
}

/**
 * Ends a run with its output, or with the failure that ends it. The results are kept before the operation finishes,
 * which may fail; and it finishes before the notices are shown, since it may add some.
 */
async function conclude(
	{ run, operation, notices, journal }: PreparedRun,
	results: ReadonlyArray<Result | undefined>,
): Promise<INodeExecutionData[]> {
	const { context, client } = run;
	const failure = continuesOnFail(context) ? undefined : failureOf(results, operation);
	if (operation.isTest && !failure) {
		for (const result of results) if (result && 'error' in result) notices.add(WOULD_FAIL);
	}
	const output = failure ? [] : toOutput(run, results);
	// n8n discards the output of an execution that was stopped.
	const isStopped = context.getExecutionCancelSignal()?.aborted === true;
	const hasSucceeded = !failure && !isStopped;
	const isFinal = hasSucceeded && !mayBeTriedAgain(context, output);
	journal?.save(results, { isLast: isFinal });
	operation.finish?.();
	if (hasSucceeded) await operation.succeed?.(isFinal);
	notices.show(context, client.account.redactor);
	if (failure) throw errorOf(run, failure, journal && results);
	return output;
}

/** @param written the results of all items, where some may have been written */
function errorOf(
	{ context, input, client }: Run,
	{ error, itemIndex }: ItemFailure,
	written?: ReadonlyArray<Result | undefined>,
): Error {
	const { redactor } = client.account;
	const isRetryable = context.getMode() !== 'integrated';
	const needsSummary = written && (input.length > 1 || !isRetryable);
	const addition = needsSummary ? summarize(written, { isRetryable }) : '';
	return toNodeError(context.getNode(), error, { itemIndex, addition, redactor });
}

/**
 * Whether n8n may run the node again without a failure: for Retry On Fail, an `error` in its first item is enough,
 * unless it was the last try. In n8n 1, the `error` may even be null.
 */
function mayBeTriedAgain(context: IExecuteFunctions, [first]: INodeExecutionData[]): boolean {
	return context.getNode().retryOnFail === true && first?.json.error !== undefined;
}

/** A failure that ends the run, and the item that failed. */
interface ItemFailure {
	itemIndex: number;
	error: unknown;
}

/**
 * The failure that ends a run, if any: the first of this try, or else the first that an earlier try left unknown. A
 * test shows all items, the failed ones too, unless none was accepted, or a text to the test number failed.
 */
function failureOf(
	results: ReadonlyArray<Result | undefined>,
	{ isTest }: Pick<OperationRun, 'isTest'>,
): ItemFailure | undefined {
	const failures = results.flatMap((result, itemIndex): ItemFailure[] =>
		result && 'error' in result ? [{ itemIndex, error: result.error }] : [],
	);
	const first = failures.find(({ error }) => !(error instanceof UnknownOutcome)) ?? failures.at(0);
	const hasOthers = results.some((result) => result?.outcome === 'accepted');
	return isTest && hasOthers && !(first?.error instanceof RequestFailure) ? undefined : first;
}
