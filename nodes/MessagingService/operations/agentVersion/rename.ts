import type { components } from '../../api/api.types';
import { readObject } from '../../api/client';
import { path } from '../../api/url';
import { textField } from '../../panel/field';
import { readId, UUID_PLACEHOLDER } from '../../panel/ids';
import { readOutput } from '../../panel/output';
import type { WriteOperation } from '../operation';
import { agentIdField, VERSION, versionFields, versionRequest } from './version';

const versionIdField = textField('Version ID', 'versionId', 'ID of the version to rename', {
	required: true,
	placeholder: UUID_PLACEHOLDER,
	hint: 'The "id" in the output of Agent Version: Create',
	advice: 'Take the "id" in the output of Agent Version: Create.',
});

const nameField = textField('Name', 'name', 'The new name of the version', {
	required: true,
	placeholder: 'e.g. Friendlier greeting',
});

/** Renames a version of an agent (interface, endpoint 8). */
export const rename: WriteOperation = {
	option: {
		name: 'Rename',
		value: 'rename',
		action: 'Rename agent version',
		description: 'Rename a version of an agent',
	},
	toolDescription: 'Renames a version of an agent. Returns the version.',
	writes: true,
	fields: versionFields(versionIdField, nameField),

	async execute({ client, parameters }, run) {
		const id = readId(parameters, agentIdField);
		const versionId = readId(parameters, versionIdField);
		const body: components['schemas']['PipelineVersionChange'] = {
			name: parameters.requiredText(nameField),
		};
		const place = path`/public/pipelines/${id}/versions/${versionId}`;
		const request = versionRequest('PATCH', place, body);
		const output = readOutput(parameters, VERSION);
		const subject = [id, versionId, body.name ?? ''];
		return await run.once({ subject }, async () => output(await client.send(request, readObject)));
	},
};
