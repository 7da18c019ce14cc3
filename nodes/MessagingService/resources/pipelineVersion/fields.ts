import type { INodeProperties } from 'n8n-workflow';
import type { FieldWords } from '../../fields/parameters';
import type { Explanation } from '../../transport/errors';

/** The agent whose versions are handled. */
export const pipelineId: INodeProperties = {
	displayName: 'Agent ID',
	name: 'pipelineId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 123e4567-e89b-12d3-a456-426614174000',
	description:
		'ID of the agent, also called pipeline ID. It is part of the address of the agent builder.',
};

export const PIPELINE_ID: FieldWords = {
	label: 'Agent ID',
	advice: 'Copy it from the address of the agent builder.',
};

export const NOT_FOUND: Explanation = {
	message: 'The messaging service does not find this agent or version',
	description:
		"Check the IDs. An agent of another team counts as not found too, so check that the credential holds that team's API key.",
};
