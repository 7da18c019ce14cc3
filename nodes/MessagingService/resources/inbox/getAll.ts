import type { IDataObject } from 'n8n-workflow';
import { filtersField, readWanted, returnAllOrLimit, startPage } from '../../panel/list';
import { INBOXES } from '../../api/lists';
import { concurrentOptionsField } from '../../panel/options';
import { isPhoneMatch, normalizePhone } from '../../panel/phone';
import { getList } from '../list';
import type { Item, Operation, Run } from '../operation';

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
		filtersField({
			displayName: 'Phone',
			name: 'phone',
			type: 'string',
			default: '',
			placeholder: 'e.g. +15555550100',
			description: 'Only inboxes with this phone number',
		}),
		concurrentOptionsField([startPage]),
	],

	start: (run) => ({ execute: async (item) => await getInboxes(run, item) }),
};

async function getInboxes(run: Run, item: Item): Promise<IDataObject[]> {
	const entered = item.parameters.text('filters.phone', { label: 'Phone' });
	const phone = entered && normalizePhone(entered);
	return await getList(
		run,
		item,
		{
			...readWanted(item.parameters),
			...INBOXES,
			request: { ...INBOXES.request, query: phone === undefined ? [] : [['phone', phone]] },
			keep: phone === undefined ? undefined : (inbox) => isPhoneMatch(inbox.phone, phone),
		},
		{
			items: 'inboxes',
			ignoredFilter: 'The phone filter of this service may work differently.',
			ignoredPage: 'Ask the service about the paging of its inbox list.',
		},
	);
}
