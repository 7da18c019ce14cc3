import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { askForEditor } from '../../panel/pickers';
import { PanelValues } from '../../panel/parameters';
import { bodyOf, findTemplate, placeholdersOf, readTemplates } from './template';

/** The fields of the panel for a chosen template, one per placeholder, or why there are none. */
export async function getPlaceholders(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const id = PanelValues.ofEditor(this).locator('templateId', { label: 'Template' });
	if (id === undefined) return { fields: [], emptyFieldsNotice: 'Choose a template first' };
	const template = await askForEditor(this, async (client) =>
		findTemplate(client, await readTemplates(client), id),
	);
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
