import type { IDataObject } from 'n8n-workflow';
import { inboxIds, readInboxIds } from '../../fields/inboxIds';
import {
	getList,
	pageNameAdvice,
	readWanted,
	returnAllOrLimit,
	startPage,
} from '../../fields/list';
import { optionsField } from '../../fields/options';
import { PAGE_SIZE } from '../../transport/paginate';
import type { Call, Operation } from '../operation';
import { type MessageFilters, matches, toQuery } from './filters';
import { simplify } from './simplify';

/** Finds messages of the team (interface, endpoint 4). */
export const getAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many messages',
		description: 'Retrieve a list of messages, sent and received',
	},
	writes: false,
	fields: [
		...returnAllOrLimit,
		{
			displayName: 'Simplify',
			name: 'simple',
			type: 'boolean',
			default: true,
			description: 'Whether to return a simplified version of the response instead of the raw data',
		},
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add filter',
			default: {},
			options: [
				{
					displayName: 'After',
					name: 'after',
					type: 'dateTime',
					default: '',
					description:
						"Only messages after this moment. Without a time zone it is read in the workflow's time zone.",
				},
				{
					displayName: 'Before',
					name: 'before',
					type: 'dateTime',
					default: '',
					description:
						"Only messages up to this moment. Without a time zone it is read in the workflow's time zone.",
				},
				inboxIds,
			],
		},
		optionsField(startPage),
	],

	async execute(call): Promise<IDataObject[]> {
		const { parameters, client } = call;
		const { names } = client.account;
		const wanted = readWanted(call);
		const filters = readFilters(call);
		const messages = await getList(
			call,
			{
				...wanted,
				request: {
					method: 'GET',
					path: '/public/messages',
					query: toQuery(pin(filters, wanted.limit), names),
					itemIndex: parameters.itemIndex,
				},
				limitParameter: names.limitParameter,
				pageParameter: names.pageParameter,
				keep: (message) => matches(message, filters),
			},
			{
				items: 'messages',
				ignoredFilter:
					'The service may know the filters by other names: in the credential, turn on "Custom Names" and set "Inbox IDs Parameter", "After Parameter" and "Before Parameter".',
				ignoredPage: pageNameAdvice(names.pageParameter),
			},
		);
		const simple = parameters.boolean('simple', { label: 'Simplify' }) ?? true;
		return simple ? messages.map(simplify) : messages;
	},
};

function readFilters({ parameters }: Call): MessageFilters {
	const after = parameters.date('filters.after', { label: 'After' });
	const before = parameters.date('filters.before', { label: 'Before' });
	if (after && before && after > before) {
		parameters.fail(
			'"After" is later than "Before"',
			'No message can be in between. Swap the dates.',
		);
	}
	return { inboxIds: readInboxIds(parameters), after, before };
}

// Messages that come in while several pages are read would push others from page to page.
function pin(filters: MessageFilters, limit: number): MessageFilters {
	return limit > PAGE_SIZE ? { ...filters, before: filters.before ?? new Date() } : filters;
}
