import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import type { Account } from '../api/account';
import { type Client, DEFAULT_TRANSPORT } from '../api/client';
import { shorten } from '../api/json';
import { readList } from '../api/list';
import { INBOXES, type ListSource, templatesOf } from '../api/listSources';
import { connect } from '../connection';
import { withNodeErrors } from '../nodeError';
import { digitsOf } from './phone';

/** Someone is waiting in the editor, so it gives up sooner than a workflow does. */
const INTERACTIVE = { ...DEFAULT_TRANSPORT, maxRetries: 1 };
const LONGEST_WAIT = 12_000;
const PAGES_AT_ONCE = 20;
/** More entries than anybody looks through; the others are found by typing. */
const MOST_ENTRIES = 1_000;
/** Characters of a template's text that are shown. */
const LONGEST_TEXT = 80;

/** Lists the account's inboxes; a filter finds them by name and by phone number. */
export async function searchInboxes(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await search(this, () => INBOXES, filter);
}

/** Lists the team's message templates; a filter finds them by name. */
export async function searchTemplates(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await search(this, templatesOf, filter);
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

async function search(
	context: ILoadOptionsFunctions,
	sourceOf: (account: Account) => ListSource,
	filter = '',
): Promise<INodeListSearchResult> {
	return await askForEditor(context, async (client) => {
		const { items, missing } = await readList(client, {
			...sourceOf(client.account),
			limit: MOST_ENTRIES,
			newFilter: () => ({ isWanted: (item) => isFound(item, filter) }),
			concurrency: PAGES_AT_ONCE,
		});
		if (missing) throw missing.cause;
		return { results: items.flatMap(toEntry) };
	});
}

/** Whether what the list shows of an item has all the words that were typed, or the digits of the number. */
function isFound(item: IDataObject, filter: string): boolean {
	const name = simplify(nameOf(item));
	const words = simplify(filter).split(' ');
	if (words.every((word) => name.includes(word))) return true;
	const digits = /^[\d\s().+-]+$/.test(filter) ? digitsOf(filter) : '';
	return digits !== '' && digitsOf(textOf(item.phone)).includes(digits);
}

/** A text as texts are compared, whatever their case, accents and spaces. */
function simplify(text: string): string {
	return text.trim().toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ');
}

/** The entry of n8n's list. What has no ID cannot be chosen. */
function toEntry(item: IDataObject): INodeListSearchItems[] {
	const value = textOf(item.id);
	// n8n keeps the name in the workflow, and takes one that begins with "=" for an expression.
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
