import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { type FailedOutcome, RequestFailure } from '../api/request';
import type { Redactor } from '../api/secrets';
import { failureColumns, toNodeError } from '../n8n/errors';
import { routeToErrorOutput } from '../n8n/private';
import { outcomeOf } from '../once/journal';
import type { Memories } from '../once/ledger';
import type { Item, Output, Run } from '../operations/operation';
import { readTransport } from '../panel/options';
import { ItemParameters } from '../panel/itemParameters';
import { Problem } from '../words/problem';

/** The failure of an item. */
export interface ItemFailure {
	itemIndex: number;
	error: unknown;
	/** Whether it had an effect at the service; undefined where the operation only reads. */
	outcome?: FailedOutcome;
	/** Whom the item was for. */
	recipient?: string;
}

/** What became of an item. */
export type Result = { output: Output } | ItemFailure;

/** How the items of a run are handled. */
export interface Handling {
	/** Handles one item. */
	perform(item: Item): Promise<Output>;
	/** The most items to handle at once; one when left out. */
	concurrency?: number;
	/** What keeps writes from happening twice; undefined for an operation that only reads. */
	memories?: Memories;
}

/** The results by item index; undefined for an item that was not handled, since the run had ended before. */
export type Results = ReadonlyArray<Result | undefined>;

/** After this many items have begun, everything else in the process gets its turn. */
const YIELD_AFTER = 50;

/**
 * Handles the items of a run. They begin in the order of the input, at most `concurrency` at once, until the
 * run has ended. Never rejects, so that no outcome gets lost.
 *
 * @param onFailed called when an item has failed
 */
export async function handleItems(
	input: readonly IDataObject[],
	run: Run & Handling,
	onFailed: (failure: ItemFailure) => void,
): Promise<Results> {
	const results = new Array<Result | undefined>(input.length);
	const handle = async (itemIndex: number) => {
		const result = await handleItem(run, input[itemIndex], itemIndex);
		results[itemIndex] = result;
		if (result && 'error' in result) onFailed(result);
	};
	const { concurrency = 1 } = run;
	const underWay = new Set<Promise<void>>();
	for (const itemIndex of input.keys()) {
		while (underWay.size >= concurrency) await Promise.race(underWay);
		if (run.signal.aborted) break;
		const handled: Promise<void> = handle(itemIndex).then(() => void underWay.delete(handled));
		underWay.add(handled);
		// It takes a timer, since promises alone never let the event loop go on.
		if ((itemIndex + 1) % YIELD_AFTER === 0) await run.clock.wait(0);
	}
	await Promise.all(underWay);
	return results;
}

async function handleItem(
	{ context, client, perform, memories }: Run & Handling,
	json: IDataObject,
	itemIndex: number,
): Promise<Result | undefined> {
	const parameters = new ItemParameters(context, itemIndex);
	let item: Item | undefined;
	try {
		item = { json, parameters, client: client.with(readTransport(parameters.options)) };
		return { output: await perform(item) };
	} catch (error) {
		if (hasNotBegun(error)) return undefined;
		const outcome = memories && outcomeOf(error);
		return { itemIndex, error, outcome, recipient: item?.phone };
	}
}

/** Whether an item failed only because the run ended first: before its request was sent or, for a read, answered. */
function hasNotBegun(error: unknown): boolean {
	return error instanceof RequestFailure && error.outcome === 'refused' && error.isCancelled;
}

/** The output items of a run, in the order of its input. */
export function toOutput(
	{ context, client }: Run,
	input: readonly IDataObject[],
	results: Results,
): INodeExecutionData[] {
	const { redactor } = client.account;
	return results.flatMap((result, itemIndex) => {
		if (!result) return [];
		if ('output' in result) return toItems(result.output, itemIndex);
		return toFailedItems(context, result, input[itemIndex], redactor);
	});
}

/** The items that were read before a failure, and then the input item with the error beside its own fields. */
export function toFailedItems(
	context: IExecuteFunctions,
	{ itemIndex, error: failure, outcome }: ItemFailure,
	json: IDataObject,
	redactor?: Redactor,
): INodeExecutionData[] {
	const node = context.getNode();
	const error = toNodeError(node, failure, { itemIndex, redactor });
	const failed: INodeExecutionData = {
		json: { ...json, ...failureColumns(error, outcome) },
		pairedItem: { item: itemIndex },
	};
	if (node.onError === 'continueErrorOutput') routeToErrorOutput(failed, error);
	const read = failure instanceof Problem ? failure.items : [];
	return [...toItems([...read], itemIndex), failed];
}

function toItems(output: Output, itemIndex: number): INodeExecutionData[] {
	return [output].flat().map((json) => ({ json, pairedItem: { item: itemIndex } }));
}
