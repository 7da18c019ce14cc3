import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { DEFAULT_CONCURRENCY } from '../fields/options';
import { TRANSPORT } from '../listSearch/directory';
import { findTemplate } from '../resources/messageTemplate/findTemplate';
import { placeholdersOf } from '../resources/messageTemplate/template';
import { createClient } from '../transport/client';

/** The fields of the panel for a chosen template, one per placeholder, or why there are none. */
export async function getPlaceholders(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const chosen = this.getCurrentNodeParameter('templateId', { extractValue: true });
	const id = String(chosen ?? '').trim();
	if (id === '') return { fields: [], emptyFieldsNotice: 'Choose a template first' };
	const found = await findTemplate(await createClient(this), id, {
		transport: TRANSPORT,
		concurrency: DEFAULT_CONCURRENCY,
	});
	if (!found) return { fields: [], emptyFieldsNotice: 'There is no template with this ID' };
	return {
		fields: placeholdersOf(found.body).map((name) => ({
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
