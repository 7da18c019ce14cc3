import { type OutputChoice, pick } from '../../panel/toolOutput';
import type { components } from '../../api/api.types';

/** How an AI agent gets templates. */
export const TEMPLATE = {
	fields: {
		id: 'ID',
		attachmentIds: 'Attachment IDs',
		body: 'Body',
		created: 'Created',
		externalId: 'External ID',
		isPersonal: 'Is Personal',
		name: 'Name',
		teamId: 'Team ID',
		type: 'Type',
		updated: 'Updated',
		userId: 'User ID',
	} satisfies Record<keyof components['schemas']['MessageTemplate'], string>,
	simplify: (template) => pick(template, ['id', 'name', 'body', 'type', 'isPersonal', 'updated']),
} satisfies OutputChoice;
