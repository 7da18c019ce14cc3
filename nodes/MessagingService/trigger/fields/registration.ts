import type { INodeProperties } from 'n8n-workflow';

const whenManual = { displayOptions: { show: { registration: ['manual'] } } };
const whenAutomatic = { displayOptions: { show: { registration: ['automatic'] } } };

/** How the service gets to know the address of the trigger. */
export const registration: INodeProperties[] = [
	{
		displayName: 'Registration',
		name: 'registration',
		type: 'options',
		default: 'manual',
		description: 'How your messaging service gets to know the address of this trigger',
		options: [
			{
				name: 'Automatic',
				value: 'automatic',
				description:
					'Subscribes at the service when the workflow is activated. Your service must offer that.',
			},
			{
				name: 'Manual',
				value: 'manual',
				description: 'You enter the address at the service yourself',
			},
		],
	},
	{
		// The panel shows lists and links of HTML, and nothing else.
		displayName:
			'<ul><li>Copy the Production URL from "Webhook URLs" above.</li><li>In your messaging service, enter it where outbound webhooks are set up, or in a step of an agent that calls an address, with the method POST.</li><li>There, set the secret that is in your credential as "Webhook Secret".</li><li>Activate this workflow.</li></ul>To try it out first, select "Execute step" and use the Test URL in the same way.',
		name: 'manualSteps',
		type: 'notice',
		default: '',
		...whenManual,
	},
	{
		displayName: 'Subscription Path',
		name: 'subscriptionPath',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. /public/webhooks',
		description:
			'Where your service takes subscriptions, below the base URL of the credential. Ask who runs your service.',
		...whenAutomatic,
	},
	{
		displayName: 'Field Names',
		name: 'subscription',
		type: 'collection',
		placeholder: 'Add field name',
		default: {},
		description: 'What the service calls the parts of a subscription',
		options: [
			{
				displayName: 'Address Field',
				name: 'urlField',
				type: 'string',
				default: 'url',
				description: 'Field for the address of this trigger',
			},
			{
				displayName: 'Events Field',
				name: 'eventsField',
				type: 'string',
				default: 'events',
				description: 'Field for the list of events. It is left out when no events are chosen.',
			},
			{
				displayName: 'ID Field',
				name: 'idField',
				type: 'string',
				default: 'id',
				description: 'Field with the ID of the subscription in the answer of the service',
			},
			{
				displayName: 'Secret Field',
				name: 'verifierField',
				type: 'string',
				default: '',
				placeholder: 'e.g. secret',
				description:
					'Field in which the service is told the webhook secret of the credential. Leave it empty if the secret is set up at the service in another way.',
			},
		],
		...whenAutomatic,
	},
	{
		displayName: 'Events',
		name: 'events',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Event' },
		default: [],
		placeholder: 'e.g. message.received',
		description:
			'Names of the events that start the workflow, as your service writes them. Without any, all events start it.',
	},
];
