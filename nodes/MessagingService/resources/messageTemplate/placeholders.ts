import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { askForEditor } from '../../panel/pickers/interactive';
import { placeholdersOf } from './template';
import { bodyOf, Templates } from './templates';

/** The fields of the panel for a chosen template, one per placeholder, or why there are none. */
export async function getPlaceholders(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const chosen = this.getCurrentNodeParameter('templateId', { extractValue: true });
	const id = String(chosen ?? '').trim();
	if (id === '') return { fields: [], emptyFieldsNotice: 'Choose a template first' };
	const template = await askForEditor(this, async (client) => await new Templates(client).find(id));
	if (!template) return { fields: [], emptyFieldsNotice: 'There is no template with this ID' };
	return {
		fields: placeholdersOf(bodyOf(template)).map((name) => ({
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
