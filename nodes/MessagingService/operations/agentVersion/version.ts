import type { components } from '../../api/api.types';
import type { ApiRequest } from '../../api/request';
import { type Field, textField } from '../../panel/field';
import { UUID_PLACEHOLDER } from '../../panel/ids';
import { optionsField } from '../../panel/options';
import { type OutputChoice, outputFields, pick } from '../../panel/output';

/** The agent whose versions are handled. */
export const agentIdField = textField(
	'Agent ID',
	'agentId',
	'ID of the agent that the version belongs to',
	{
		required: true,
		placeholder: UUID_PLACEHOLDER,
		hint: 'The ID in the address of the agent builder',
		advice: 'Copy the ID in the address of the agent builder.',
	},
);

/** How versions are output. The simplified form omits the schema, which may be very long. */
export const VERSION = {
	fields: {
		id: 'ID',
		isLatestLive: 'Is Latest Live',
		madeLiveAt: 'Made Live At',
		name: 'Name',
		number: 'Number',
		pipelineId: 'Agent ID',
		pipelineOptions: 'Agent Options',
		schema: 'Schema',
		versionId: 'Version ID',
		versionName: 'Version Name',
		versionNumber: 'Version Number',
	} satisfies Record<keyof components['schemas']['PipelineVersion'], string>,
	simplify: (version) =>
		pick(version, ['id', 'number', 'name', 'pipelineId', 'isLatestLive', 'madeLiveAt']),
} satisfies OutputChoice;

/** The fields of an operation on a version. */
export function versionFields(...own: Field[]): Field[] {
	return [agentIdField, ...own, ...outputFields(VERSION), optionsField()];
}

/** A request that creates or changes a version. */
export function versionRequest(method: 'POST' | 'PATCH', place: string, body: object): ApiRequest {
	return {
		method,
		path: place,
		body,
		repeat: 'ifRefused',
		notFound: {
			message: 'The messaging service cannot find this agent or version',
			description: "Check the IDs, and that the credential has the API key of the agent's team.",
		},
	};
}
