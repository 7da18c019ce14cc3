import type { INodeProperties } from 'n8n-workflow';
import { inboxIds } from '../../fields/inboxIds';

// Names and paths are read by `readPath`.
const bodyField = (what: string) =>
	`${what}. A name such as "inbound" is also found one level down; a path such as "data.inbound" names the place exactly.`;

/** Which events start the workflow. */
export const filters: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	description: 'Which events start the workflow. Others are accepted, and nothing happens.',
	options: [
		{
			displayName: 'Conditions',
			name: 'conditions',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add condition',
			default: {},
			description: 'What has to be true of the body. All conditions have to hold.',
			options: [
				{
					displayName: 'Condition',
					name: 'values',
					values: [
						{
							displayName: 'Field',
							name: 'field',
							type: 'string',
							default: '',
							placeholder: 'e.g. data.status',
							description: bodyField('Field of the body'),
						},
						{
							displayName: 'Comparison',
							name: 'comparison',
							type: 'options',
							default: 'equals',
							description: 'How the field is compared',
							options: [
								{ name: 'Contains', value: 'contains' },
								{ name: 'Does Not Contain', value: 'notContains' },
								{ name: 'Does Not Equal', value: 'notEquals' },
								{ name: 'Does Not Exist', value: 'notExists' },
								{ name: 'Equals', value: 'equals' },
								{ name: 'Exists', value: 'exists' },
								{ name: 'Is Greater or Later Than', value: 'greaterThan' },
								{ name: 'Is Less or Earlier Than', value: 'lessThan' },
								{ name: 'Starts With', value: 'startsWith' },
							],
						},
						{
							displayName: 'Value',
							name: 'value',
							type: 'string',
							default: '',
							placeholder: 'e.g. delivered',
							description: 'What the field is compared with. Upper and lower case matter.',
							displayOptions: { hide: { comparison: ['exists', 'notExists'] } },
						},
					],
				},
			],
		},
		{
			displayName: 'Event Field',
			name: 'eventField',
			type: 'string',
			default: 'event',
			description: bodyField('Field of the body that names the event, for "Events" above'),
		},
		{
			displayName: 'Inbound Field',
			name: 'inboundField',
			type: 'string',
			default: 'inbound',
			description: bodyField(
				'Field of the body that is true for a received message, for "Inbound Only"',
			),
		},
		{
			displayName: 'Inbound Only',
			name: 'inboundOnly',
			type: 'boolean',
			default: true,
			description: 'Whether only messages that were received start the workflow',
		},
		{
			displayName: 'Inbox Field',
			name: 'inboxField',
			type: 'string',
			default: 'inboxId',
			description: bodyField('Field of the body with the ID of the inbox, for "Inboxes"'),
		},
		{ ...inboxIds, description: 'Only events of these inboxes start the workflow' },
	],
};
