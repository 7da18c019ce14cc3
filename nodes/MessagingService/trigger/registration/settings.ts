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
		description: 'How your messaging service learns the address of this trigger',
	},
	[
		{
			name: 'Automatic',
			value: AUTOMATIC,
			description:
				'Subscribes to the events when you publish (activate) the workflow. Your service must offer that.',
		},
		{
			name: 'Manual',
			value: MANUAL,
			description: 'You enter the address at the service yourself',
		},
	],
);

/** What to do when somebody registers the trigger by hand; the secret comes first, where there is one. */
const manualSteps: INodeProperties[] = [
	{
		...notice('manualStepsWithSecret', true),
		displayOptions: { show: { registration: [MANUAL] }, hide: { verification: ['none'] } },
	},
	{
		...notice('manualSteps', false),
		displayOptions: { show: { registration: [MANUAL], verification: ['none'] } },
	},
];

/** What to do when n8n registers the trigger: without the secret, each event would be refused. */
const automaticSteps: INodeProperties = {
	displayName:
		'Each event is verified with the "Webhook Secret" of the credential above. If your service takes that secret together with the address, add "Secret Field" to "Registration Details". Otherwise set the secret up at the service yourself, or every event is refused.',
	name: 'automaticSteps',
	type: 'notice',
	default: '',
	displayOptions: { show: { registration: [AUTOMATIC] }, hide: { verification: ['none'] } },
};

/** Of HTML, n8n's notices show links and lists with bullets, and nothing else: so each step is a list of its own. */
function notice(name: string, hasSecret: boolean): INodeProperties {
	const steps = [
		hasSecret &&
			'Enter a secret as "Webhook Secret" in the credential above: a long random text, or the one that your messaging service gives you.',
		'Copy the Production URL from "Webhook URLs" above.',
		'In your messaging service, enter it where outbound webhooks are set up, or in a step of an agent that calls an address, with the method POST.' +
			(hasSecret ? ' Where it asks for a secret, enter the same one.' : ''),
		'Publish (activate) this workflow.',
	].filter((step) => step !== false);
	const lists = steps.map((step, index) => `<ul>${index + 1}. ${step}</ul>`);
	return {
		displayName: `${lists.join('')}To try it out before that, select "Execute step" and use the Test URL in the same way.`,
		name,
		type: 'notice',
		default: '',
	};
}

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
		description: 'Name of the field for the address of this trigger',
	},
	eventsField: {
		displayName: 'Events Field',
		name: 'eventsField',
		type: 'string',
		default: 'events',
		description:
			'Name of the field for the list of events. It is left out when no events are chosen.',
	},
	idField: {
		displayName: 'ID Field',
		name: 'idField',
		type: 'string',
		default: 'id',
		description:
			'Name of the field with the ID of the subscription, in the response of the service',
	},
	secretField: {
		displayName: 'Secret Field',
		name: 'verifierField',
		type: 'string',
		default: '',
		placeholder: 'e.g. secret',
		description:
			'Name of the field in which the service is told the webhook secret of the credential. Leave it empty if the secret is set up at the service in another way.',
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

export const registrationFields: INodeProperties[] = [
	registration.field,
	...manualSteps,
	subscriptionPath,
	details,
	automaticSteps,
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
