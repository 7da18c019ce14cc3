import type { IDataObject, ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { templatesOf } from '../../api/listEndpoints';
import { findPlaceholder } from '../../panel/itemParameters';
import { findInEditor } from '../pickers';

/** A name in double or triple braces, with spaces or not: {{name}}, {{ first name }}. */
const PLACEHOLDER = /\{\{\{([^{}]*)\}\}\}|\{\{([^{}]*)\}\}/g;

const NO_TEMPLATE = 'Choose an existing template, not an expression, to see its placeholders here';

/** A template as the service returns it, except that `body` is always a string. */
export type Template = IDataObject & { body: string };

/** The placeholder names in a template's text, without duplicates, in order of first appearance. */
export function placeholdersOf(body: string): string[] {
	const names = [...body.matchAll(PLACEHOLDER)].map(([, triple, double]) =>
		(triple ?? double).trim(),
	);
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
		(placeholder, triple?: string, double = '') =>
			values.get((triple ?? double).trim()) ?? placeholder,
	);
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
