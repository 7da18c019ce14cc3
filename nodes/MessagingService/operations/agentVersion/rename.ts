import type { INodeProperties } from 'n8n-workflow';
import type { components } from '../../api/api.types';
import { readObject } from '../../api/client';
import { path } from '../../api/url';
import { readOutput } from '../../panel/toolOutput';
import type { Operation } from '../operation';
import { readId, readAgentId, VERSION, versionFields, versionRequest } from './version';
import { UUID_PLACEHOLDER } from '../../panel/parameters';

const versionIdField: INodeProperties = {
	displayName: 'Version ID',
	name: 'versionId',
	type: 'string',
	required: true,
	default: '',
	placeholder: UUID_PLACEHOLDER,
	description: 'ID of the version to rename',
	hint: 'The "id" in the output of Agent Version: Create',
};

/** Renames a version of an agent (interface, endpoint 8). */
export const rename: Operation = {
	option: {
		name: 'Rename',
		value: 'rename',
		action: 'Rename agent version',
		description: 'Rename a version of an agent (pipeline). Nothing else changes.',
	},
	toolDescription:
		'Renames a version of an agent (pipeline). Nothing else about it changes. Returns the version.',
	writes: true,
	fields: versionFields(versionIdField, {
		displayName: 'Name',
		name: 'name',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. Friendlier greeting',
		description: 'The new name of the version',
	}),

	async execute({ client, parameters }, run) {
		const id = readAgentId(parameters);
		const advice = 'Take the "id" in the output of Agent Version: Create.';
		const versionId = readId(parameters, versionIdField, advice);
		const body: components['schemas']['PipelineVersionChange'] = {
			name: parameters.requiredText('name', { label: 'Name' }),
		};
		const place = path`/public/pipelines/${id}/versions/${versionId}`;
		const request = versionRequest('PATCH', place, body);
		const output = readOutput(parameters, VERSION);
		const subject = [id, versionId, body.name ?? ''];
		return await run.once({ subject }, async () => output(await client.send(request, readObject)));
	},
};
