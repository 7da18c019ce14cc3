import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../api/json';
import { INBOXES, type ListEndpoint } from '../../api/listEndpoints';
import { PAGE_SIZE } from '../../api/page';
import { RequestFailure } from '../../api/request';
import { filtersField, requireFilterValues } from '../../panel/filterFields';
import { optionsField } from '../../panel/options';
import { digitsOf, toE164 } from '../../panel/phone';
import {
	type ListRange,
	readListRange,
	returnAllOrLimitFields,
	startPageField,
} from '../../panel/rangeFields';
import { entriesOf, getList, matching, noteNone, take } from '../getList';
import type { ListWords } from '../listWords';
import type { Item, Operation, Run } from '../operation';

const INBOX_FILTERS = filtersField({
	displayName: 'Phone',
	name: 'phone',
	type: 'string',
	default: '',
	placeholder: 'e.g. +15555550100',
	description: 'Only inboxes with this phone number. Part of the number is enough.',
});

const INBOX_WORDS: ListWords = {
	items: 'inboxes',
	ignoredPage: 'Ask your service how the pages of its inbox list are numbered.',
};

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

	async execute(item, run) {
		const { parameters } = item;
		requireFilterValues(parameters, INBOX_FILTERS, run.rawParameters);
		const range = readListRange(parameters);
		const phone = parameters.text('filters.phone', { label: 'Phone' });
		if (phone === undefined) return await getList(run, item, INBOXES, range, INBOX_WORDS);
		if (digitsOf(phone) !== '') return await getByPhone(run, item, range, phone);
		return parameters.fail(
			'The filter "Phone" has no digit',
			'Inboxes are compared by the digits of their numbers, so every inbox would come. Enter a phone number, or a part of one.',
		);
	},
};

async function getByPhone(
	run: Run,
	{ client }: Item,
	{ limit, startPage }: ListRange,
	phone: string,
): Promise<IDataObject[]> {
	const digits = digitsOf(phone);
	const isWanted = (inbox: IDataObject) => digitsOf(toText(inbox.phone) ?? '').includes(digits);
	const pageSize = startPage === undefined ? PAGE_SIZE : Math.min(limit, PAGE_SIZE);
	const find = async (source: ListEndpoint) => {
		const entries = entriesOf(run, client, source, INBOX_WORDS, {
			startPage,
			pageSize,
			needed: limit,
		});
		return await take(limit, matching(entries, isWanted));
	};
	const number = toE164(phone);
	if (typeof number === 'string') {
		const request = { ...INBOXES.request, query: [['phone', number] as const] };
		const found = await find({ ...INBOXES, request }).catch(noneIfRefused);
		if (found.length > 0) return found;
	}
	// The service may store the number in another format, so all inboxes are searched.
	const found = await find(INBOXES);
	noteNone(run, INBOX_WORDS.items, found);
	return found;
}

/** Finds nothing if the service rejects the filter. Any other failure would happen without the filter, too. */
function noneIfRefused(failure: unknown): IDataObject[] {
	const status = failure instanceof RequestFailure ? (failure.status ?? 0) : 0;
	if (![400, 404, 422].includes(status)) throw failure;
	return [];
}
