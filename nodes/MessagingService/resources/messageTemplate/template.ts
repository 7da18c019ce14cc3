import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import { IncompleteList } from '../../api/incompleteList';
import { templatesOf } from '../../api/listEndpoints';
import { readList, take } from '../getList';
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

/** The templates of the team, as far as they could be read: the interface has no way to get a single one. */
export interface Templates {
	all: IDataObject[];
	/** Why some are missing, if any are. */
	gap?: IncompleteList;
}

/**
 * Reads all templates of the team.
 *
 * @throws {RequestFailure} when not even the first page could be read.
 */
export async function readTemplates(client: Client, notices: Run['notices']): Promise<Templates> {
	const pages = readList(notices, client, templatesOf(client.account));
	return await take(Infinity, pages).then(
		(all) => ({ all }),
		(error: unknown) => {
			if (error instanceof IncompleteList) return { all: error.items, gap: error };
			throw error;
		},
	);
}

/**
 * Finds a template among those that were read.
 *
 * @returns undefined when there is none with this ID.
 * @throws {IncompleteList} when not all could be read, and it is not among those that were.
 */
export function findTemplate({ all, gap }: Templates, id: string): Template | undefined {
	const template = all.find((each) => String(each.id) === id);
	if (!template && gap) throw gap.with([]);
	if (!template) return undefined;
	const { body } = template;
	return { ...template, body: typeof body === 'string' ? body : '' };
}
