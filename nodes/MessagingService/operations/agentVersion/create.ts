import type { components } from '../../api/api.types';
import { readObject } from '../../api/client';
import { path } from '../../api/url';
import { collection, type Field, switchField, textField } from '../../panel/field';
import { readId, requireUuid, UUID_PLACEHOLDER } from '../../panel/ids';
import { readJsonObject } from '../../panel/jsonField';
import { readOutput } from '../../panel/output';
import type { WriteOperation } from '../operation';
import { agentIdField, VERSION, versionFields, versionRequest } from './version';

const HOW_TO_EXPORT = 'Ask your service how to export an agent';

const schemaField: Field = {
	displayName: 'Schema',
	name: 'schema',
	type: 'json',
	typeOptions: { rows: 8 },
	required: true,
	default: '',
	description: 'The definition of the agent, as a JSON object',
	hint: `${HOW_TO_EXPORT}: this node cannot read versions. Each run saves another one.`,
	advice: `${HOW_TO_EXPORT}.`,
};

const newBranchField = switchField(
	'New Branch',
	'newBranch',
	'Whether to create the version as a new branch',
);

const parentVersionIdField = textField(
	'Parent Version ID',
	'parentVersionId',
	'ID of the version to branch from',
	{ placeholder: UUID_PLACEHOLDER },
);

const versionNameField = textField('Version Name', 'versionName', 'Name of the new version', {
	placeholder: 'e.g. Friendlier greeting',
});

const additionalFieldsField = collection({
	displayName: 'Additional Fields',
	name: 'additionalFields',
	placeholder: 'Add field',
	options: [newBranchField, parentVersionIdField, versionNameField],
});

/** Creates a version of an agent (interface, endpoint 7). */
export const create: WriteOperation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create agent version',
		description: 'Save a schema as a new version of an agent',
	},
	toolDescription:
		'Saves a schema as a new version of an agent that talks to real people. Every call saves another one. Use it only when the user asks for it, with a schema that the user gave or confirmed. Returns the version.',
	writes: true,
	fields: versionFields(schemaField, additionalFieldsField),

	async execute({ client, parameters }, run) {
		const id = readId(parameters, agentIdField);
		const schema = readJsonObject(parameters, schemaField);
		// An empty schema would save an agent without content.
		if (Object.keys(schema).length === 0) {
			parameters.fail(`"${schemaField.displayName}" is empty`, schemaField.advice);
		}
		const additional = parameters.members(additionalFieldsField);
		const parent = additional.text(parentVersionIdField);
		const body: components['schemas']['NewPipelineVersion'] = {
			schema,
			versionName: additional.text(versionNameField) || undefined,
			parentVersionId: parent ? requireUuid(additional, parentVersionIdField, parent) : undefined,
			newBranch: additional.has(newBranchField) ? additional.isOn(newBranchField) : undefined,
		};
		const request = versionRequest('POST', path`/public/pipelines/${id}/versions`, body);
		const output = readOutput(parameters, VERSION);
		const subject = [id, body.versionName ?? ''];
		return await run.once({ subject }, async () => output(await client.send(request, readObject)));
	},
};
