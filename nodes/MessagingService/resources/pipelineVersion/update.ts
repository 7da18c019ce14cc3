import type { IDataObject } from 'n8n-workflow';
import type { components } from '../../api/api.types';
import { path } from '../../api/url';
import { UUID_PLACEHOLDER } from '../../panel/locators';
import type { Item, Operation } from '../operation';
import { readPipelineId, sendForVersion, versionFields } from './version';

const VERSION_ID = {
	label: 'Version ID',
	advice: 'Take the "id" in the output of Agent Version: Create.',
};

/** Renames a version of an agent (interface, endpoint 8). */
export const update: Operation = {
	option: {
		name: 'Rename',
		value: 'update',
		action: 'Rename agent version',
		description: 'Rename a version of an agent (pipeline). Nothing else changes.',
	},
	toolDescription:
		'Renames a version of an agent (pipeline). Nothing else about it changes. Returns the version.',
	writes: true,
	fields: versionFields(
		{
			displayName: 'Version ID',
			name: 'versionId',
			type: 'string',
			required: true,
			default: '',
			placeholder: UUID_PLACEHOLDER,
			description: 'ID of the version to rename',
			hint: 'The "id" in the output of Agent Version: Create',
		},
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. Friendlier greeting',
			description: 'The new name of the version',
		},
	),

	start: () => ({ execute }),
};

async function execute(item: Item): Promise<IDataObject> {
	const { parameters } = item;
	const id = readPipelineId(parameters);
	const versionId = parameters.toUuid(parameters.requiredText('versionId', VERSION_ID), VERSION_ID);
	const body: components['schemas']['PipelineVersionChange'] = {
		name: parameters.requiredText('name', { label: 'Name' }),
	};
	return await sendForVersion(item, {
		method: 'PATCH',
		path: path`/public/pipelines/${id}/versions/${versionId}`,
		body,
	});
}
