import { dropdown, type Field, switchField, textField } from './field';

export const baseUrlField = textField('Base URL', 'baseUrl', 'Address of your messaging service', {
	required: true,
	placeholder: 'e.g. https://messaging.example.com',
	hint: 'You can paste any webhook URL from the agent builder. ENOTFOUND and the like mean that the service cannot be reached at this address. With http://, anyone on the network can read the API key.',
});

const password = { password: true };

export const apiKeyField = textField(
	'API Key',
	'apiKey',
	'The key of your team. Each team needs a credential of its own.',
	{
		typeOptions: password,
		required: true,
		hint: 'Generate it in the API section of the team settings. It is shown only once, so paste it here right away.',
	},
);

export const webhookSecretField = textField(
	'Webhook Secret',
	'webhookSecret',
	'The secret that events are verified with. Enter the same one at the service.',
	{ typeOptions: password, hint: 'Leave it empty if you do not use the trigger node' },
);

export const previousWebhookSecretField = textField(
	'Previous Webhook Secret',
	'previousWebhookSecret',
	'A second secret that is accepted as well',
	{
		typeOptions: password,
		displayOptions: { hide: { webhookSecret: [''] } },
		hint: 'Clear it as soon as your service uses the new one',
	},
);

export const overrideNamesField = switchField(
	'Override Names',
	'overrideNames',
	'Whether to change the names of the parameters that are sent to your service',
	{
		hint: 'Only if a list ignores its filters or pages, or creating an external inbox fails with status 404',
	},
);

const displayOptions = { show: { [overrideNamesField.name]: [true] } };

/** The names and formats that the interface does not show, so deployments may differ in them. */
export const NAME_FIELDS = {
	connectorSegment: textField(
		'Connector Segment',
		'connectorSegment',
		'The part before "-connector" in the address for external inboxes',
		{ default: 'telephony', displayOptions },
	),
	inboxIdsParameter: textField(
		'Inbox IDs Parameter',
		'inboxIdsParameter',
		'The query parameter that filters messages by inbox',
		{ default: 'inboxIds', displayOptions },
	),
	inboxIdsFormat: dropdown({
		displayName: 'Inbox IDs Format',
		name: 'inboxIdsFormat',
		displayOptions,
		default: 'repeat',
		description: 'How several inbox IDs are written',
		options: [
			{ name: 'Brackets', value: 'brackets', description: 'As in a[]=1&a[]=2' },
			{ name: 'Comma', value: 'comma', description: 'As in a=1,2' },
			{ name: 'Repeat', value: 'repeat', description: 'As in a=1&a=2' },
		],
	}),
	afterParameter: textField(
		'After Parameter',
		'afterParameter',
		'The query parameter for messages after a date',
		{ default: 'startDate', displayOptions },
	),
	beforeParameter: textField(
		'Before Parameter',
		'beforeParameter',
		'The query parameter for messages up to a date',
		{ default: 'endDate', displayOptions },
	),
	dateFormat: dropdown({
		displayName: 'Date Format',
		name: 'dateFormat',
		displayOptions,
		default: 'iso',
		description: 'How dates are written in filters',
		options: [
			{ name: 'ISO 8601', value: 'iso', description: 'As in 2026-01-31T08:00:00.000Z' },
			{ name: 'Unix Milliseconds', value: 'unixMilliseconds', description: 'As in 1769846400000' },
			{ name: 'Unix Seconds', value: 'unixSeconds', description: 'As in 1769846400' },
		],
	}),
	limitParameter: textField(
		'Limit Parameter',
		'limitParameter',
		'The query parameter for the page size of messages and templates',
		{ default: 'limit', displayOptions },
	),
	pageParameter: textField(
		'Page Parameter',
		'pageParameter',
		'The query parameter for the page number of messages and templates',
		{ default: 'page', displayOptions },
	),
};

/** The fields of the credential. */
export const credentialFields: Field[] = [
	baseUrlField,
	apiKeyField,
	webhookSecretField,
	previousWebhookSecretField,
	overrideNamesField,
	...Object.values(NAME_FIELDS),
];
