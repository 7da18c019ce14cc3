import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { MAX_CALLS } from '../api/callQueue';
import { asObject } from '../api/json';
import { Pacers } from '../api/pacer';
import type { Clock } from '../api/time';
import { systemClock } from '../n8n/clock';
import { accountKeyOf, connect } from '../n8n/connection';
import { toNodeError } from '../n8n/errors';
import { SharedKeys } from '../once/claims';
import { Journal, UnknownOutcome } from '../once/journal';
import { Ledger, writeOnce } from '../once/ledger';
import { findOperation } from '../operations';
import type {
	Operation,
	ReadOperation,
	Run,
	WriteOperation,
	WriteRun,
} from '../operations/operation';
import { openOnlyCredential } from '../panel/credential';
import { continuesOnFail } from '../panel/tool';
import { Problem } from '../words/problem';
import {
	handleItems,
	type ItemFailure,
	type Perform,
	type Results,
	toFailedItems,
	toOutput,
} from './items';
import { acceptedIn, RunNotices, summarize, sumUp, TO_SEND_THE_REST } from './report';

/** What keeps the writes of a run from happening twice. */
interface Writes {
	journal: Journal;
	ledger: Ledger;
}

/** What the items of a run share, whatever its operation does. */
interface CommonRun extends Run {
	notices: RunNotices;
	/** Ends the run, so that nothing more begins. */
	end(): void;
}

/** A run that is ready to handle its items. */
interface ReadyRun extends CommonRun {
	/** Undefined for a run that only reads. */
	writes?: Writes;
	perform: Perform;
	concurrency?: number;
}

/** Runs the chosen operation for every input item; the output is in the order of the input. */
export async function runOperation(
	context: IExecuteFunctions,
	process: ProcessState,
): Promise<INodeExecutionData[]> {
	// An item may have no fields at all, but only a file.
	const input = context.getInputData().map(({ json }) => asObject(json));
	if (input.length === 0) return [];
	let journal: Journal | undefined;
	let run: ReadyRun;
	try {
		const operation = chosenOperation(context);
		const begin = async () => await prepare(context, process, input.length);
		if (operation.writes) {
			journal = new Journal(context);
			run = prepareWrites(operation, await begin(), journal, process);
		} else {
			run = prepareReads(operation, await begin());
		}
	} catch (error) {
		return unbegun(context, error, input, journal);
	}
	return await handleAll(run, input);
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
	{ clock, pacers, maxCalls }: ProcessState,
	itemCount: number,
): Promise<CommonRun> {
	const ended = new AbortController();
	const cancelled = context.getExecutionCancelSignal();
	const signal = cancelled ? AbortSignal.any([cancelled, ended.signal]) : ended.signal;
	const credential = await openOnlyCredential(context, itemCount);
	const client = connect(context, credential, { clock, pacers, maxCalls, signal });
	const shared: object[] = [];
	return {
		context,
		clock,
		rawParameters: context.getNode().parameters,
		client,
		notices: new RunNotices(),
		signal,
		end: () => ended.abort(),
		shared: (Type) => {
			for (const value of shared) if (value instanceof Type) return value;
			const value = new Type();
			shared.push(value);
			return value;
		},
	};
}

function prepareReads(operation: ReadOperation, run: CommonRun): ReadyRun {
	const { concurrency } = operation;
	return { ...run, concurrency, perform: async (item) => await operation.execute(item, run) };
}

/**
 * Adds what a run of an operation that writes needs.
 *
 * @throws {Problem} when an earlier try has written to another account.
 */
