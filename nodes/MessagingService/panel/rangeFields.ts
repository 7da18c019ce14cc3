import type { INodeProperties } from 'n8n-workflow';
import { type ListRange, PAGE_SIZE } from '../api/page';
import type { ItemParameters } from './parameters';

/** "Return All" and "Limit", as every list of n8n has them. */
export const returnAllOrLimitFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		displayOptions: { show: { returnAll: [false] } },
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
	},
];

/** The option to begin a list at a later page. */
export const startPageField: INodeProperties = {
	displayName: 'Start Page',
	name: 'page',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 1,
	description: `Page to begin with, as the service counts: from 1 on, or from 0 in some deployments. A page has as many items as Limit says, ${PAGE_SIZE} at most. Pages are counted before this node applies its filters.`,
};

/** Reads where a list is to begin, and how many items are wanted. */
export function readListRange(parameters: ItemParameters): ListRange {
	const all = parameters.boolean('returnAll', { label: 'Return All' }) ?? false;
	return {
		limit: all ? Infinity : (parameters.integer('limit', 1, { label: 'Limit' }) ?? PAGE_SIZE),
		startPage: parameters.integer('options.page', 0, { label: startPageField.displayName }),
	};
}
