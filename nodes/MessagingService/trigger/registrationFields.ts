import { collection, dropdown, type Field } from '../panel/field';
import type { PanelValues } from '../panel/values';
import { Problem } from '../words/problem';

const AUTOMATIC = 'automatic';
const MANUAL = 'manual';
const registrationField = dropdown({
	displayName: 'Registration',
	name: 'registration',
	default: MANUAL,
	description: 'How your messaging service learns the address of this trigger',
	options: [
		{
			name: 'Automatic',
			value: AUTOMATIC,
			description:
				'Subscribes to the events when you publish (activate) the workflow. Your service must offer that, and reach this n8n.',
		},
		{ name: 'Manual', value: MANUAL, description: 'You enter the address at the service yourself' },
	],
});

/** What the user has to do outside the panel. */
export const addressNotice: Field = {
	displayName:
		'Enter the Production URL (above, under "Webhook URLs") at your service. Use the same secret there and as "Webhook Secret" in the credential. A service on the internet cannot reach "localhost" or an address in a private network.',
	name: 'addressNotice',
	type: 'notice',
	default: '',
	displayOptions: {
		show: { registration: [MANUAL], verification: ['sharedSecret', 'signature'] },
	},
};

const whenAutomatic = { displayOptions: { show: { registration: [AUTOMATIC] } } };

const subscriptionPathField: Field = {
	displayName: 'Subscription Path',
	name: 'subscriptionPath',
	type: 'string',
	required: true,
	default: '',
	description:
		'Where your service takes subscriptions, below the base URL of the credential. Look the path and the names below up in its documentation, or ask whoever runs it.',
	...whenAutomatic,
};

/** A field for what the service calls a part of a subscription. */
function detail(displayName: string, name: string, preset: string, what: string): Field {
	const description = `Name of the field for ${what}`;
	return { displayName, name, type: 'string', default: preset, description };
}

/** The details, in the order of the panel. */
const DETAILS = {
	url: detail('Address Field', 'urlField', 'url', 'the address of this trigger'),
	events: detail('Events Field', 'eventsField', 'events', 'the list of events, if any'),
	id: detail('ID Field', 'idField', 'id', 'the ID of the subscription in the answer'),
	secret: detail(
		'Secret Field',
		'secretField',
		'',
		'the webhook secret of the credential. Leave it empty if you enter the secret at the service yourself.',
	),
};

const registrationDetailsField = collection({
	displayName: 'Registration Details',
	name: 'subscription',
	placeholder: 'Add detail',
	description: 'What the service calls the parts of a subscription',
	options: Object.values(DETAILS),
	...whenAutomatic,
});

export const registrationFields: Field[] = [
	registrationField,
	subscriptionPathField,
	registrationDetailsField,
];

/** How the trigger subscribes at the service. */
export type Registration = NonNullable<ReturnType<typeof readRegistration>>;

/**
 * Reads how the trigger subscribes; undefined when the user enters its address at the service.
 *
 * @throws {Problem} when there is no path.
 */
export function readRegistration(values: PanelValues) {
	if (values.choice(registrationField) === MANUAL) return undefined;
	const path = values.text(subscriptionPathField).replace(/^\/+|\/+$/g, '');
	if (path === '' || /[?#]/.test(path)) {
		throw new Problem(
			`"Subscription Path" ${path === '' ? 'is empty' : 'has a "?" or "#"'}`,
			'Enter the path at which your service takes subscriptions, or set "Registration" to "Manual".',
		);
	}
	const details = values.members(registrationDetailsField);
	return {
		/** Where the service takes subscriptions, below the base URL. */
		endpoint: `/${path}`,
		/** What the service calls the parts of a subscription. Without a name for it, it is not told the secret. */
		urlField: details.text(DETAILS.url),
		eventsField: details.text(DETAILS.events),
		idField: details.text(DETAILS.id),
		secretField: details.text(DETAILS.secret),
	};
}