function prepareWrites(
	operation: WriteOperation,
	common: CommonRun,
	journal: Journal,
	process: ProcessState,
): ReadyRun {
	const { context, client, notices } = common;
	const { account } = client;
	const { accountIs, concurrency } = operation;
	const isOfCredential = accountIs === 'credential';
	const accountKey = isOfCredential ? accountKeyOf(context, account) : account.baseUrl.href;
	const team = isOfCredential ? undefined : accountIs(common.rawParameters);
	journal.useAccount(JSON.stringify([accountKey, team]));
	const ledger = new Ledger(context, client.ended, process);
	const run: WriteRun = {
		...common,
		accountKey,
		once: async (write, send) => await writeOnce({ journal, ledger, notices }, write, send),
	};
	const perform: Perform = async (item) => await operation.execute(item, run);
	return { ...common, writes: { journal, ledger }, concurrency, perform };
}

/**
 * The output of a run that could not begin.
 *
 * @throws {NodeApiError | NodeOperationError} unless failed items are output.
 */
function unbegun(
	context: IExecuteFunctions,
	error: unknown,
	input: readonly IDataObject[],
	journal: Journal | undefined,
): INodeExecutionData[] {
	const mayHaveSent = journal?.mayHaveSent === true;
	if (!continuesOnFail(context)) {
		// Whoever starts the workflow anew would send again what earlier tries have sent.
		const addition = mayHaveSent ? TO_SEND_THE_REST : '';
		throw toNodeError(context.getNode(), error, { addition });
	}
	// n8n itself would pass the input on as if it had been handled.
	const outcome = journal && (mayHaveSent ? 'unknown' : 'refused');
	return input.flatMap((json, itemIndex) =>
		toFailedItems(context, { error, outcome }, json, itemIndex),
	);
}

/** Handles all items, and ends the run with its output or with the failure that ends it. */
async function handleAll(run: ReadyRun, input: IDataObject[]): Promise<INodeExecutionData[]> {
	const { context, client, notices, writes } = run;
	const continues = continuesOnFail(context);
	const failures: ItemFailure[] = [];
	const results = await handleItems(input, run, run, (failure) => {
		failures.push(failure);
		// The rest is sent even if an earlier try left an item unknown.
		if (!continues && !(failure.error instanceof UnknownOutcome)) run.end();
	});
	await writes?.ledger.finish();
	// n8n discards the output of a cancelled execution, but counts it as failed if there is an error.
	const isCancelled = context.getExecutionCancelSignal()?.aborted === true;
	const failure = continues || isCancelled ? undefined : endingFailure(failures);
	const output = failure ? [] : toOutput(run, input, results, writes !== undefined);
	const isLast = !failure && !isCancelled && !mayBeTriedAgain(context, output);
	const sum = writes && !failure ? sumUp(results) : '';
	notices.show(context, client.account.redactor, sum);
	// The journal is kept until the very end, when nothing can fail any more.
	if (isLast) writes?.journal.end(acceptedIn(results));
	if (failure) throw errorOf(run, failure, results);
	return output;
}

/** The error of a run, with what became of its items where it writes. */
function errorOf(
	{ context, client, writes }: ReadyRun,
	{ error, itemIndex }: ItemFailure,
	results: Results,
) {
	const { redactor } = client.account;
	const isRetryable = context.getMode() !== 'integrated';
	const addition = writes ? summarize(results, { isRetryable, journal: writes.journal }) : '';
	return toNodeError(context.getNode(), error, { itemIndex, addition, redactor });
}

/**
 * Whether n8n may run the node again although it did not fail. Unless it was the last try, an `error` in its first output
 * item is enough for Retry On Fail; in n8n 1, even one that is null.
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

/** What all runs of the action node share, in one process of n8n. */
export class ProcessState {
	readonly clock: Clock;
	readonly pacers: Pacers;
	readonly keys: SharedKeys;
	/** The most calls of a run under way at once. */
	readonly maxCalls: number;

	constructor({
		clock = systemClock,
		pacers = new Pacers(clock),
		keys = new SharedKeys(),
		maxCalls = MAX_CALLS,
	}: Partial<ProcessState> = {}) {
		this.clock = clock;
		this.pacers = pacers;
		this.keys = keys;
		this.maxCalls = maxCalls;
	}
}
