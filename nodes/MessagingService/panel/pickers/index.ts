import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import type { Client } from '../../api/client';
import { INBOXES, templatesOf } from '../../api/lists';
import { connect } from '../../connection';
import { withNodeErrors } from '../../nodeError';
import { interactive } from './directory';
import { findByPhone, hasPhone } from './phone';
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
	return await asPicker(this, async (client) => {
		const byPhone = await findByPhone(client, INBOXES, search);
		if (byPhone.inboxes) return { results: toEntries(byPhone.inboxes, view) };
		return await searchDirectory(client, INBOXES, byPhone.search, view);
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
	return await asPicker(
		this,
		async (client) => await searchDirectory(client, templatesOf(client.account), search, view),
	);
}

async function asPicker(
	context: ILoadOptionsFunctions,
	search: (client: Client) => Promise<INodeListSearchResult>,
): Promise<INodeListSearchResult> {
	return await withNodeErrors(context.getNode(), async () => {
		const client = await connect(context);
		return await search(interactive(client));
	});
}
