import { type ApiNames, DEFAULT_NAMES } from '../api/account';
import { type Choice, type Dropdown, dropdown, type Field, switchField, textField } from './field';

export const baseUrlField = textField('Base URL', 'baseUrl', 'Address of your messaging service', {
	required: true,
	placeholder: 'e.g. https://messaging.example.com',
	hint: 'You can paste any webhook URL from the agent builder. ENOTFOUND and the like mean that the service cannot be reached at this address. With http://, anyone on the network can read the API key.',
});

export const apiKeyField: Field = {
	displayName: 'API Key',
	name: 'apiKey',
	type: 'string',
	typeOptions: { password: true },
	required: true,
	default: '',
	description: 'The key of your team. Each team needs a credential of its own.',
	hint: 'Generate it in the API section of the team settings. It is shown only once, so paste it here right away.',
};

export const webhookSecretField: Field = {
	displayName: 'Webhook Secret',
	name: 'webhookSecret',
	type: 'string',
	typeOptions: { password: true },
	default: '',
	description: 'The secret that events are verified with. Enter the same one at the service.',
	hint: 'Leave it empty if you do not use the trigger node',
};

export const previousWebhookSecretField: Field = {
	displayName: 'Previous Webhook Secret',
	name: 'previousWebhookSecret',
	type: 'string',
	typeOptions: { password: true },
	displayOptions: { hide: { webhookSecret: [''] } },
	default: '',
	description: 'A second secret that is accepted as well',
	hint: 'Clear it as soon as your service uses the new one',
};

export const overrideNamesField = switchField(
	'Override Names',
	'overrideNames',
	'Whether to change the names of the parameters that are sent to your service',
	{
		hint: 'Only if a list ignores its filters or pages, or creating an external inbox fails with status 404',
	},
);

const displayOptions = { show: { [overrideNamesField.name]: [true] } };

/** A field for a name that a deployment may spell differently. */
function nameField(name: keyof ApiNames, displayName: string, description: string): Field {
	const otherwise = DEFAULT_NAMES[name];
	return { displayName, name, type: 'string', default: otherwise, description, displayOptions };
}

/** A field for a format in which deployments may differ. */
function formatField<Name extends 'inboxIdsFormat' | 'dateFormat'>(
	name: Name,
	displayName: string,
	description: string,
	options: ReadonlyArray<Choice<ApiNames[Name]>>,
): Dropdown<ApiNames[Name]> {
	const otherwise = DEFAULT_NAMES[name];
	return dropdown({ displayName, name, default: otherwise, description, options, displayOptions });
}

/** The names and formats that the interface does not show. */
export const NAME_FIELDS = {
	connectorSegment: nameField(
		'connectorSegment',
		'Connector Segment',
		'The part before "-connector" in the address for external inboxes',
	),
	inboxIdsParameter: nameField(
		'inboxIdsParameter',
		'Inbox IDs Parameter',
		'The query parameter that filters messages by inbox',
	),
	inboxIdsFormat: formatField(
		'inboxIdsFormat',
		'Inbox IDs Format',
		'How several inbox IDs are written',
		[
			{ name: 'Brackets', value: 'brackets', description: 'As in a[]=1&a[]=2' },
			{ name: 'Comma', value: 'comma', description: 'As in a=1,2' },
			{ name: 'Repeat', value: 'repeat', description: 'As in a=1&a=2' },
		],
	),
	afterParameter: nameField(
		'afterParameter',
		'After Parameter',
		'The query parameter for messages after a date',
	),
	beforeParameter: nameField(
		'beforeParameter',
		'Before Parameter',
		'The query parameter for messages up to a date',
	),
	dateFormat: formatField('dateFormat', 'Date Format', 'How dates are written in filters', [
		{ name: 'ISO 8601', value: 'iso', description: 'As in 2026-01-31T08:00:00.000Z' },
		{ name: 'Unix Milliseconds', value: 'unixMilliseconds', description: 'As in 1769846400000' },
		{ name: 'Unix Seconds', value: 'unixSeconds', description: 'As in 1769846400' },
	]),
	limitParameter: nameField(
		'limitParameter',
		'Limit Parameter',
		'The query parameter for the page size of messages and templates',
	),
	pageParameter: nameField(
		'pageParameter',
		'Page Parameter',
		'The query parameter for the page number of messages and templates',
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
