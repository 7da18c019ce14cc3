import type { Field, Named } from './field';
import type { PanelValues } from './values';

/** A regular expression for the IDs of the service. */
export const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const WHOLE_UUID = new RegExp(`^${UUID}$`);
const EXAMPLE = '123e4567-e89b-12d3-a456-426614174000';

/** The placeholder of fields that take such an ID. */
export const UUID_PLACEHOLDER = `e.g. ${EXAMPLE}`;

/** Reads an ID that must not be missing. */
export function readId(values: PanelValues, field: Field): string {
	return requireUuid(values, field, values.requiredText(field));
}

/** Checks that a text is an ID of the service. */
export function requireUuid(values: PanelValues, field: Named, text: string): string {
	if (WHOLE_UUID.test(text)) return text;
	const advice = `${field.advice ?? ''} An ID looks like ${EXAMPLE}.`;
	return values.refuse(field, text, 'is not a valid ID', advice);
}
