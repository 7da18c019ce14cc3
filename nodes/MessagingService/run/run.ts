import {
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { forEachConcurrently } from '../api/concurrency';
import { IncompleteList } from '../api/list';
import { mayHaveBeenAccepted } from '../api/requestFailure';
import { connect } from '../connection';
import { Problem, toNodeError } from '../nodeError';
import { readConcurrency, readTransport } from '../panel/options';
import { Parameters } from '../panel/parameters';
import { findOperation } from '../resources';
import type { Operation, Output, Run } from '../resources/operation';
import { EarlierTries } from './earlierTries';
import { Notices } from './notices';
import { Progress } from './progress';
import { formatRanges } from './ranges';

interface ItemFailure {
	itemIndex: number;
	error: unknown;
}

type Outputs = Array<INodeExecutionData[] | undefined>;

/** Runs the chosen operation for every input item; what comes out is in the order of the input. */
export async function runOperation(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const input = context.getInputData();
	if (input.length === 0) return [];
	const node = context.getNode();
	const notices = new Notices();
	let operation: Operation;
	let run: Run;
	try {
		operation = chosenOperation(context);
		run = {
			context,
			panel: node.parameters,
			client: await connect(context),
			concurrency: readConcurrency(new Parameters(context, 0)),
			notices,
		};
	} catch (error) {
		if (!context.continueOnFail()) throw toNodeError(node, error);
		// n8n itself would pass the input on as if it had been handled.
		return input.flatMap((_, itemIndex) => toFailedItems(context, error, itemIndex));
	}

	const { failures, outputs } = await handleItems(run, operation, input);
	notices.show(context);
	const [first] = failures;
	if (!first) return outputs.flatMap((items) => items ?? []);
	const summary = operation.writes && input.length > 1 ? summarize(outputs, failures) : '';
	throw toNodeError(node, first.error, first.itemIndex, summary);
}

function chosenOperation(context: IExecuteFunctions): Operation {
	const resource = context.getNodeParameter('resource', 0);
	const name = context.getNodeParameter('operation', 0);
	const operation = findOperation(resource, name);
	if (operation) return operation;
	throw new Problem(
		`There is no operation "${name}" for "${resource}"`,
		'Choose the resource and the operation from their lists.',
	);
}

async function handleItems(
	run: Run,
	{ start, sideBySide }: Operation,
	input: INodeExecutionData[],
): Promise<{ outputs: Outputs; failures: ItemFailure[] }> {
	const { context, client, concurrency } = run;
	const outputs: Outputs = new Array(input.length);
	const failures: ItemFailure[] = [];
	const earlierTries = new EarlierTries(context);
	const progress = new Progress(context, client.traffic, input.length);
	const running = start(run);

	await forEachConcurrently(input.length, sideBySide ? concurrency : 1, async (itemIndex) => {
		const item = input[itemIndex];
		try {
			const parameters = new Parameters(context, itemIndex);
			const itemClient = client.with(readTransport(parameters));
			const output = await earlierTries.orNow(
				item,
				async () => await running.execute({ json: item.json, parameters, client: itemClient }),
			);
			outputs[itemIndex] = toItems(output, itemIndex);
		} catch (error) {
			if (context.continueOnFail()) outputs[itemIndex] = toFailedItems(context, error, itemIndex);
			else failures.push({ itemIndex, error });
		}
		progress.itemDone();
		return failures.length === 0;
	});

	await running.finish?.();
	progress.finish();
	return { outputs, failures };
}

function toItems(output: Output, itemIndex: number): INodeExecutionData[] {
	return [output].flat().map((json) => ({ json, pairedItem: { item: itemIndex } }));
}

/** What was read before the failure, and then the failure itself. */
function toFailedItems(
	context: IExecuteFunctions,
	failure: unknown,
	itemIndex: number,
): INodeExecutionData[] {
	const items = failure instanceof IncompleteList ? failure.items : [];
	const error = toNodeError(context.getNode(), failure, itemIndex);
	const description =
		error instanceof NodeApiError || error instanceof NodeOperationError ? error.description : '';
	// These are the names by which n8n tells a failed item from others, in all of its versions. Setting
	// the item's own `error` as well would make n8n throw the description away.
	const json = { error: error.message, ...(description ? { message: description } : {}) };
	return [...toItems(items, itemIndex), ...toItems(json, itemIndex)];
}

/** What became of each item of a run that failed and has written. */
function summarize(outputs: Outputs, failures: readonly ItemFailure[]): string {
	const indexesOf = (some: readonly ItemFailure[]) =>
		some.map(({ itemIndex }) => itemIndex).sort((a, b) => a - b);
	const failed = indexesOf(failures);
	const inDoubt = indexesOf(failures.filter(({ error }) => mayHaveBeenAccepted(error)));
	const indexes = [...outputs.keys()];
	const done = indexes.filter((index) => outputs[index] !== undefined);
	const notSent = indexes.filter(
		(index) => outputs[index] === undefined && !failed.includes(index),
	);
	// Whoever mends the first failure and runs again must know of others that may have been accepted.
	const doubt =
		inDoubt.length === 0
			? ''
			: ` In doubt: ${formatRanges(inDoubt)}. The service may have acted on these, so look there before you repeat them.`;
	return `Items done: ${formatRanges(done)}. Failed: ${formatRanges(failed)}.${doubt} Not sent: ${formatRanges(notSent)}.`;
}
