import type { IDataObject } from 'n8n-workflow';
import type { components } from '../../api/api.types';
import { templatesOf } from '../../api/listSources';
import { readWanted, returnAllOrLimit, startPage } from '../../panel/listFields';
import { optionsField } from '../../panel/options';
import { type OutputChoice, pick, readToolOutput, toolOutput } from '../../panel/toolOutput';
import { getList, mapList, pageNameAdvice } from '../getList';
import type { Item, Operation, Run } from '../operation';

/** How an AI agent gets templates. */
const TEMPLATE = {
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
export const getAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many message templates',
		description: 'Retrieve a list of message templates, which are reusable texts with placeholders',
	},
	toolDescription:
		'Lists the message templates of the team, which are prepared texts. Placeholders stand in double braces. Changes nothing.',
	writes: false,
	fields: [...returnAllOrLimit, ...toolOutput(TEMPLATE), optionsField(startPage)],

	start: (run) => ({ execute: async (item) => await getTemplates(run, item) }),
};

async function getTemplates(run: Run, item: Item): Promise<IDataObject[]> {
	const source = templatesOf(run.client.account);
	const query = { ...source, ...readWanted(item.parameters) };
	const ignoredPage = pageNameAdvice(source.pageParameter);
	const templates = getList(run, item, query, { items: 'message templates', ignoredPage });
	return await mapList(templates, readToolOutput(item.parameters, TEMPLATE));
}
