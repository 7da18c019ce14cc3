import type { IDataObject } from 'n8n-workflow';
import { getList, readWanted, returnAllOrLimit, startPage } from '../../fields/list';
import { concurrentOptionsField } from '../../fields/options';
import { isPhoneMatch, normalizePhone } from '../../fields/phone';
import type { Operation } from '../operation';

/** Lists inboxes (interface, endpoint 6). The names of its parameters are documented, so they are fixed. */
export const getAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many inboxes',
		description: 'Retrieve a list of inboxes, the phone numbers that messages are sent from',
	},
	toolDescription:
		'Lists the inboxes of the account, which are the phone numbers and channels that messages come from. Returns the ID, name and phone number of each. Changes nothing.',
	writes: false,
	fields: [
		...returnAllOrLimit,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add filter',
			default: {},
			options: [
				{
					displayName: 'Phone',
					name: 'phone',
					type: 'string',
					default: '',
					placeholder: 'e.g. +15555550100',
					description: 'Only inboxes with this phone number',
				},
			],
		},
		concurrentOptionsField(startPage),
	],

	async execute(call): Promise<IDataObject[]> {
		const { itemIndex } = call.parameters;
		const entered = call.parameters.text('filters.phone', { label: 'Phone' });
		const phone = entered && normalizePhone(entered);
		return await getList(
			call,
			{
				...readWanted(call),
				request: {
					method: 'GET',
					path: '/public/admin/inboxes',
					query: phone === undefined ? [] : [['phone', phone]],
					itemIndex,
				},
				limitParameter: 'limit',
				pageParameter: 'page',
				keep: phone === undefined ? undefined : (inbox) => isPhoneMatch(inbox.phone, phone),
			},
			{
				items: 'inboxes',
				ignoredFilter: 'The phone filter of this service may work differently.',
				ignoredPage: 'Ask the service about the paging of its inbox list.',
			},
		);
	},
};
