import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import type { Account } from '../api/account';
import { type Client, DEFAULT_TRANSPORT } from '../api/client';
import { isObject, parseJson, shorten } from '../api/json';
import type { ListSource } from '../api/list';
import { INBOXES, templatesOf } from '../api/lists';
import { fetchPage, PAGE_SIZE } from '../api/pages';
import { readNumber } from '../api/url';
import { connect } from '../connection';
import { withNodeErrors } from '../nodeError';
import { digitsOf } from './phone';

/** Someone is waiting in the editor, so it gives up sooner than a workflow does. */
const INTERACTIVE = { ...DEFAULT_TRANSPORT, maxRetries: 1 };
const LONGEST_WAIT = 12_000;
/** So many entries make n8n's list scroll, and only when it is scrolled to its end it asks for more. */
const SCROLLABLE = 10;
/** Characters of a template's text that are shown. */
const LONGEST_TEXT = 80;
/** Pages that are searched at once for what was typed. */
const MOST_PAGES = 20;

/** Where a list goes on. n8n's editor keeps it, as text, until somebody scrolls that far. */
interface Place {
	/** The number of the page, as the service counts; the service's first page when left out. */
	page?: number;
	/** The ID of the first entry of the page before. */
	before?: string;
}

/** Lists the account's inboxes; a filter finds them by name and by phone number. */
export async function searchInboxes(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	return await search(this, () => INBOXES, filter, paginationToken);
}

/** Lists the team's message templates; a filter finds them by name. */
export async function searchTemplates(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	return await search(this, templatesOf, filter, paginationToken);
}

/** Asks the service for someone who waits in the editor. */
export async function askForEditor<Answer>(
	context: ILoadOptionsFunctions,
	ask: (client: Client) => Promise<Answer>,
): Promise<Answer> {
	return await withNodeErrors(context.getNode(), async () => {
		const client = await connect(context);
		return await ask(client.with(INTERACTIVE).within(LONGEST_WAIT));
	});
}

/** Reads on from a place until there is enough to show: a page of the list, or what was typed. */
async function search(
	context: ILoadOptionsFunctions,
	sourceOf: (account: Account) => ListSource,
	filter = '',
	paginationToken: unknown = undefined,
): Promise<INodeListSearchResult> {
	return await askForEditor(context, async (client) => {
		const source = sourceOf(client.account);
		const wanted = filter.trim() === '' ? 1 : SCROLLABLE;
		const results: INodeListSearchItems[] = [];
		let next: Place | undefined = toPlace(paginationToken);
		for (let pages = 0; next && results.length < wanted && pages < MOST_PAGES; pages++) {
			const page = await readPage(client, source, next);
			results.push(...page.items.filter((item) => isFound(item, filter)).flatMap(toEntry));
			next = page.next;
		}
		return { results, paginationToken: next && JSON.stringify(next) };
	});
}

/** Reads what n8n's editor was given as its token; the beginning of the list when there is none. */
function toPlace(token: unknown): Place {
	const place = parseJson(String(token));
	if (!isObject(place) || typeof place.page !== 'number') return {};
	return { page: place.page, before: String(place.before) };
}

/** Reads the page of a list at a place, and finds out where the list goes on, if it does. */
async function readPage(
	client: Client,
	source: ListSource,
	{ page, before }: Place,
): Promise<{ items: IDataObject[]; next?: Place }> {
	const { request, limitParameter, pageParameter } = source;
	const number = page === undefined ? [] : [[pageParameter, String(page)] as const];
	const query = [[limitParameter, String(PAGE_SIZE)] as const, ...number];
	const { entries, next, hasLinks } = await fetchPage(client, { ...request, query });
	const items = entries.filter(isObject);
	if (items.length === 0) return { items };
	const first = String(items[0].id);
	if (first === before) {
		// The same page again: either the service counts from 1, so that this was its first, or it has no more.
		return page === 1 ? await readPage(client, source, { page: 2, before }) : { items: [] };
	}
	if (hasLinks && !next) return { items };
	const linked = next && readNumber(next, pageParameter);
	return { items, next: { page: linked ?? (page ?? 0) + 1, before: first } };
}

/** Whether what the list shows of an item has all the words that were typed, or the digits of the number. */
function isFound(item: IDataObject, filter: string): boolean {
	const name = simplify(nameOf(item));
	const digits = /^[\d\s().+-]+$/.test(filter) ? digitsOf(filter) : '';
	return (
		simplify(filter)
			.split(/\s+/)
			.every((word) => name.includes(word)) ||
		(digits !== '' && digitsOf(textOf(item.phone)).includes(digits))
	);
}

/** A text as texts are compared, whatever their case and accents. */
function simplify(text: string): string {
	return text.trim().toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
}

/** The entry of n8n's list. What has no ID cannot be chosen. */
function toEntry(item: IDataObject): INodeListSearchItems[] {
	const value = textOf(item.id);
	// n8n keeps the name in the workflow, and would take one that begins so for an expression.
	const name = (nameOf(item) || value).replace(/^=/, ' =');
	return value === '' ? [] : [{ name, value }];
}

/** What can be shown in one line: of an inbox its number, of a template the beginning of its text. */
function nameOf({ name, phone, body }: IDataObject): string {
	const text = shorten(textOf(body).replace(/\s+/g, ' '), LONGEST_TEXT);
	return [textOf(name), textOf(phone), text].filter(Boolean).join(' · ');
}

function textOf(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
