import type { components } from '../../api/api.types';
import { readObject } from '../../api/client';
import { path } from '../../api/url';
import { readJsonObject } from '../../panel/jsonField';
import { readOutput } from '../../panel/toolOutput';
import type { Operation } from '../operation';
import { readAgentId, VERSION, versionFields, versionRequest } from './version';
import { UUID_PLACEHOLDER } from '../../panel/parameters';

const SCHEMA = {
	label: 'Schema',
	advice: 'Ask your service how to export an agent from the agent builder.',
};
const PARENT = { label: 'Parent Version ID' };

/** Creates a version of an agent (interface, endpoint 7). */
export const create: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create agent version',
		description: 'Save a schema as a new version of an agent (pipeline)',
	},
	toolDescription:
		'Saves a schema as a new version of an agent (pipeline) that talks to real people. Every call saves another version. Use it only when the user asks for a new version, with a schema that the user gave or confirmed. Returns the version with its ID and number.',
	writes: true,
	fields: versionFields(
		{
			displayName: 'Schema',
			name: 'schema',
			type: 'json',
			typeOptions: { rows: 8 },
			required: true,
			default: '',
			description: 'The definition of the agent, as a JSON object',
			hint: 'Ask your service how to export an agent from the agent builder: this node cannot read existing versions. Each run saves another version.',
		},
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add field',
			default: {},
			options: [
				{
					displayName: 'New Branch',
					name: 'newBranch',
					type: 'boolean',
					default: false,
					description: 'Whether to create the version as a new branch',
				},
				{
					displayName: 'Parent Version ID',
					name: 'parentVersionId',
					type: 'string',
					default: '',
					placeholder: UUID_PLACEHOLDER,
					description: 'ID of the version to branch from. Agent Version: Create returns it.',
				},
				{
					displayName: 'Version Name',
					name: 'versionName',
					type: 'string',
					default: '',
					placeholder: 'e.g. Friendlier greeting',
					description: 'Name of the new version',
				},
			],
		},
	),

	async execute({ client, parameters }, run) {
		const id = readAgentId(parameters);
		const schema = readJsonObject(parameters, 'schema', SCHEMA);
		// It would save an agent without content.
		if (Object.keys(schema).length === 0) parameters.fail('"Schema" is empty', SCHEMA.advice);
		const parent = parameters.text('additionalFields.parentVersionId', PARENT);
		const body: components['schemas']['NewPipelineVersion'] = {
			schema,
			versionName: parameters.text('additionalFields.versionName', { label: 'Version Name' }),
			parentVersionId: parent && parameters.toUuid(parent, PARENT),
			newBranch: parameters.boolean('additionalFields.newBranch', { label: 'New Branch' }),
		};
		const request = versionRequest('POST', path`/public/pipelines/${id}/versions`, body);
		const output = readOutput(parameters, VERSION);
		const subject = [id, body.versionName ?? ''];
		return await run.once({ subject }, async () => output(await client.send(request, readObject)));
	},
};
