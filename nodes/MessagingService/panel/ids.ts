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
	const problem = isCutOff(text) ? INCOMPLETE : 'is not a valid ID';
	const advice = `${field.advice ?? ''} An ID looks like ${EXAMPLE}.`;
	return values.refuse(field, text, problem, advice);
}

/** What is wrong with an ID that was not copied whole. */
export const INCOMPLETE = 'is incomplete: a part of the ID is missing';

/** Whether a text is the beginning or the end of an ID of the service. */
export function isCutOff(text: string): boolean {
	const { length } = text;
	if (length < EXAMPLE.indexOf('-') || length >= EXAMPLE.length) return false;
	const wholes = [text + EXAMPLE.slice(length), EXAMPLE.slice(0, -length) + text];
	return wholes.some((whole) => WHOLE_UUID.test(whole));
}
