import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import { templatesOf } from '../../api/listEndpoints';
import { readList } from '../getList';
import type { Run } from '../operation';

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

/**
 * Reads all templates of the team: the interface has no way to get a single one.
 *
 * @throws {RequestFailure | IncompleteList} when not all could be read.
 */
export async function readTemplates(
	client: Client,
	notices: Run['notices'],
): Promise<IDataObject[]> {
	const pages: IDataObject[][] = [];
	for await (const page of readList(notices, client, templatesOf(client.account))) pages.push(page);
	return pages.flat();
}

/** Finds a template by its ID; undefined when there is none. */
export function findTemplate(templates: readonly IDataObject[], id: string): Template | undefined {
	const template = templates.find((each) => String(each.id) === id);
	if (!template) return undefined;
	const { body } = template;
	return { ...template, body: typeof body === 'string' ? body : '' };
}
