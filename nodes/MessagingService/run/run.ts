import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { forEachConcurrently } from '../api/concurrency';
import { isObject } from '../api/json';
import type { Redactor } from '../api/secrets';
import { TimeSlices } from '../api/timeSlices';
import { accountOf, connect } from '../connection';
import { Problem, toNodeError } from '../nodeError';
import { isOn, readConcurrency, readTransport, resendUncertain } from '../panel/options';
import { Parameters } from '../panel/parameters';
import { continuesOnFail } from '../panel/tool';
import { findOperation } from '../resources';
import type { Operation, Output, Run, RunningOperation } from '../resources/operation';
import { systemClock } from '../systemClock';
import { InDoubt, Journal, type Result } from './journal';
import { Notices } from './notices';
import { OtherRetries } from './otherRetries';
import { type InputItem, toFailedItems, toItems } from './output';
import { Progress } from './progress';
import { summarize } from './summary';

/** Why an item is in doubt that another retry began. */
const OTHER_RETRY = {
	reason: 'Another retry of this execution broke off, or has not ended',
	execution: 'another',
};

/** Runs the chosen operation for every input item; what comes out is in the order of the input. */
export async function runOperation(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	// An item may have nothing but a file: n8n does not see to it that each has fields.
	const input = context.getInputData().map(({ json }) => (isObject(json) ? json : {}));
	if (input.length === 0) return [];
	try {
		return await handleItems(context, chosenOperation(context), input);
	} catch (error) {
		if (!continuesOnFail(context)) throw toNodeError(context.getNode(), error);
		// n8n itself would pass the input on as if it had been handled.
		const results = input.map(() => ({ error }));
		return await toOutput(context, input, results, new TimeSlices(systemClock));
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

/** What the items of a run are handled by. */
interface Handling {
	run: Run;
	running: RunningOperation;
	/** What earlier tries of this run did; undefined where it does not matter whether an item is handled twice. */
	journal?: Journal;
	/** What other retries of the same execution did, where they matter. */
	others?: OtherRetries;
}

async function handleItems(
	context: IExecuteFunctions,
	operation: Operation,
	input: IDataObject[],
): Promise<INodeExecutionData[]> {
	const client = await connect(context);
	client.traffic.items = input.length;
	const notices = new Notices(client.redactor);
	let onAllBegun = () => {};
	const run: Run = {
		context,
		input,
		panel: context.getNode().parameters,
		client,
		account: accountOf(context, client),
		concurrency: readConcurrency(new Parameters(context, 0), operation.concurrency),
		notices,
		allBegun: new Promise<void>((resolve) => (onAllBegun = resolve)),
	};
	const running = operation.start(run);
	const isKept = operation.writes || running.hasEffects;
	const journal = isKept ? new Journal(context, running.isTrial) : undefined;
	const others = operation.writes && !running.isTrial ? OtherRetries.of(context) : undefined;
	const slices = new TimeSlices(systemClock);
	const results = await handleEach({ run, running, journal, others }, slices, onAllBegun);
	notices.show(context);
	const failure = continuesOnFail(context) ? undefined : findFailure(results);
	const output = failure ? [] : await toOutput(context, input, results, slices, client.redactor);
	const isLast = !failure && !isTriedAgain(context, output);
	await journal?.end(input, results, slices, { isLast });
	if (!failure) return output;
	// A retry runs the parent of a sub-workflow, and so the sub-workflow from its beginning.
	const isRetryable = context.getMode() !== 'integrated';
	const addition = operation.writes && input.length > 1 ? summarize(results, { isRetryable }) : '';
	const { error, itemIndex } = failure;
	const { redactor } = client;
	throw toNodeError(context.getNode(), error, { itemIndex, addition, redactor });
}

/** Handles the items, until one fails that ends the run: those that were not begun have no result. */
async function handleEach(
	handling: Handling,
	slices: TimeSlices,
	onAllBegun: () => void,
): Promise<Array<Result | undefined>> {
	const { run, running } = handling;
	const { context, input, client, concurrency } = run;
	const progress = new Progress(context, client.traffic, input.length);
	const results: Array<Result | undefined> = new Array(input.length);
	let failed = false;
	await forEachConcurrently(
		input.length,
		() => {
			if (running.order === 'together') return Infinity;
			return running.order ? Math.min(client.congestion.size, concurrency) : 1;
		},
		async (itemIndex) => {
			try {
				const item = { json: input[itemIndex], itemIndex };
				results[itemIndex] = { output: await handleItem(handling, item) };
			} catch (error) {
				results[itemIndex] = { error };
				// Of what an earlier try left in doubt nothing was sent now, so the rest goes on.
				if (!(error instanceof InDoubt)) {
					failed = true;
					if (!continuesOnFail(context)) running.abandon?.();
				}
			}
			progress.itemDone();
			return !failed || continuesOnFail(context);
		},
		{ slices, onAllBegun },
	);
	await running.finish?.();
	progress.finish();
	return results;
}

/** With Retry On Fail, n8n takes an `error` in the first item that comes out for a failure of the whole node. */
function isTriedAgain(context: IExecuteFunctions, [first]: INodeExecutionData[]): boolean {
	return context.getNode().retryOnFail === true && first?.json.error !== undefined;
}

async function handleItem(
	{ run, running, journal, others }: Handling,
	{ json, itemIndex }: InputItem,
): Promise<Output> {
	const parameters = new Parameters(run.context, itemIndex);
	const earlier = journal?.recall(itemIndex, json);
	if (earlier?.state === 'done') return earlier.output;
	if (earlier && !isResent(run.context, parameters, earlier.execution)) throw new InDoubt(earlier);
	const client = run.client.with(readTransport(parameters));
	const execute = async () => await running.execute({ json, parameters, client });
	if (!journal || !others) return await execute();
	const before = await others.begin(journal.nameOf(itemIndex, json));
	if (before.state === 'done') {
		const words = 'Another retry of this execution has already done this, so it was skipped.';
		run.notices.add(words, 'info', itemIndex);
		return { skipped: true };
	}
	const isWanted = before.state === 'untouched' || isResent(run.context, parameters);
	if (!isWanted) throw new InDoubt(OTHER_RETRY);
	return await others.handle(before, execute);
}

/** Whoever asks for it has looked at the service since. Between the tries of Retry On Fail, nobody has. */
function isResent(context: IExecuteFunctions, parameters: Parameters, tried?: string): boolean {
	return isOn(parameters, resendUncertain) && tried !== String(context.getExecutionId());
}

/** The first failure: of this try, or else what an earlier one left in doubt. */
function findFailure(
	results: ReadonlyArray<Result | undefined>,
): { itemIndex: number; error: unknown } | undefined {
	const failures = [...results.entries()].flatMap(([itemIndex, result]) =>
		result && 'error' in result ? [{ itemIndex, error: result.error }] : [],
	);
	return failures.find(({ error }) => !(error instanceof InDoubt)) ?? failures.at(0);
}

async function toOutput(
	context: IExecuteFunctions,
	input: readonly IDataObject[],
	results: ReadonlyArray<Result | undefined>,
	slices: TimeSlices,
	redactor?: Redactor,
): Promise<INodeExecutionData[]> {
	const output: INodeExecutionData[] = [];
	for (const [itemIndex, result] of results.entries()) {
		if (!result) continue;
		const items =
			'error' in result
				? toFailedItems(context, result.error, { json: input[itemIndex], itemIndex }, redactor)
				: toItems(result.output, itemIndex);
		for (const item of items) output.push(item);
		await slices.next();
	}
	return output;
}
