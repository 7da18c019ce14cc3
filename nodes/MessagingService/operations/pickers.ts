import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	ResourceMapperFields,
} from 'n8n-workflow';
import type { Account } from '../api/account';
import { shorten } from '../api/text';
import { INBOXES, type ListEndpoint, templatesOf } from '../api/listEndpoints';
import { readPages } from '../api/pager';
import { connect } from '../n8n/connection';
import { readAccount, withCredential } from '../panel/credential';
import { failedList } from '../words/lists';
import { take } from './lists';
import { pickTemplate, placeholdersOf } from './messageTemplate/template';

/** Someone is waiting in the editor, so requests give up sooner than in a workflow. */
const MAX_EDITOR_WAIT_MS = 12_000;
/** More than anybody looks through; the others are found by typing. */
const MAX_CHOICES = 1_000;
/** Characters of a template's text that are shown. */
const MAX_PREVIEW_LENGTH = 80;

const NO_TEMPLATE = 'Choose an existing template, not an expression, to see its placeholders here';

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

/** The fields of the panel for a chosen template, one for each placeholder, or why there are none. */
export async function getPlaceholders(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const chosen = this.getCurrentNodeParameter('templateId', { extractValue: true });
	const id = String(chosen ?? '').trim();
	const [template] =
		id === ''
			? []
			: await findInEditor(this, templatesOf, 1, (templates) => pickTemplate(templates, id));
	if (!template) return { fields: [], emptyFieldsNotice: NO_TEMPLATE };
	return {
		fields: placeholdersOf(template.body).map((name) => ({
			id: name,
			displayName: name,
			required: true,
			defaultMatch: false,
			display: true,
			type: 'string',
		})),
		emptyFieldsNotice: 'This template has no placeholders',
	};
}

/**
 * Finds entries of a list on behalf of someone who is waiting in the editor. What the service itself leaves out cannot be
 * helped here.
 *
 * @param select gives what is wanted of a page
 * @throws {NodeApiError | NodeOperationError} when the list could not be read to its end.
 */
async function findInEditor<Item>(
	context: ILoadOptionsFunctions,
	endpointOf: (account: Account) => ListEndpoint,
	limit: number,
	select: (entries: readonly IDataObject[]) => readonly Item[],
): Promise<Item[]> {
	return await withCredential(context, async (data) => {
		const client = connect(context, { data, account: readAccount(data) });
		const endpoint = endpointOf(client.account);
		const pages = readPages(client.within(MAX_EDITOR_WAIT_MS), endpoint);
		const { items, verdict } = await take(pages, limit, select);
		if (verdict.kind === 'error') throw failedList(verdict, endpoint.noun);
		return items;
	});
}

async function findChoices(
	context: ILoadOptionsFunctions,
	endpointOf: (account: Account) => ListEndpoint,
	typed = '',
): Promise<INodeListSearchResult> {
	const results = await findInEditor(context, endpointOf, MAX_CHOICES, (entries) =>
		entries
			.map(toChoice)
			// n8n would evaluate an ID that begins with "=".
			.filter(({ value }) => /^[^=]/.test(value))
			.filter(({ name }) => plain(name).includes(plain(typed))),
	);
	return { results };
}

/** An entry as n8n offers it: with its name, and an inbox's number or the beginning of a template's text. */
function toChoice({ id, name, phone, body }: IDataObject): { name: string; value: string } {
	const value = shown(id);
	const preview = shorten(shown(body).replace(/\s+/g, ' '), MAX_PREVIEW_LENGTH);
	const label = [shown(name), shown(phone), preview].filter(Boolean).join(' · ') || value;
	// n8n keeps the name in the workflow, and takes one that begins with "=" for an expression.
	return { name: label.replace(/^=/, ' ='), value };
}

/** The letters and digits of a text, for a comparison regardless of case, accents, spaces and signs. */
function plain(text: string): string {
	return text
		.normalize('NFKD')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]/gu, '');
}

/** A plain value as text; empty for anything else. */
function shown(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
