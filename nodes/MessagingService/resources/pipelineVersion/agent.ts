import type { INodeProperties } from 'n8n-workflow';
import { entryLike, UUID, UUID_PLACEHOLDER } from '../../panel/locators';
import type { FieldWords, Parameters } from '../../panel/parameters';

// Either mode takes either form. The address of a webhook has an ID too, but not that of the agent.
const validation = entryLike(
	`${UUID}|https?://(?!\\S*/webhook/)\\S*${UUID}\\S*`,
	'Not an agent: enter its ID, or the address at which the agent builder shows it',
);

/** The agent whose versions are handled. */
export const pipelineId: INodeProperties = {
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
			validation,
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: UUID_PLACEHOLDER,
			hint: 'The ID of the agent, as the agent builder shows it',
			validation,
		},
	],
};

const WORDS: FieldWords = {
	label: 'Agent',
	advice: 'Copy the address of the agent from the agent builder, or the ID in it.',
};

/** Reads the ID of the agent, from an ID or an address, whichever was entered in whichever mode. */
export function readPipelineId(parameters: Parameters): string {
	const value = parameters.located('pipelineId', WORDS);
	if (!value.includes('/')) return parameters.toUuid(value, WORDS);
	if (value.includes('/webhook/')) {
		parameters.fail('"Agent" is the address of a webhook', WORDS.advice);
	}
	const [, named] = new RegExp(`/(?:agent|pipeline)s?/(${UUID})`).exec(value) ?? [];
	if (named !== undefined) return named;
	const [id = value, ...others] = new Set(value.match(new RegExp(UUID, 'g')));
	if (others.length === 0) return parameters.toUuid(id, WORDS);
	return parameters.fail(
		'"Agent" is an address with more than one ID',
		'Enter only the ID of the agent, so that it is clear which one is meant.',
	);
}
