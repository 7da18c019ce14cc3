import type { IDataObject } from 'n8n-workflow';
import { optionsField } from '../../panel/options';
import { readToolOutput, toolOutput } from '../../panel/toolOutput';
import type { components } from '../../api/api.types';
import { path } from '../../api/url';
import type { Item, Operation } from '../operation';
import { NOT_FOUND, pipelineId, readPipelineId } from './agent';
import { VERSION } from './output';

/** Renames a version of an agent (interface, endpoint 8). */
export const update: Operation = {
	option: {
		name: 'Update',
		value: 'update',
		action: 'Update agent version',
		description: 'Rename a version of an agent (pipeline)',
	},
	toolDescription:
		'Gives a version of an agent (pipeline) another name. Nothing else of it changes. Returns the version.',
	writes: true,
	fields: [
		pipelineId,
		{
			displayName: 'Version ID',
			name: 'versionId',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 123e4567-e89b-12d3-a456-426614174000',
			description: 'ID of the version to rename, which Agent Version: Create returns',
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
		...toolOutput(VERSION),
		optionsField(),
	],

	start: () => ({ execute }),
};

async function execute({ client, parameters }: Item): Promise<IDataObject> {
	const id = readPipelineId(parameters);
	const versionId = parameters.requiredUuid('versionId', {
		label: 'Version ID',
		advice: 'It is the "id" that creating the version returned.',
	});
	const body: components['schemas']['PipelineVersionChange'] = {
		name: parameters.requiredText('name', { label: 'Name' }),
	};
	const output = readToolOutput(parameters, VERSION);
	const version = await client.sendForObject({
		method: 'PATCH',
		path: path`/public/pipelines/${id}/versions/${versionId}`,
		body,
		notFound: NOT_FOUND,
	});
	return output(version);
}
