import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { MAX_CALLS } from '../api/callQueue';
import { asObject } from '../api/json';
import { Pacers } from '../api/pacer';
import { RequestFailure } from '../api/request';
import type { Clock } from '../api/time';
import { systemClock } from '../n8n/clock';
import { accountIdOf, connect } from '../n8n/connection';
import { toNodeError } from '../n8n/errors';
import { continuesOnFail } from '../n8n/private';
import { SharedKeys } from '../once/claims';
import { Journal, NotSentAgain } from '../once/journal';
import { Ledger, writeOnce } from '../once/ledger';
import { findOperation } from '../operations';
import type { Item, Operation, Run, WriteOperation, WriteRun } from '../operations/operation';
import { openOnlyCredential } from '../panel/credential';
import { Problem } from '../words/problem';
import { handleItems, type Handling, type ItemFailure, toFailedItems, toOutput } from './items';
import { acceptedIn, RunNotices, summarize, sumUp, TO_SEND_THE_REST } from './report';

/** What the items of a run share, whatever its operation does. */
interface CommonRun extends Run {
	notices: RunNotices;
	/** Ends the run, so that nothing more begins. */
	end(): void;
}

/** Runs the chosen operation for every input item; the output is in the order of the input. */
export async function runOperation(
	context: IExecuteFunctions,
	state: ProcessState,
): Promise<INodeExecutionData[]> {
	// An item may have no fields at all, but only a file.
	const input = context.getInputData().map(({ json }) => asObject(json));
	if (input.length === 0) return [];
	let journal: Journal | undefined;
	let run: CommonRun & Handling;
	try {
		const operation = chosenOperation(context);
		if (operation.writes) {
			journal = new Journal(context);
			const common = await prepare(context, state, input.length);
			run = prepareWrites(operation, common, journal, state);
		} else {
			const common = await prepare(context, state, input.length);
			const { concurrency } = operation;
			const perform = async (item: Item) => await operation.execute(item, common);
			run = { ...common, concurrency, perform };
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
 * @throws {Problem} when the credential cannot be used.
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
	const shared = new Map<unknown, object>();
	return {
		context,
		clock,
		rawParameters: context.getNode().parameters,
		client,
		notices: new RunNotices(),
		signal,
		end: () => ended.abort(),
		shared: (Type) => {
			const known = shared.get(Type);
			if (known instanceof Type) return known;
			const made = new Type();
			shared.set(Type, made);
			return made;
		},
	};
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
	state: ProcessState,
): CommonRun & Handling {
	const { context, client, notices } = common;
	const { account } = client;
	const { webhookOf, whomOf, concurrency } = operation;
	// A webhook belongs to one team, whichever credential is chosen.
	const accountId = webhookOf ? account.baseUrl.href : accountIdOf(context, account);
	const { rawParameters } = common;
	journal.useAccount(
		JSON.stringify([accountId, webhookOf?.(rawParameters)]),
		whomOf?.(rawParameters),
	);
	const ledger = new Ledger(context, client.endSignal, state);
	const memories = { journal, ledger, notices };
	const run: WriteRun = {
		...common,
		once: async ({ key, ...write }, send) => {
			const inAllRuns = key && `once:${accountId}:${key}`;
			return await writeOnce(memories, { ...write, key: inAllRuns }, send);
		},
	};
	const perform = async (item: Item) => await operation.execute(item, run);
	return { ...common, memories, concurrency, perform };
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
	if (!continuesOnFail(context)) {
		// Whoever starts the workflow anew would send again what earlier tries have sent.
		const addition = journal?.mayHaveSent ? TO_SEND_THE_REST : '';
		throw toNodeError(context.getNode(), error, { addition });
	}
	// n8n itself would pass the input on as if it had been handled.
	const outcome = journal && (journal.mayHaveBegun ? 'unknown' : 'refused');
	return input.flatMap((json, itemIndex) =>
		toFailedItems(context, { itemIndex, error, outcome }, json),
	);
}

/**
 * Handles all items, and ends the run with its output.
 *
 * @throws {NodeApiError | NodeOperationError} when an item failed and the others do not go on: its failure, with what
 *   became of all items where they are written.
 */
async function handleAll(
	run: CommonRun & Handling,
	input: IDataObject[],
): Promise<INodeExecutionData[]> {
	const { context, client, notices, memories } = run;
	const { redactor } = client.account;
	const continues = continuesOnFail(context);
	// They are in the order in which they came, since the end of the run makes others fail.
	const failures: ItemFailure[] = [];
	const results = await handleItems(input, run, (failure) => {
		failures.push(failure);
		// The rest is sent even if an earlier try left an item unknown.
		if (!continues && isOfThisTry(failure)) run.end();
	});
	if (memories?.journal.mayHaveSentUnread) {
		// An item that could not be read may be one that an earlier try has sent.
		const unread = failures.filter(({ error }) => !(error instanceof RequestFailure));
		for (const failure of unread) failure.outcome = 'unknown';
	}
	await memories?.ledger.finish();
	// Or else the queue would look at a service that failed for two minutes more.
	run.end();
	// n8n discards the output of a cancelled execution, but counts it as failed if there is an error.
	const isCancelled = context.getExecutionCancelSignal()?.aborted === true;
	const failure = failures.find(isOfThisTry) ?? failures.at(0);
	if (failure && !continues && !isCancelled) {
		notices.show(context, redactor);
		const { itemIndex, error } = failure;
		const isRetryable = context.getMode() !== 'integrated';
		const addition = memories && summarize(results, isRetryable, memories.journal);
		throw toNodeError(context.getNode(), error, { itemIndex, addition, redactor });
	}
	const output = toOutput(run, input, results);
	notices.show(context, redactor, memories && sumUp(results));
	// The journal is kept until the very end, when nothing can fail any more.
	if (!isCancelled && !mayBeTriedAgain(context, output)) memories?.journal.end(acceptedIn(results));
	return output;
}

function isOfThisTry({ error }: ItemFailure): boolean {
	return !(error instanceof NotSentAgain);
}

/**
 * Whether n8n may run the node again although it did not fail. Unless it was the last try, an `error` in its first output
 * item is enough for Retry On Fail; in n8n 1, even one that is null.
 */
function mayBeTriedAgain(context: IExecuteFunctions, [first]: INodeExecutionData[]): boolean {
	return context.getNode().retryOnFail === true && first?.json.error !== undefined;
}

/** What all runs of the action node share, in one process of n8n. */
export interface ProcessState {
	clock: Clock;
	pacers: Pacers;
	keys: SharedKeys;
	/** The most calls of a run under way at once. */
	maxCalls: number;
}

/** Makes what runs share, at the start of a process. */
export function newProcessState(clock = systemClock): ProcessState {
	return { clock, pacers: new Pacers(clock), keys: new SharedKeys(), maxCalls: MAX_CALLS };
}
