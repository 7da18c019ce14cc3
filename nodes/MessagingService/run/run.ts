import {
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { IncompleteList } from './fields/list';
import { readConcurrency, readTransport } from './fields/options';
import { Parameters } from './fields/parameters';
import { formatRanges } from './fields/ranges';
import { EarlierTries } from './memory/earlierTries';
import { Notices } from './notices';
import { Progress } from './progress';
import { findOperation } from './resources';
import type { Operation, Output } from './resources/operation';
import { type Client, createClient } from './transport/client';
import { forEachConcurrently } from './transport/concurrency';
import { mayHaveBeenAccepted } from './transport/errors';

interface ItemFailure {
	itemIndex: number;
	error: unknown;
}

/** Runs the chosen operation for every input item; what comes out is in the order of the input. */
export async function runOperation(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const input = context.getInputData();
	if (input.length === 0) return [];
	const prepared = await prepare(context);
	if (prepared.failure) {
		if (!context.continueOnFail()) throw prepared.failure;
		// n8n itself would pass the input on as if it had been handled.
		return input.flatMap((_, itemIndex) => toFailedItems(prepared.failure, itemIndex));
	}
	const { operation, client, concurrency } = prepared;
	const { parameters: panel } = context.getNode();
	const notices = new Notices();
	const earlierTries = new EarlierTries(context);
	const progress = new Progress(context, client.traffic, input.length);
	const outputs = new Array<INodeExecutionData[] | undefined>(input.length);
	const failures: ItemFailure[] = [];

	await forEachConcurrently(
		input.length,
		operation.sideBySide ? concurrency : 1,
		async (itemIndex) => {
			const item = input[itemIndex];
			try {
				const parameters = new Parameters(context, itemIndex);
				const transport = readTransport(parameters);
				const { json } = item;
				const call = {
					context,
					panel,
					input: json,
					parameters,
					client,
					transport,
					concurrency,
					notices,
				};
				const result = await earlierTries.orNow(item, async () => await operation.execute(call));
				outputs[itemIndex] = toItems(result, itemIndex);
			} catch (error) {
				if (context.continueOnFail()) outputs[itemIndex] = toFailedItems(error, itemIndex);
				else failures.push({ itemIndex, error });
			}
			progress.itemDone();
			return failures.length === 0;
		},
	);

	await operation.finish?.(context, client);
	progress.finish();
	notices.show(context);
	if (failures.length > 0) throw toRunError(context, operation, outputs, failures);
	return outputs.flatMap((items) => items ?? []);
}

type Prepared =
	| { failure: Error }
	| { failure?: undefined; operation: Operation; client: Client; concurrency: number };

/** Gets ready what all items share. */
async function prepare(context: IExecuteFunctions): Promise<Prepared> {
	try {
		return {
			operation: chosenOperation(context),
			client: await createClient(context),
			concurrency: readConcurrency(new Parameters(context, 0)),
		};
	} catch (error) {
		return { failure: toError(context, error) };
	}
}

function chosenOperation(context: IExecuteFunctions): Operation {
	const resource = context.getNodeParameter('resource', 0);
	const name = context.getNodeParameter('operation', 0);
	const operation = findOperation(resource, name);
	if (operation) return operation;
	throw new NodeOperationError(
		context.getNode(),
		`There is no operation "${name}" for "${resource}"`,
		{
			description: 'Choose the resource and the operation from their lists.',
		},
	);
}

function toItems(result: Output, itemIndex: number): INodeExecutionData[] {
	return [result].flat().map((json) => ({ json, pairedItem: { item: itemIndex } }));
}

/** What was read before the failure, and then the failure itself. */
function toFailedItems(error: unknown, itemIndex: number): INodeExecutionData[] {
	const items = error instanceof IncompleteList ? error.items : [];
	const failure = unwrap(error);
	const description = isNodeError(failure) ? failure.description : undefined;
	// These are the names by which n8n tells a failed item from others, in all of its versions. Setting
	// the item's own `error` as well would make n8n throw the description away.
	const json = {
		error: failure instanceof Error ? failure.message : String(failure),
		...(description ? { message: description } : {}),
	};
	return [...toItems(items, itemIndex), ...toItems(json, itemIndex)];
}

/** The first failure; where several items were to be written, it says what became of each. */
function toRunError(
	context: IExecuteFunctions,
	operation: Operation,
	outputs: ReadonlyArray<INodeExecutionData[] | undefined>,
	failures: readonly ItemFailure[],
): Error {
	const error = toError(context, unwrap(failures[0].error));
	if (!isNodeError(error)) return error;
	if (operation.writes && outputs.length > 1) {
		const failed = failures.map(({ itemIndex }) => itemIndex).sort((a, b) => a - b);
		const indexes = [...outputs.keys()];
		const done = indexes.filter((index) => outputs[index] !== undefined);
		const untouched = indexes.filter(
			(index) => outputs[index] === undefined && !failed.includes(index),
		);
		error.description = [
			error.description,
			`Items done: ${formatRanges(done)}.`,
			`Failed: ${formatRanges(failed)}.`,
			...describeDoubts(failures),
			`Not sent: ${formatRanges(untouched)}.`,
		].join(' ');
	}
	return error;
}

/** Whoever mends the first failure and runs again must know of the others that may have been accepted. */
function describeDoubts(failures: readonly ItemFailure[]): string[] {
	const doubtful = failures
		.filter(({ error }) => mayHaveBeenAccepted(error))
		.map(({ itemIndex }) => itemIndex)
		.sort((a, b) => a - b);
	if (doubtful.length === 0) return [];
	return [
		`In doubt: ${formatRanges(doubtful)}. The service may have acted on these, so look there before you repeat them.`,
	];
}

function unwrap(error: unknown): unknown {
	return error instanceof IncompleteList ? error.failure : error;
}

function isNodeError(error: unknown): error is NodeApiError | NodeOperationError {
	return error instanceof NodeApiError || error instanceof NodeOperationError;
}

function toError(context: IExecuteFunctions, error: unknown): Error {
	return error instanceof Error ? error : new NodeOperationError(context.getNode(), String(error));
}
