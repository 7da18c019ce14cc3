import type { INodeProperties } from 'n8n-workflow';
import { Problem } from '../../n8n/problem';
import type { PanelValues } from '../../panel/parameters';
import { dropdown } from '../dropdown';

const AUTOMATIC = 'automatic';
const MANUAL = 'manual';
const REGISTRATIONS = [
	{
		name: 'Automatic',
		value: AUTOMATIC,
		description:
			'Subscribes to the events when you publish (activate) the workflow. Your service must offer that.',
	},
	{ name: 'Manual', value: MANUAL, description: 'You enter the address at the service yourself' },
];

const registrationField = dropdown({
	displayName: 'Registration',
	name: 'registration',
	default: MANUAL,
	description: 'How your messaging service learns the address of this trigger',
	entries: REGISTRATIONS,
});

const ENTER_URL =
	'At the service, enter the Production URL, which you find under "Webhook URLs" above, or the Test URL while you try it out with "Execute step".';

/** What the user has to do outside the panel, for each way to verify calls. */
export const registrationNotices: INodeProperties[] = [
	noticeFor(
		'sharedSecret',
		`In the credential, enter a long random text as "Webhook Secret", and the same text at the service. ${ENTER_URL}`,
	),
	noticeFor(
		'signature',
		`Your service has a secret or a public key to check its signatures with. Enter it in the credential as "Webhook Secret". ${ENTER_URL}`,
	),
];

function noticeFor(verification: string, displayName: string): INodeProperties {
	return {
		displayName,
		name: `${verification}Notice`,
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: [MANUAL], verification: [verification] } },
	};
}

const whenAutomatic = { displayOptions: { show: { registration: [AUTOMATIC] } } };

const subscriptionPathField: INodeProperties = {
	displayName: 'Subscription Path',
	name: 'subscriptionPath',
	type: 'string',
	required: true,
	default: '',
	description:
		'Where your service takes subscriptions, below the base URL of the credential. Look the path and the names below up in its documentation, or ask whoever runs it.',
	...whenAutomatic,
};

/** The value of this setting is the name of a field, not a secret. */
const SECRET_FIELD = 'secretField';

const DETAILS = {
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
		name: SECRET_FIELD,
		type: 'string',
		default: '',
		placeholder: 'e.g. secret',
		description:
			'Name of the field in which the service gets the webhook secret of the credential. Leave it empty if you enter the secret at the service yourself.',
	},
} satisfies Record<string, INodeProperties>;

const detailsField: INodeProperties = {
	displayName: 'Registration Details',
	name: 'subscription',
	type: 'collection',
	placeholder: 'Add detail',
	default: {},
	description: 'What the service calls the parts of a subscription',
	options: Object.values(DETAILS),
	...whenAutomatic,
};

export const registrationFields: INodeProperties[] = [
	registrationField,
	subscriptionPathField,
	detailsField,
];

/** How to subscribe at the service: the path, and the names of the fields of a subscription. */
export interface RegistrationSettings {
	/** Below the base URL. */
	path: string;
	urlField: string;
	eventsField: string;
	idField: string;
	/** Empty when the service is not told the secret. */
	secretField: string;
}

/**
 * Reads how to subscribe; undefined when somebody enters the address at the service by hand.
 *
 * @throws {Problem} when there is no path, or an unknown way to register.
 */
export function readRegistration(values: PanelValues): RegistrationSettings | undefined {
	if (values.choice(registrationField, REGISTRATIONS).value !== AUTOMATIC) return undefined;
	const path = values.textOf(subscriptionPathField).replace(/^\/+|\/+$/g, '');
	if (path === '') {
		throw new Problem(
			'"Subscription Path" is empty',
			'Enter the path at which your service takes subscriptions, as its documentation gives it, or set "Registration" to "Manual".',
		);
	}
	const members = values.membersOf(values.raw(detailsField.name));
	return {
		path: `/${path}`,
		urlField: members.textOf(DETAILS.urlField),
		eventsField: members.textOf(DETAILS.eventsField),
		idField: members.textOf(DETAILS.idField),
		secretField: members.textOf(DETAILS.secretField),
	};
}
