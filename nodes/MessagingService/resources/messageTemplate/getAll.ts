import type { IDataObject } from 'n8n-workflow';
import { readWanted, returnAllOrLimit, startPage } from '../../panel/list';
import { templatesOf } from '../../api/lists';
import { optionsField } from '../../panel/options';
import { readToolOutput, toolOutput } from '../../panel/toolOutput';
import { getList, mapList, pageNameAdvice } from '../list';
import type { Item, Operation, Run } from '../operation';
import { TEMPLATE } from './output';

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
	const output = readToolOutput(item.parameters, TEMPLATE);
	const templates = getList(
		run,
		item,
		{ ...source, ...readWanted(item.parameters) },
		{
			items: 'message templates',
			ignoredFilter: '',
			ignoredPage: pageNameAdvice(source.pageParameter),
		},
	);
	return await mapList(templates, output);
}
