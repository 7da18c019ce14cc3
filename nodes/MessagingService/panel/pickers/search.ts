import type { IDataObject, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import type { Client } from '../../api/client';
import type { ListSource } from '../../api/list';
import { beginDirectory, type Directory, directoryOf } from './directory';
import { toLabel } from './text';

/** What someone looks for in a list. */
export interface Search {
	/** What they typed. */
	filter: string;
	/** How many items were searched for what they see already; undefined when they see nothing yet. */
	searched?: number;
	/** Requests that may be sent for it. */
	requests: number;
}

/** How the items of a list are found and shown. */
export interface View {
	isFound(item: IDataObject): boolean;
	toName(item: IDataObject): string;
}

const REQUESTS = 2;

// So many entries make n8n's list scroll, and only when it is scrolled to its end it asks for more.
const SCROLLABLE = 10;

/** Reads what n8n's editor asks for. Its token is our own: how many items were searched. */
export function readSearch(filter = '', paginationToken?: unknown): Search {
	const searched = Number(paginationToken ?? NaN);
	return {
		filter: filter.trim(),
		searched: Number.isSafeInteger(searched) ? searched : undefined,
		requests: REQUESTS,
	};
}

/**
 * Searches what was read of a list, and reads on while there is too little to show. So a long list is
 * searched further with everything that is typed, and whenever it is scrolled to its end.
 */
export async function searchDirectory(
	client: Client,
	source: ListSource,
	{ filter, searched, requests }: Search,
	view: View,
): Promise<INodeListSearchResult> {
	const isOpening = filter === '' && searched === undefined;
	const directory = isOpening ? beginDirectory(client, source) : directoryOf(client, source);
	const wanted = filter === '' ? 1 : SCROLLABLE;
	const find = () => directory.items.slice(searched).filter((item) => view.isFound(item));
	for (let sent = 0; sent < requests && find().length < wanted; sent++) {
		if (directory.isComplete) break;
		await directory.readOn(client);
	}
	const results = toEntries(find(), view);
	if (directory.isComplete) return { results };
	const cannotScroll = searched === undefined && results.length < wanted;
	return {
		results: cannotScroll ? [...results, progress(directory)] : results,
		// The list may have been started over meanwhile, by somebody else of the team.
		paginationToken: String(Math.max(searched ?? 0, directory.items.length)),
	};
}

/** The entries of n8n's list for what the service gave. What has no ID cannot be chosen. */
export function toEntries(items: readonly IDataObject[], view: View): INodeListSearchItems[] {
	return items.flatMap((item) => {
		const value = toLabel(item.id);
		// n8n keeps the name in the workflow, and would take one that begins so for an expression.
		const name = (view.toName(item) || value).replace(/^=/, ' =');
		return value === '' ? [] : [{ name, value }];
	});
}

// n8n's list does not let an entry be chosen whose value is no text. With a space, n8n asks again.
function progress({ items, total = 0 }: Directory): INodeListSearchItems {
	const of = total > items.length ? ` of ${total}` : '';
	return { name: `Searched ${items.length}${of}. Type a space to go on.`, value: false };
}
