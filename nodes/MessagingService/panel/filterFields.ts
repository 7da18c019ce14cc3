import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { isObject } from '../api/json';
import { collection } from './options';
import { contentOf, isBlank, type PanelValues } from './parameters';
import { isLeftToModel } from './tool';

/** The "Filters" of a list. */
export function filtersField(...options: INodeProperties[]): INodeProperties {
	return collection('Filters', 'Add filter', options);
}

/**
 * Checks that every filter that was added has a value. If an empty filter were ignored, everything would match: an
 * expression that finds no inbox would return the messages of all inboxes. An AI model cannot remove a filter, so one
 * that it leaves empty is ignored, also where it does so in words.
 *
 * @param rawParameters with expressions unresolved
 */
export function requireFilterValues(
	parameters: PanelValues,
	{ options = [] }: INodeProperties,
	rawParameters: INodeParameters,
): void {
	const filters = parameters.value('filters');
	if (!isObject(filters)) return;
	const written: unknown = rawParameters.filters;
	for (const option of options) {
		const { name } = option;
		if (!(name in filters)) continue;
		const isLeft = isObject(written) && isLeftToModel(written[name]);
		const value = filters[name];
		if (isLeft && (isEmpty(value) || isNoValue(value))) parameters.leaveOut('filters', name);
		else if (isEmpty(value))
			refuse(parameters, 'displayName' in option ? option.displayName : name);
	}
}

function refuse(parameters: PanelValues, label: string): never {
	return parameters.fail(
		`The filter "${label}" has no value`,
		'Enter a value, or remove the filter to get everything. If it has an expression, this item may lack that field.',
	);
}

/** Whether a model says that it has no value. */
function isNoValue(value: unknown): boolean {
	const text = contentOf(value);
	return typeof text === 'string' && /^(?:null|none|undefined|n\/?a)$/i.test(text.trim());
}

/** Whether a value is blank, or a list of nothing but blanks, also of ones between commas. */
function isEmpty(value: unknown): boolean {
	const content = contentOf(value);
	if (Array.isArray(content)) return content.every(isEmpty);
	return typeof content === 'string' ? content.split(',').every(isBlank) : isBlank(content);
}
