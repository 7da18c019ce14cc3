import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { askForEditor } from '../pickers';
import { findTemplate, placeholdersOf, readTemplates } from './template';

/** The editor has no place for notices. */
const NOBODY = { add: () => {} };

/** The fields of the panel for a chosen template, one per placeholder, or why there are none. */
export async function getPlaceholders(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const chosen = this.getCurrentNodeParameter('templateId', { extractValue: true });
	const id = String(chosen ?? '').trim();
	if (id === '') {
		return {
			fields: [],
			emptyFieldsNotice:
				'Choose a template, not an expression: its placeholders appear here as fields',
		};
	}
	const template = await askForEditor(this, async (client) =>
		findTemplate(await readTemplates(client, NOBODY), id),
	);
	if (!template) return { fields: [], emptyFieldsNotice: 'There is no template with this ID' };
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
