import type { IDataObject } from 'n8n-workflow';
import { findPlaceholder } from '../../panel/itemParameters';

/** A name in double or triple braces, with spaces or not: {{name}}, {{ first name }}. */
const PLACEHOLDER = /\{\{\{[^{}]*\}\}\}|\{\{[^{}]*\}\}/g;

/** A template as the service returns it, except that `body` is always a string. */
export type Template = IDataObject & { body: string };

const nameIn = (placeholder: string) => placeholder.replace(/[{}]/g, '').trim();

/** The placeholder names in a template's text, without duplicates, in order of first appearance. */
export function placeholdersOf(body: string): string[] {
	const names = body.match(PLACEHOLDER)?.map(nameIn);
	return [...new Set(names)].filter((name) => name !== '');
}

/**
 * Fills the placeholders in a template's text (interface, Message template). Values are inserted literally: a
 * placeholder inside a value is not filled.
 *
 * @param values by placeholder name; a name that is missing leaves its placeholder as it stands
 */
export function fillTemplate(body: string, values: ReadonlyMap<string, string>): string {
	return body.replace(PLACEHOLDER, (placeholder) => values.get(nameIn(placeholder)) ?? placeholder);
}

/** Finds braces in a template's text that look like a placeholder, but are none; undefined where there are none. */
export function findOddBraces(body: string): string | undefined {
	return findPlaceholder(body.replace(PLACEHOLDER, ''));
}

/**
 * Picks the template with an ID, or none, of a page: the interface has no way to get a single one.
 *
 * @param id as a text
 */
export function pickTemplate(templates: readonly IDataObject[], id: string): Template[] {
	const found = templates.filter((template) => String(template.id) === id);
	return found.map((template) => ({
		...template,
		body: typeof template.body === 'string' ? template.body : '',
	}));
}
