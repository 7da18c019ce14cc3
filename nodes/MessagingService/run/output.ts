import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { IncompleteList } from '../api/list';
import { toNodeError } from '../nodeError';
import type { Output } from '../resources/operation';

/** The output items of an input item. */
export function toItems(output: Output, itemIndex: number): INodeExecutionData[] {
	return [output].flat().map((json) => ({ json, pairedItem: { item: itemIndex } }));
}

/** What was read before the failure, and then the failure itself. */
export function toFailedItems(
	context: IExecuteFunctions,
	failure: unknown,
	itemIndex: number,
): INodeExecutionData[] {
	const items: IDataObject[] = failure instanceof IncompleteList ? failure.items : [];
	const error = toNodeError(context.getNode(), failure, itemIndex);
	const description =
		error instanceof NodeApiError || error instanceof NodeOperationError ? error.description : '';
	// These are the names by which n8n tells a failed item from others, in all of its versions. Setting
	// the item's own `error` as well would make n8n throw the description away.
	const json = { error: error.message, ...(description ? { message: description } : {}) };
	return toItems([...items, json], itemIndex);
}
