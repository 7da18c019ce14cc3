import type { IDataObject } from 'n8n-workflow';
import { asObject } from '../../api/json';
import { toText } from '../../api/text';
import { INBOXES, type ListEndpoint } from '../../api/listEndpoints';
import { digitsOf, toE164, withPlainDigits } from '../../contacts/phone';
import { textField } from '../../panel/field';
import { filtersField, rangeFields, readFilters, readLimit } from '../../panel/filters';
import { optionsField } from '../../panel/options';
import { defaultCountryCodeField, readCountryCode } from '../../panel/phoneField';
import { readEntries } from '../lists';
import type { ReadOperation } from '../operation';

const phoneFilter = textField(
	'Phone',
	'phone',
	'Only inboxes with this phone number. Part of the number is enough.',
	{ placeholder: 'e.g. +15555550100' },
);

const inboxFilters = filtersField(phoneFilter);

/** Lists inboxes (interface, endpoint 6). */
export const getAll: ReadOperation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many inboxes',
		description: 'Retrieve a list of inboxes',
	},
	toolDescription:
		'Lists the inboxes of the account, which are the phone numbers and channels that messages come from. Changes nothing.',
	writes: false,
	fields: [...rangeFields, inboxFilters, optionsField(defaultCountryCodeField)],

	async execute({ client, parameters }, run) {
		const filters = readFilters(parameters, inboxFilters, run.rawParameters);
		const limit = readLimit(parameters);
		const phone = filters.text(phoneFilter);
		parameters.refuseGap(phoneFilter, phone, asObject(run.rawParameters.filters).phone);
		const countryCode = readCountryCode(parameters.options);
		const number = toE164(phone, countryCode);
		// A number as it is dialed from within its country begins with a zero.
		const digits = digitsOf(withPlainDigits(phone)).replace(/^0+/, '');
		if (phone !== '' && digits === '') {
			parameters.fail(
				`The filter "${phoneFilter.displayName}" has no digit from 1 to 9`,
				'Enter a number, or a part of one.',
			);
		}
		const isWanted = (inbox: IDataObject) => {
			const written = toText(inbox.phone) ?? '';
			if (digitsOf(written).includes(digits)) return true;
			return typeof number === 'string' && toE164(written, countryCode) === number;
		};
		const read = async (endpoint: ListEndpoint) =>
			await readEntries(run, { client, endpoint, limit }, (inboxes) => inboxes.filter(isWanted));
		if (typeof number === 'string') {
			const request = { ...INBOXES.request, query: [['phone', number] as const] };
			const found = await read({ ...INBOXES, request });
			if (found.length > 0) return found;
		}
		// Without a number, or because the service may store it in another format, all inboxes are searched.
		return await read(INBOXES);
	},
};
