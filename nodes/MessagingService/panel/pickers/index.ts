import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import type { Account } from '../../api/account';
import type { ListSource } from '../../api/list';
import { INBOXES, templatesOf } from '../../api/lists';
import { digitsOf } from '../phone';
import { askForEditor } from './interactive';
import { type Place, readPage, toPlace } from './pages';
import { hasWords, toLabel } from './text';

/** So many entries make n8n's list scroll, and only when it is scrolled to its end it asks for more. */
const SCROLLABLE = 10;
/** Pages that are searched at once for what was typed. */
const MOST_PAGES = 20;
/** n8n keeps the name of what was chosen in the workflow. */
const LONGEST_NAME = 200;

/** How the items of a list are found and shown. */
interface View {
	isFound(item: IDataObject): boolean;
	toName(item: IDataObject): string;
}

/** Lists the account's inboxes; a filter finds them by name and by phone number. */
export async function searchInboxes(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const toName = ({ name, phone }: IDataObject) => toLabel(name, phone);
	const hasPhone = ({ phone }: IDataObject) => digitsOf(toLabel(phone)).includes(digitsOf(filter));
	const byPhone = isPhone(filter);
	const view: View = {
		isFound: (inbox) => hasWords(toName(inbox), filter) || (byPhone && hasPhone(inbox)),
		toName,
	};
	return await search(this, () => INBOXES, paginationToken, { filter, view });
}

/** Lists the team's message templates; a filter finds them by name and by ID. */
export async function searchTemplates(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const view: View = {
		isFound: ({ id, name }) => hasWords(toLabel(name, id), filter),
		toName: ({ name }) => toLabel(name),
	};
	return await search(this, templatesOf, paginationToken, { filter, view });
}

/** Reads on from a place until there is enough to show: a page of the list, or what was typed. */
async function search(
	context: ILoadOptionsFunctions,
	sourceOf: (account: Account) => ListSource,
	paginationToken: unknown,
	{ filter, view }: { filter: string; view: View },
): Promise<INodeListSearchResult> {
	return await askForEditor(context, async (client) => {
		const source = sourceOf(client.account);
		const wanted = filter.trim() === '' ? 1 : SCROLLABLE;
		const results: INodeListSearchItems[] = [];
		let next: Place | undefined = toPlace(paginationToken);
		for (let pages = 0; next && results.length < wanted && pages < MOST_PAGES; pages++) {
			const page = await readPage(client, source, next);
			results.push(...toEntries(page.items.filter(view.isFound), view));
			next = page.next;
		}
		return { results, paginationToken: next && JSON.stringify(next) };
	});
}

/** Whether somebody looks for a phone number. */
function isPhone(text: string): boolean {
	return /^[\d\s().+-]+$/.test(text) && digitsOf(text).length >= 3;
}

/** The entries of n8n's list. What has no ID cannot be chosen. */
function toEntries(items: readonly IDataObject[], { toName }: View): INodeListSearchItems[] {
	return items.flatMap((item) => {
		const value = toLabel(item.id);
		// n8n keeps the name in the workflow, and would take one that begins so for an expression.
		const name = (toName(item) || value).slice(0, LONGEST_NAME).replace(/^=/, ' =');
		return value === '' ? [] : [{ name, value }];
	});
}
