import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { FailedOutcome } from '../api/request';
import type { Redactor } from '../api/secrets';
import { failureColumns, toNodeError } from '../n8n/errors';
import { routeToErrorOutput } from '../n8n/private';
import { Problem } from '../words/problem';
import type { Output, Run } from '../operations/operation';
import type { Results } from './items';

/**
 * The output items of a run, in the order of its input.
 *
 * @param writes whether the operation writes, so that failed items have an outcome
 */
export function toOutput(
	{ context, client }: Run,
	input: readonly IDataObject[],
	results: Results,
	writes: boolean,
): INodeExecutionData[] {
	const { redactor } = client.account;
	return results.flatMap((result, itemIndex) => {
		if (!result) return [];
		if ('output' in result) return toItems(result.output, itemIndex);
		const failure = writes ? result : { error: result.error };
		return toFailedItems(context, failure, input[itemIndex], itemIndex, redactor);
	});
}

/** The items that were read before a failure, and then the input item with the error beside its own fields. */
export function toFailedItems(
	context: IExecuteFunctions,
	{ error: failure, outcome }: { error: unknown; outcome?: FailedOutcome },
	json: IDataObject,
	itemIndex: number,
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
