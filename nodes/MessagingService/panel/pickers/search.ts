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

/** Entries that are sent to the editor at once. */
const MOST_SHOWN = 500;
/** n8n keeps the name of what was chosen in the workflow. */
const LONGEST_NAME = 200;

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
	const find = () => findFrom(directory.items, searched ?? 0, view);
	for (let sent = 0; sent < requests && find().found.length < wanted; sent++) {
		if (directory.isComplete) break;
		await directory.readOn(client);
	}
	const { found, end } = find();
	const results = toEntries(found, view);
	if (directory.isComplete && end >= directory.items.length) return { results };
	const cannotScroll = searched === undefined && results.length < wanted;
	return {
		results: cannotScroll ? [...results, progress(directory)] : results,
		paginationToken: String(end),
	};
}

/**
 * Looks through items from a place on, as far as there is room for what is found. It may begin beyond their end, since
 * somebody else of the team may have started the list over.
 */
function findFrom(
	items: readonly IDataObject[],
	begin: number,
	{ isFound }: View,
): { found: IDataObject[]; end: number } {
	const found: IDataObject[] = [];
	let end = begin;
	for (; end < items.length && found.length < MOST_SHOWN; end++) {
		if (isFound(items[end])) found.push(items[end]);
	}
	return { found, end };
}

/** The first entries of n8n's list for what the service gave. What has no ID cannot be chosen. */
export function toEntries(items: readonly IDataObject[], view: View): INodeListSearchItems[] {
	return items.slice(0, MOST_SHOWN).flatMap((item) => {
		const value = toLabel(item.id);
		// n8n keeps the name in the workflow, and would take one that begins so for an expression.
		const name = (view.toName(item) || value).slice(0, LONGEST_NAME).replace(/^=/, ' =');
		return value === '' ? [] : [{ name, value }];
	});
}

// n8n's list does not let an entry be chosen whose value is no text. With a space, n8n asks again.
function progress({ items, total = 0 }: Directory): INodeListSearchItems {
	const of = total > items.length ? ` of ${total}` : '';
	return { name: `Searched ${items.length}${of}. Type a space to go on.`, value: false };
}
