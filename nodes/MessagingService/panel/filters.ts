import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { asObject } from '../api/json';
import { collection, type Collection, type Field, type NumberField, switchField } from './field';
import { isLeftToModel, isWordForNothing } from './itemParameters';
import { PanelValues, textsIn } from './values';

/** The "Filters" of a list. */
export function filtersField(...options: Field[]): Collection {
	return collection({
		displayName: 'Filters',
		name: 'filters',
		placeholder: 'Add filter',
		options,
	});
}

/**
 * Reads the filters that were added. Each has to have a value: if an empty filter were ignored, an expression that finds
 * no inbox would return the messages of all inboxes. But an AI model cannot remove a filter, so one that it leaves empty,
 * or fills with a word such as "none", is ignored.
 *
 * @param rawParameters the parameters of the node, with expressions unresolved
 */
export function readFilters(
	parameters: PanelValues,
	{ name, options }: Collection,
	rawParameters: INodeParameters,
): PanelValues {
	const given = asObject(parameters.value({ name }));
	const written = asObject(rawParameters[name]);
	const filters: IDataObject = {};
	for (const filter of options.filter((option) => option.name in given)) {
		const texts = textsIn(given[filter.name]);
		const isLeftOut = isLeftToModel(written[filter.name]) && texts.every(isWordForNothing);
		if (isLeftOut) continue;
		if (texts.length === 0) {
			parameters.fail(
				`The filter "${filter.displayName}" has no value`,
				'Enter a value, or remove the filter. If it has an expression, this item may lack that field.',
			);
		}
		filters[filter.name] = given[filter.name];
	}
	return new PanelValues((filter) => filters[filter], parameters.timezone);
}

const returnAllField = switchField(
	'Return All',
	'returnAll',
	'Whether to return all results or only up to a given limit',
);

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
