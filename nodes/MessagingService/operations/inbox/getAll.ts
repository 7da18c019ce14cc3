import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../api/text';
import { INBOXES } from '../../api/listEndpoints';
import { filtersField, requireFilterValues } from '../../panel/filterFields';
import { optionsField } from '../../panel/options';
import { digitsOf, toE164 } from '../../contacts/phone';
import { readListRange, returnAllOrLimitFields, startPageField } from '../../panel/rangeFields';
import { getList } from '../lists';
import type { Operation } from '../operation';

const INBOX_FILTERS = filtersField({
	displayName: 'Phone',
	name: 'phone',
	type: 'string',
	default: '',
	placeholder: 'e.g. +15555550100',
	description: 'Only inboxes with this phone number. Part of the number is enough.',
});

/** Lists inboxes (interface, endpoint 6). */
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
	fields: [...returnAllOrLimitFields, INBOX_FILTERS, optionsField(startPageField)],

	async execute({ client, parameters }, run) {
		requireFilterValues(parameters, INBOX_FILTERS, run.rawParameters);
		const range = readListRange(parameters);
		const phone = parameters.text('filters.phone', { label: 'Phone' });
		if (phone === undefined) return await getList(run, client, INBOXES, range);
		// A number as it is dialed from within its country begins with a zero.
		const digits = digitsOf(phone).replace(/^0+/, '');
		if (digits === '') {
			parameters.fail(
				'The filter "Phone" has no digit from 1 to 9',
				'Enter a number, or a part of one.',
			);
		}
		const select = (inbox: IDataObject) =>
			digitsOf(toText(inbox.phone) ?? '').includes(digits) ? inbox : undefined;
		const number = toE164(phone);
		if (typeof number === 'string') {
			const request = { ...INBOXES.request, query: [['phone', number] as const] };
			const found = await getList(run, client, { ...INBOXES, request }, range, select);
			if (found.length > 0) return found;
		}
		// The service may store the number in another format, so all inboxes are searched.
		return await getList(run, client, INBOXES, range, select);
	},
};
