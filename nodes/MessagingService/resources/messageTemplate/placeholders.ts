import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import type { Client } from '../../api/client';
import { askForEditor } from '../pickers';
import { findTemplate, placeholdersOf, readTemplates } from './template';

const NO_TEMPLATE =
	'Choose an existing template, not an expression: its placeholders appear here as fields';
/** The editor has no place for notices. */
const NOBODY = { add: () => {} };

/** The fields of the panel for a chosen template, one for each placeholder, or why there are none. */
export async function getPlaceholders(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const chosen = this.getCurrentNodeParameter('templateId', { extractValue: true });
	const id = String(chosen ?? '').trim();
	const find = async (client: Client) => findTemplate(await readTemplates(client, NOBODY), id);
	const template = id === '' ? undefined : await askForEditor(this, find);
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
