import type { Field } from './field';
import { requireUuid, UUID_PLACEHOLDER } from './ids';
import { type PanelValues, textsIn } from './values';

/** The filter by inboxes: each picked from the account's list, or given by its ID. */
export const inboxIdsField: Field = {
	displayName: 'Inboxes',
	name: 'inboxIds',
	type: 'resourceLocator',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add inbox' },
	default: { mode: 'list', value: '' },
	description: 'Only messages in these inboxes',
	advice: 'Choose the inbox from the list, or take the "id" in the output of Inbox: Get Many.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose an inbox',
			typeOptions: { searchListMethod: 'searchInboxes', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: UUID_PLACEHOLDER,
			hint: 'The "id" in the output of Inbox: Get Many',
		},
	],
};

/**
 * Reads the IDs of the chosen inboxes, each once; none when the filter was not added. It takes what the pickers give, and
 * what expressions give: one ID, several separated by commas, or a list of IDs or of inboxes.
 */
export function readInboxIds(filters: PanelValues): string[] {
	const ids = textsIn(filters.value(inboxIdsField));
	return [...new Set(ids.map((id) => requireUuid(filters, inboxIdsField, id)))];
}

/** Whether an ID is among others, in upper or lower case. */
export function includesId(ids: readonly string[], id: string): boolean {
	return ids.some((each) => each.toLowerCase() === id.toLowerCase());
}
