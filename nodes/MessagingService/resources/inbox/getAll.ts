import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../api/json';
import { readList } from '../../api/list';
import { RequestFailure } from '../../api/request';
import { INBOXES } from '../../api/listSources';
import { PAGE_SIZE } from '../../api/pages';
import {
	filtersField,
	readWanted,
	requireFilterValues,
	returnAllOrLimit,
	startPage,
} from '../../panel/listFields';
import { optionsField } from '../../panel/options';
import { digitsOf, toE164 } from '../../panel/phone';
import { getList, PAGES_AT_ONCE, type ListWords, reportList } from '../getList';
import type { Item, Operation, Run } from '../operation';

const FILTERS = filtersField({
	displayName: 'Phone',
	name: 'phone',
	type: 'string',
	default: '',
	placeholder: 'e.g. +15555550100',
	description: 'Only inboxes with this phone number. Part of the number is enough.',
});

const WORDS: ListWords = {
	items: 'inboxes',
	ignoredFilter: 'The phone filter of this service may work differently.',
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
	fields: [...returnAllOrLimit, FILTERS, optionsField(startPage)],

	start: (run) => ({ execute: async (item) => await getInboxes(run, item) }),
};

async function getInboxes(run: Run, item: Item): Promise<IDataObject[]> {
	const { parameters } = item;
	requireFilterValues(parameters, FILTERS, run.panel);
	const all = { ...INBOXES, ...readWanted(parameters) };
	const phone = parameters.text('filters.phone', { label: 'Phone' });
	if (phone === undefined) return await getList(run, item, all, WORDS);
	const digits = digitsOf(phone);
	if (digits === '') {
		parameters.fail(
			'The filter "Phone" has no digit',
			'Inboxes are compared by the digits of their numbers, so every inbox would come. Enter a phone number, or a part of one.',
		);
	}
	const isWanted = (inbox: IDataObject) => digitsOf(toText(inbox.phone) ?? '').includes(digits);
	const query = {
		...all,
		pageSize: all.startPage === undefined ? PAGE_SIZE : undefined,
		newFilter: () => ({ isWanted }),
		concurrency: PAGES_AT_ONCE,
	};
	const number = toE164(phone);
	if (typeof number === 'string') {
		// The service may refuse the number, or have it written in another way. Below, all inboxes are looked through.
		const request = { ...INBOXES.request, query: [['phone', number] as const] };
		const isUnmatched = (inbox: IDataObject) => !isWanted(inbox);
		const asked = { ...query, request, isUnmatched };
		const result = await readList(item.client, asked).catch(undefinedIfRefused);
		if (result && result.items.length > 0) return reportList(run, query, result, WORDS);
	}
	return await getList(run, item, query, WORDS);
}

/** Nothing where the service does not take the filter. Whatever else fails would fail without it, too. */
function undefinedIfRefused(failure: unknown): undefined {
	const status = failure instanceof RequestFailure ? (failure.status ?? 0) : 0;
	if (![400, 404, 422].includes(status)) throw failure;
}
