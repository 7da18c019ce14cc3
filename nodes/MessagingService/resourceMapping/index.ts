import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { DEFAULT_CONCURRENCY } from '../fields/options';
import { findTemplate } from '../resources/messageTemplate/findTemplate';
import { placeholdersOf } from '../resources/messageTemplate/template';
import { createClient, DEFAULT_TRANSPORT } from '../transport/client';

/** The fields of the panel for a chosen template: one per placeholder. */
export async function getPlaceholders(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const id = this.getCurrentNodeParameter('templateId', { extractValue: true });
	if (id === undefined || id === null || id === '') return { fields: [] };
	const client = await createClient(this);
	const template = await findTemplate(client, DEFAULT_TRANSPORT, DEFAULT_CONCURRENCY, String(id));
	const body = typeof template?.body === 'string' ? template.body : '';
	return {
		fields: placeholdersOf(body).map((name) => ({
			id: name,
			displayName: name,
			required: true,
			defaultMatch: false,
			display: true,
			type: 'string',
		})),
	};
}
