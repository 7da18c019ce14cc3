import type { IDataObject } from 'n8n-workflow';
import {
	getList,
	pageNameAdvice,
	readWanted,
	returnAllOrLimit,
	startPage,
} from '../../fields/list';
import { concurrentOptionsField } from '../../fields/options';
import type { Operation } from '../operation';

/** Lists message templates of the team (interface, endpoint 5). */
export const getAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many message templates',
		description: 'Retrieve a list of message templates',
	},
	writes: false,
	fields: [...returnAllOrLimit, concurrentOptionsField(startPage)],

	async execute(call): Promise<IDataObject[]> {
		const { limitParameter, pageParameter } = call.client.account.names;
		return await getList(
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
	},
};
