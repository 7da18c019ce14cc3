import type { components } from '../../api/api.types';
import type { ApiRequest } from '../../api/request';
import type { Field } from '../../panel/field';
import { UUID_PLACEHOLDER } from '../../panel/ids';
import { optionsField } from '../../panel/options';
import { type OutputChoice, outputFields, pick } from '../../panel/tool';

/** The agent whose versions are handled. */
export const agentIdField: Field = {
	displayName: 'Agent ID',
	name: 'agentId',
	type: 'string',
	required: true,
	default: '',
	placeholder: UUID_PLACEHOLDER,
	description: 'ID of the agent that the version belongs to',
	hint: 'Open the agent in the agent builder: its ID is in the address in your browser',
	advice: 'Copy the ID in its address in the agent builder.',
};

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
			description:
				"Check the IDs. An agent of another team is not found either, so check that the credential has that team's API key.",
		},
	};
}
