import { type Field, listOrId, type Named } from './field';
import { type PanelValues, textsIn } from './values';

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

/** The filter by inboxes: each picked from the account's list, or given by its ID. */
export const inboxIdsField: Field = {
	displayName: 'Inboxes',
	name: 'inboxIds',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add inbox' },
	description: 'Only messages in these inboxes',
	advice: 'Choose the inbox from the list, or take the "id" in the output of Inbox: Get Many.',
	...listOrId('Choose an inbox', 'searchInboxes', {
		placeholder: UUID_PLACEHOLDER,
		hint: 'The "id" in the output of Inbox: Get Many',
	}),
};

/**
 * Reads the IDs of the chosen inboxes, each once; none when the filter was not added. It takes what the pickers give, and
 * what expressions give: one ID, several separated by commas, or a list of IDs or of inboxes.
 */
export function readInboxIds(filters: PanelValues): string[] {
	const ids = textsIn(filters.value(inboxIdsField));
	return [...new Set(ids.map((id) => requireUuid(filters, inboxIdsField, id)))];
}
