import type { components } from '../../api/api.types';
import { templatesOf } from '../../api/listEndpoints';
import { optionsField } from '../../panel/options';
import { rangeFields, readLimit } from '../../panel/filters';
import { type OutputChoice, outputFields, pick, readOutput } from '../../panel/output';
import { readEntries } from '../lists';
import type { ReadOperation } from '../operation';

/** How templates are output. */
const TEMPLATE_OUTPUT = {
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

/** Lists message templates of the team (interface, endpoint 5). */
export const getAll: ReadOperation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many message templates',
		description: 'Retrieve a list of message templates',
	},
	toolDescription:
		'Lists the message templates of the team: prepared texts with placeholders in double braces. Changes nothing.',
	writes: false,
	fields: [...rangeFields, ...outputFields(TEMPLATE_OUTPUT), optionsField()],

	async execute({ client, parameters }, run) {
		const limit = readLimit(parameters);
		const output = readOutput(parameters, TEMPLATE_OUTPUT);
		const list = { client, endpoint: templatesOf(client.account), limit };
		return await readEntries(run, list, (templates) => templates.map(output));
	},
};
