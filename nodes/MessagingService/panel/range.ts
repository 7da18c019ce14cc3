import type { Field, NumberField } from './field';
import type { PanelValues } from './values';

const returnAllField: Field = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
};

const limitField: NumberField = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	displayOptions: { show: { returnAll: [false] } },
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
};

/** "Return All" and "Limit", as every list of n8n has them. */
export const rangeFields: Field[] = [returnAllField, limitField];

/** Reads how many entries of a list are wanted; Infinity for all. */
export function readLimit(parameters: PanelValues): number {
	return parameters.isOn(returnAllField) ? Infinity : parameters.integer(limitField);
}
