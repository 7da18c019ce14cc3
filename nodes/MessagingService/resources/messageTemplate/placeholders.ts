import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { connect } from '../../connection';
import { withNodeErrors } from '../../nodeError';
import { interactive } from '../../panel/pickers/directory';
import { placeholdersOf } from './template';
import { Templates } from './templates';

/** The fields of the panel for a chosen template, one per placeholder, or why there are none. */
export async function getPlaceholders(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const chosen = this.getCurrentNodeParameter('templateId', { extractValue: true });
	const id = String(chosen ?? '').trim();
	if (id === '') return { fields: [], emptyFieldsNotice: 'Choose a template first' };
	const found = await withNodeErrors(this.getNode(), async () => {
		const client = await connect(this);
		return await new Templates(interactive(client)).find(id);
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
