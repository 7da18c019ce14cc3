import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { asObject } from '../api/json';
import { accountKeyOf, connect } from '../n8n/connection';
import { toNodeError } from '../n8n/errors';
import { Problem } from '../words/problem';
import { openCredential } from '../panel/credential';
import { continuesOnFail } from '../panel/tool';
import { findOperation } from '../operations';
import type { Operation, Run } from '../operations/operation';
import { handleItems, type ItemFailure, type Results } from './items';
import { Journal } from '../once/journal';
import { Ledger } from '../once/ledger';
import { writeOnce } from '../once/writeOnce';
import { UnknownOutcome } from '../once/outcome';
import { toFailedItems, toOutput } from './output';
import type { ProcessState } from './process';
import { Notices, summarize } from './report';

/** A run that is ready to handle its items. */
interface ReadyRun extends Run {
	journal: Journal;
	ledger: Ledger;
	notices: Notices;
	/** Lets nothing begin any more. */
	end(): void;
}

/** Runs the chosen operation for every input item; the output is in the order of the input. */
export async function runOperation(
	context: IExecuteFunctions,
	process: ProcessState,
): Promise<INodeExecutionData[]> {
	// n8n does not make sure that each item has fields: it may have nothing but a file.
	const input = context.getInputData().map(({ json }) => asObject(json));
	if (input.length === 0) return [];
	const journal = new Journal(context);
	let operation: Operation | undefined;
	let run: ReadyRun;
	try {
		operation = chosenOperation(context);
		run = await prepare(context, process, journal, input.length);
	} catch (error) {
		if (!continuesOnFail(context)) throw toNodeError(context.getNode(), error);
		// This try has sent nothing. n8n itself would pass the input on as if it had been handled.
		const isRefused = operation?.writes && journal.hasSentNothing;
		const failure = isRefused ? { error, outcome: 'refused' as const } : { error };
		return input.flatMap((json, itemIndex) => toFailedItems(context, failure, json, itemIndex));
	}
	return await handleAll(run, operation, input);
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

/**
 * Makes what the items of a run share.
 *
 * @throws {Problem | BaseUrlError} when the credential cannot be used.
 */
async function prepare(
	context: IExecuteFunctions,
	process: ProcessState,
	journal: Journal,
	itemCount: number,
): Promise<ReadyRun> {
	const ended = new AbortController();
	const cancelled = context.getExecutionCancelSignal();
	const signal = cancelled ? AbortSignal.any([cancelled, ended.signal]) : ended.signal;
	const rawParameters = context.getNode().parameters;
	const { clock, pacers, maxCalls } = process;
	const credential = await openCredential(context);
	const client = connect(context, credential, {
		clock,
		pacers,
		maxCalls,
		signal,
		itemCount,
	});
	const notices = new Notices();
	const ledger = new Ledger(context, signal, process);
	const shared: object[] = [];
	return {
		context,
		clock,
		rawParameters,
		client,
		accountKey: accountKeyOf(context, client.account),
		notices,
		signal,
		journal,
		ledger,
		end: () => ended.abort(),
		once: async (write, send) => await writeOnce({ journal, ledger, notices }, write, send),
		shared: (Type) => {
			for (const value of shared) if (value instanceof Type) return value;
			const value = new Type();
			shared.push(value);
			return value;
		},
	};
}

/** Handles all items, and ends the run with its output or with the failure that ends it. */
async function handleAll(
	run: ReadyRun,
	operation: Operation,
	input: IDataObject[],
): Promise<INodeExecutionData[]> {
	const { context, client, journal, notices } = run;
	const continues = continuesOnFail(context);
	const failures: ItemFailure[] = [];
	const results = await handleItems(operation, input, run, (failure) => {
		failures.push(failure);
		// What an earlier try left unknown is no reason not to send the rest.
		if (!continues && !(failure.error instanceof UnknownOutcome)) run.end();
	});
	await run.ledger.finish();
	// n8n discards the output of an execution that was cancelled, and takes one with an error for failed.
	const isCancelled = context.getExecutionCancelSignal()?.aborted === true;
	const failure = continues || isCancelled ? undefined : endingFailure(failures);
	const output = failure ? [] : toOutput(run, input, results, operation.writes);
	const isLast = !failure && !isCancelled && !mayBeTriedAgain(context, output);
	notices.show(context, client.account.redactor);
	// At the very end, when nothing can fail any more.
	if (isLast) journal.end();
	if (failure) throw errorOf(run, failure, operation.writes ? results : []);
	return output;
}

/** @param written the results of all items, where some may have been written */
function errorOf({ context, client }: Run, { error, itemIndex }: ItemFailure, written: Results) {
	const { redactor } = client.account;
	const isRetryable = context.getMode() !== 'integrated';
	const needsSummary = written.length > (isRetryable ? 1 : 0);
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

/**
 * The failure that ends a run, if any: the first of this try, or else the first that an earlier try left unknown.
 *
 * @param failures in the order in which they came, since the end of the run makes others fail
 */
function endingFailure(failures: readonly ItemFailure[]): ItemFailure | undefined {
	return failures.find(({ error }) => !(error instanceof UnknownOutcome)) ?? failures.at(0);
}
