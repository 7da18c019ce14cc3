import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import type { Account } from '../api/account';
import type { Client } from '../api/client';
import { IncompleteList } from '../api/incompleteList';
import { shorten } from '../api/text';
import { INBOXES, type ListEndpoint, templatesOf } from '../api/listEndpoints';
import { readPages } from '../api/pager';
import { connect } from '../n8n/connection';
import { openCredential } from '../panel/credential';
import { withNodeErrors } from '../n8n/errors';
import { take } from './lists';

/** Someone is waiting in the editor, so requests give up sooner than in a workflow. */
const MAX_EDITOR_WAIT_MS = 12_000;
/** More than anybody looks through; the others are found by typing. */
const MAX_CHOICES = 1_000;
/** Characters of a template's text that are shown. */
const MAX_PREVIEW_LENGTH = 80;

/** Lists the account's inboxes; a filter finds them by a part of their name or phone number. */
export async function searchInboxes(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await findChoices(this, () => INBOXES, filter);
}

/** Lists the team's message templates; a filter finds them by a part of their name or text. */
export async function searchTemplates(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await findChoices(this, templatesOf, filter);
}

/** Asks the service on behalf of someone who is waiting in the editor. */
export async function askForEditor<Answer>(
	context: ILoadOptionsFunctions,
	ask: (client: Client) => Promise<Answer>,
): Promise<Answer> {
	return await withNodeErrors(context.getNode(), async () => {
		const client = connect(context, await openCredential(context));
		return await ask(client.within(MAX_EDITOR_WAIT_MS));
	});
}

async function findChoices(
	context: ILoadOptionsFunctions,
	endpointOf: (account: Account) => ListEndpoint,
	typed = '',
): Promise<INodeListSearchResult> {
	return await askForEditor(context, async (client) => {
		const pages = readPages(client, endpointOf(client.account));
		const isTyped = (entry: IDataObject) => plain(labelOf(entry)).includes(plain(typed));
		const select = (entry: IDataObject) =>
			canBeChosen(entry) && isTyped(entry) ? entry : undefined;
		const found = await take(MAX_CHOICES, pages, select).catch((error: unknown) => {
			// What the service itself leaves out cannot be helped here.
			if (error instanceof IncompleteList && error.cause === undefined) return error.items;
			throw error;
		});
		return { results: found.map(toChoice) };
	});
}

/** The letters and digits of a text, for a comparison regardless of case, accents, spaces and signs. */
function plain(text: string): string {
	return text
		.normalize('NFKD')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]/gu, '');
}

/** Whether an entry has an ID, and none that n8n would evaluate as an expression. */
function canBeChosen({ id }: IDataObject): boolean {
	return /^[^=]/.test(shown(id));
}

function toChoice(entry: IDataObject): INodeListSearchItems {
	const value = shown(entry.id);
	// n8n keeps the name in the workflow, and takes one that begins with "=" for an expression.
	return { name: (labelOf(entry) || value).replace(/^=/, ' ='), value };
}

/** The one-line label of an entry: its name, and an inbox's number or the beginning of a template's text. */
function labelOf({ name, phone, body }: IDataObject): string {
	const preview = shorten(shown(body).replace(/\s+/g, ' '), MAX_PREVIEW_LENGTH);
	return [shown(name), shown(phone), preview].filter(Boolean).join(' · ');
}

/** A plain value as text; empty for anything else. */
function shown(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
