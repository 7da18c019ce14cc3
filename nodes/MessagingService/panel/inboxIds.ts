import type { INodeProperties } from 'n8n-workflow';
import { type FieldWords, type PanelValues, textsIn, UUID_PLACEHOLDER } from './parameters';

/** The filter by inboxes: each picked from the account's list, or given by its ID. */
export const inboxIdsField: INodeProperties = {
	displayName: 'Inboxes',
	name: 'inboxIds',
	type: 'resourceLocator',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add inbox' },
	default: { mode: 'list', value: '' },
	description: 'Only messages in these inboxes',
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

const INBOX_WORDS: FieldWords = {
	label: 'Inboxes',
	advice: 'Choose the inbox from the list, or take the "id" in the output of Inbox: Get Many.',
};

/**
 * Reads the IDs of the chosen inboxes, each once. Takes what the pickers give, and what expressions
 * give: one ID, several separated by commas, or a list of IDs or of inboxes.
 */
export function readInboxIds(parameters: PanelValues): string[] {
	const value = parameters.value('filters.inboxIds');
	if (value === undefined) return [];
	const ids = textsIn(value).map((id) => parameters.toUuid(id, INBOX_WORDS));
	if (ids.length === 0)
		parameters.fail(`The filter "${INBOX_WORDS.label}" names no inbox`, INBOX_WORDS.advice);
	return [...new Set(ids)];
}

/** Whether an ID is among others, in upper or lower case. */
export function includesId(ids: readonly string[], id: string): boolean {
	return ids.some((each) => each.toLowerCase() === id.toLowerCase());
}
