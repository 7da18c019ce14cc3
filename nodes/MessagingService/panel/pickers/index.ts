import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { createClient } from '../transport/client';
import { findByPhone, hasPhone } from './phone';
import { readSearch, searchDirectory, toEntries, type View } from './search';
import { hasWords, toLabel } from './text';

const INBOXES = {
	path: '/public/admin/inboxes',
	limitParameter: 'limit',
	pageParameter: 'page',
};

/** Lists the account's inboxes; a filter finds them by name and by phone number. */
export async function searchInboxes(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const client = await createClient(this);
	const search = readSearch(filter, paginationToken);
	const toName = ({ name, phone }: IDataObject) => toLabel(name, phone);
	const view: View = {
		isFound: (inbox) =>
			hasWords(toName(inbox), search.filter) || hasPhone(inbox.phone, search.filter),
		toName,
	};
	const byPhone = await findByPhone(client, INBOXES, search);
	if (byPhone.inboxes) return { results: toEntries(byPhone.inboxes, view) };
	return await searchDirectory(client, INBOXES, byPhone.search, view);
}

/** Lists the team's message templates; a filter finds them by name and by ID. */
export async function searchTemplates(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const client = await createClient(this);
	const search = readSearch(filter, paginationToken);
	const { limitParameter, pageParameter } = client.account.names;
	return await searchDirectory(
		client,
		{ path: '/public/message-templates', limitParameter, pageParameter },
		search,
		{
			isFound: ({ id, name }) => hasWords(toLabel(name, id), search.filter),
			toName: ({ name }) => toLabel(name),
		},
	);
}
