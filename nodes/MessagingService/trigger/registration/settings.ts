import type { INodeProperties } from 'n8n-workflow';
import { Problem } from '../../nodeError';
import { dropdown, type PanelValues } from '../panelValues';

const AUTOMATIC = 'automatic';
const MANUAL = 'manual';
const when = (registration: string) => ({
	displayOptions: { show: { registration: [registration] } },
});

const registration = dropdown(
	{
		displayName: 'Registration',
		name: 'registration',
		default: MANUAL,
		description: 'How your messaging service gets to know the address of this trigger',
	},
	[
		{
			name: 'Automatic',
			value: AUTOMATIC,
			description:
				'Subscribes at the service when the workflow is activated. Your service must offer that.',
		},
		{
			name: 'Manual',
			value: MANUAL,
			description: 'You enter the address at the service yourself',
		},
	],
);

const manualSteps: INodeProperties = {
	// The panel shows lists and links of HTML, and nothing else.
	displayName:
		'<ul><li>Copy the Production URL from "Webhook URLs" above.</li><li>In your messaging service, enter it where outbound webhooks are set up, or in a step of an agent that calls an address, with the method POST.</li><li>There, set the secret that is in your credential as "Webhook Secret".</li><li>Activate this workflow.</li></ul>To try it out first, select "Execute step" and use the Test URL in the same way.',
	name: 'manualSteps',
	type: 'notice',
	default: '',
	...when(MANUAL),
};

const subscriptionPath: INodeProperties = {
	displayName: 'Subscription Path',
	name: 'subscriptionPath',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'As your service documents it',
	description:
		'Where your service takes subscriptions, below the base URL of the credential. The path and the names below are not part of the documented interface: look them up, or ask whoever runs your service.',
	...when(AUTOMATIC),
};

const DETAILS = {
	attempt: {
		displayName: 'Attempt',
		name: 'attempt',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1,
		description:
			'Raise this by one to ask the service again after an attempt that may have left a subscription behind. Make sure first that none is left there.',
	},
	urlField: {
		displayName: 'Address Field',
		name: 'urlField',
		type: 'string',
		default: 'url',
		description: 'Field for the address of this trigger',
	},
	eventsField: {
		displayName: 'Events Field',
		name: 'eventsField',
		type: 'string',
		default: 'events',
		description: 'Field for the list of events. It is left out when no events are chosen.',
	},
	idField: {
		displayName: 'ID Field',
		name: 'idField',
		type: 'string',
		default: 'id',
		description: 'Field with the ID of the subscription in the answer of the service',
	},
	secretField: {
		displayName: 'Secret Field',
		name: 'verifierField',
		type: 'string',
		default: '',
		placeholder: 'e.g. secret',
		description:
			'Field in which the service is told the webhook secret of the credential. Leave it empty if the secret is set up at the service in another way.',
	},
	subscriptionId: {
		displayName: 'Subscription ID',
		name: 'subscriptionId',
		type: 'string',
		default: '',
		description:
			'ID of the subscription that an attempt left at the service and this trigger cannot find. The error says when it is needed.',
	},
} satisfies Record<string, INodeProperties>;

const details: INodeProperties = {
	displayName: 'Registration Details',
	name: 'subscription',
	type: 'collection',
	placeholder: 'Add detail',
	default: {},
	description:
		'What the service calls the parts of a subscription, and what to do about one that was left behind',
	options: Object.values(DETAILS),
	...when(AUTOMATIC),
};

/** How the service gets to know the address of the trigger. */
export const registrationFields: INodeProperties[] = [
	registration.field,
	manualSteps,
	subscriptionPath,
	details,
];

/** How the service is asked for its events. */
export type RegistrationSettings = NonNullable<ReturnType<typeof readRegistration>>;

/**
 * Reads how to subscribe; undefined when somebody enters the address at the service by hand.
 *
 * @throws {Problem} when there is no path, or an unknown way to register.
 */
export function readRegistration(values: PanelValues) {
	if (values.choice(registration).value !== AUTOMATIC) return undefined;
	const path = values.text(subscriptionPath);
	if (path === '') {
		throw new Problem(
			'"Subscription Path" is empty',
			'Enter the path at which your service takes subscriptions, as its documentation gives it, or set "Registration" to "Manual".',
		);
	}
	return {
		/** Below the base URL. */
		path: `/${path.replace(/^\/+|\/+$/g, '')}`,
		...readDetails(values),
	};
}

/** Reads what the service calls the parts of a subscription, and what was said of one that was left behind. */
export function readDetails(values: PanelValues) {
	const members = values.collection(details);
	return {
		urlField: members.text(DETAILS.urlField),
		eventsField: members.text(DETAILS.eventsField),
		idField: members.text(DETAILS.idField),
		/** Empty when the service is not told the secret. */
		secretField: members.text(DETAILS.secretField),
		attempt: members.number(DETAILS.attempt),
		/** Empty when none was entered. */
		subscriptionId: members.text(DETAILS.subscriptionId),
	};
}
