import type { INodeProperties } from 'n8n-workflow';
import type { components } from '../../api/api.types';
import type { ApiRequest } from '../../api/request';
import { entryLike, UUID, UUID_PLACEHOLDER } from '../../panel/locators';
import { optionsField } from '../../panel/options';
import type { FieldWords, ItemParameters } from '../../panel/parameters';
import { type OutputChoice, pick, simplifyField, toolOutput } from '../../panel/toolOutput';

// Both modes accept an ID or a URL, but no webhook URL: the ID in that is not the agent's.
const agentValidation = entryLike(
	`${UUID}|https?://(?!\\S*/webhook/)\\S*${UUID}\\S*`,
	'Not an agent: enter its ID, or its address in the agent builder',
);

/** The agent whose versions are handled. */
const pipelineIdField: INodeProperties = {
	displayName: 'Agent',
	name: 'pipelineId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'url', value: '' },
	description: 'The agent (pipeline) that the version belongs to',
	modes: [
		{
			displayName: 'By URL',
			name: 'url',
			type: 'string',
			placeholder: 'e.g. https://messaging.example.com/…/123e4567-…',
			hint: 'Open the agent in the agent builder and paste the address from your browser',
			validation: agentValidation,
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: UUID_PLACEHOLDER,
			hint: 'The ID of the agent, as the agent builder shows it',
			validation: agentValidation,
		},
	],
};

const AGENT: FieldWords = {
	label: 'Agent',
	advice: 'Copy the address of the agent from the agent builder, or the ID in it.',
};
const NAMED_IN_ADDRESS = new RegExp(`/(?:agent|pipeline)s?/(${UUID})`);
const ANY_ID = new RegExp(UUID, 'g');

/** Reads the agent's ID from an ID or a URL, either of which may be entered in either mode. */
export function readPipelineId(parameters: ItemParameters): string {
	const value = parameters.requiredText(pipelineIdField.name, AGENT);
	// The ID in a webhook URL is the webhook's, not the agent's.
	const isAddress = value.includes('/') && !value.includes('/webhook/');
	return parameters.toUuid((isAddress && findAgent(value)) || value, AGENT);
}

/** Finds the agent's ID in a URL. Of several IDs, only one after "agent" or "pipeline" is certainly the right one. */
function findAgent(address: string): string | undefined {
	const [, named] = NAMED_IN_ADDRESS.exec(address) ?? [];
	const [id, ...others] = new Set(address.match(ANY_ID));
	return named ?? (others.length === 0 ? id : undefined);
}

/** How versions are output to an AI agent. The simplified form omits the schema, which may be very long. */
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
export function versionFields(...own: INodeProperties[]): INodeProperties[] {
	return [pipelineIdField, ...own, simplifyField, ...toolOutput(VERSION), optionsField()];
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
