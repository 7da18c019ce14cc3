import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { asObject } from '../api/json';
import { collection, type Collection } from './options';
import { type PanelValues, textsIn } from './parameters';
import { isLeftToModel } from './tool';

/** The "Filters" of a list. */
export function filtersField(...options: INodeProperties[]): Collection {
	return collection('Filters', 'Add filter', options);
}

/** How a model says that it has no value. */
const NO_VALUE = /^(?:null|none|undefined|n\/?a)$/i;

/**
 * Checks that every filter that was added has a value. If an empty filter were ignored, everything would match: an
 * expression that finds no inbox would return the messages of all inboxes. An AI model cannot remove a filter, so one
 * that it leaves empty is ignored, also where it does so in words.
 *
 * @param rawParameters with expressions unresolved
 */
export function requireFilterValues(
	parameters: PanelValues,
	{ options }: Collection,
	rawParameters: INodeParameters,
): void {
	const filters = asObject(parameters.value('filters'));
	const written = asObject(rawParameters.filters);
	for (const { name, displayName } of options.filter((option) => option.name in filters)) {
		const texts = textsIn(filters[name]);
		if (isLeftToModel(written[name]) && texts.every((text) => NO_VALUE.test(text))) {
			parameters.leaveOut('filters', name);
		} else if (texts.length === 0) {
			parameters.fail(
				`The filter "${displayName}" has no value`,
				'Enter a value, or remove the filter to get everything. If it has an expression, this item may lack that field.',
			);
		}
	}
}
