import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { INBOXES, templatesOf } from '../../api/lists';
import { askForEditor } from './interactive';
import { findByPhone, hasPhone, isPhone } from './phone';
import { readSearch, searchDirectory, toEntries, type View } from './search';
import { hasWords, toLabel } from './text';

/** Lists the account's inboxes; a filter finds them by name and by phone number. */
export async function searchInboxes(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const search = readSearch(filter, paginationToken);
	const toName = ({ name, phone }: IDataObject) => toLabel(name, phone);
	const view: View = {
		isFound: (inbox) =>
			hasWords(toName(inbox), search.filter) || hasPhone(inbox.phone, search.filter),
		toName,
	};
	return await askForEditor(this, async (client) => {
		if (!isPhone(search.filter) || search.searched !== undefined) {
			return await searchDirectory(client, INBOXES, search, view);
		}
		const inboxes = await findByPhone(client, INBOXES, search.filter);
		if (inboxes) return { results: toEntries(inboxes, view) };
		const left = { ...search, requests: search.requests - 1 };
		return await searchDirectory(client, INBOXES, left, view);
	});
}

/** Lists the team's message templates; a filter finds them by name and by ID. */
export async function searchTemplates(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const search = readSearch(filter, paginationToken);
	const view: View = {
		isFound: ({ id, name }) => hasWords(toLabel(name, id), search.filter),
		toName: ({ name }) => toLabel(name),
	};
	return await askForEditor(
		this,
		async (client) => await searchDirectory(client, templatesOf(client.account), search, view),
	);
}
