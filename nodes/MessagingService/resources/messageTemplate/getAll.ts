import type { IDataObject } from 'n8n-workflow';
import {
	getList,
	mapList,
	pageNameAdvice,
	readWanted,
	returnAllOrLimit,
	startPage,
} from '../../fields/list';
import { concurrentOptionsField } from '../../fields/options';
import { readToolOutput, toolOutput } from '../../fields/toolOutput';
import type { Operation } from '../operation';
import { TEMPLATE } from './output';

/** Lists message templates of the team (interface, endpoint 5). */
export const getAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many message templates',
		description: 'Retrieve a list of message templates, prepared texts with placeholders',
	},
	toolDescription:
		'Lists the message templates of the team, which are prepared texts. Placeholders stand in double braces. Changes nothing.',
	writes: false,
	fields: [...returnAllOrLimit, ...toolOutput(TEMPLATE), concurrentOptionsField(startPage)],

	async execute(call): Promise<IDataObject[]> {
		const { limitParameter, pageParameter } = call.client.account.names;
		const output = readToolOutput(call.parameters, TEMPLATE);
		const templates = getList(
			call,
			{
				...readWanted(call),
				request: {
					method: 'GET',
					path: '/public/message-templates',
					itemIndex: call.parameters.itemIndex,
				},
				limitParameter,
				pageParameter,
			},
			{ items: 'message templates', ignoredFilter: '', ignoredPage: pageNameAdvice(pageParameter) },
		);
		return await mapList(templates, output);
	},
};
