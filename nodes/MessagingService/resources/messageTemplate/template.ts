import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import type { ListResult } from '../../api/list';
import { templatesOf } from '../../api/listSources';
import { readList } from '../../api/readList';
import { assertComplete } from '../getList';
import { listWords } from '../listWords';

/** A name in double braces, with spaces or not: {{name}}, {{ first name }}. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** A template as the service returns it, except that `body` is always a string. */
export type Template = IDataObject & { body: string };

/** The placeholder names in a template's text, without duplicates, in order of first appearance. */
export function placeholdersOf(body: string): string[] {
	const names = [...body.matchAll(PLACEHOLDER)].map(([, name]) => name.trim());
	return [...new Set(names)].filter((name) => name !== '');
}

/**
 * Fills the placeholders in a template's text (interface, Message template). Values are inserted literally: a
 * placeholder inside a value is not filled.
 *
 * @param values by placeholder name; a name that is missing leaves its placeholder as it stands
 */
export function fillTemplate(body: string, values: ReadonlyMap<string, string>): string {
	return body.replace(
		PLACEHOLDER,
		(placeholder, name: string) => values.get(name.trim()) ?? placeholder,
	);
}

/** Reads all templates of the team: the interface has no way to get a single one. */
export async function readTemplates(client: Client): Promise<ListResult> {
	return await readList(client, { ...templatesOf(client.account), limit: Infinity });
}

/**
 * Finds a template among those that were read.
 *
 * @returns undefined when there is none with this ID.
 * @throws {IncompleteList} when the list could not be read completely and the part that was read does not have it.
 */
export function findTemplate(
	{ account }: Client,
	result: ListResult,
	id: string,
): Template | undefined {
	const template = result.items.find((each) => String(each.id) === id);
	if (template) {
		const { body } = template;
		return { ...template, body: typeof body === 'string' ? body : '' };
	}
	assertComplete(result, listWords('message templates', account));
	return undefined;
}
