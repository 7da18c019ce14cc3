import { createHash } from 'crypto';
import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import type { Account, ApiNames } from '../api/account';
import { Redactor } from '../api/secrets';
import { withoutInvisible } from '../api/text';
import { parseBaseUrl } from '../api/url';
import { CREDENTIALS_TYPE, type Credential } from '../n8n/connection';
import { type ErrorContext, toNodeError } from '../n8n/errors';
import { Problem } from '../words/problem';
import { dropdown, type Field, switchField, textField } from './field';
import { PanelValues } from './values';

const baseUrlField = textField('Base URL', 'baseUrl', 'Address of your messaging service', {
	required: true,
	placeholder: 'e.g. https://messaging.example.com',
	hint: 'You can paste any webhook URL from the agent builder. ENOTFOUND and the like mean a wrong address. With http://, anyone on the network can read the API key.',
});

const password = { password: true };

const apiKeyField = textField(
	'API Key',
	'apiKey',
	'The key of your team. Each team needs a credential of its own.',
	{
		typeOptions: password,
		required: true,
		hint: 'Generate it in the API section of the team settings. It is shown only once.',
	},
);

const webhookSecretField = textField(
	'Webhook Secret',
	'webhookSecret',
	'The secret that events are verified with. Enter the same one at the service.',
	{ typeOptions: password, hint: 'Leave it empty if you do not use the trigger node' },
);

const previousWebhookSecretField = textField(
	'Previous Webhook Secret',
	'previousWebhookSecret',
	'A second secret that is accepted as well',
	{
		typeOptions: password,
		displayOptions: { hide: { webhookSecret: [''] } },
		hint: 'Clear it as soon as your service uses the new one',
	},
);

const overrideNamesField = switchField(
	'Override Names',
	'overrideNames',
	'Whether to change the names of the parameters that your service gets',
	{
		hint: 'Only if a list ignores its filters or pages, or an external inbox fails with status 404',
	},
);

const displayOptions = { show: { [overrideNamesField.name]: [true] } };

/** The names and formats that the interface does not show, so deployments may differ in them. */
const NAME_FIELDS = {
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

/** The fields of a credential, decrypted. */
export type CredentialData = Readonly<Record<string, unknown>>;

/** What is copied with a key: quotation marks, its name, or the word that other services want in front of it. */
const AROUND_KEY =
	/^(?:["'`]?(?:authorization|(?:x[-_ ]?)?api[-_ ]?key)["'`]?\s*[:=]\s*)?(["'`]?)(?:bearer\s+)?(.+?)\1,?$/i;

/** What a page shows in place of characters of a key that it keeps to itself. */
const MASK = /[\u2022\u25cf\u2026]|\*{3}|\.{3}/;

/** Characters that a header cannot carry, such as a copied invisible space. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/g;

/**
 * Reads the account of a credential.
 *
 * @throws {Problem} when the base URL, the key or a format cannot be used.
 */
export function readAccount(credential: CredentialData): Account {
	const values = PanelValues.of(credential);
	if (MASK.test(textOf(values, apiKeyField))) {
		values.fail(
			`"${apiKeyField.displayName}" has dots or stars in place of characters`,
			'Enter the whole key. If nobody kept it, generate a new one, which may replace the old one.',
		);
	}
	const baseUrl = parseBaseUrl(textOf(values, baseUrlField));
	if (typeof baseUrl === 'string') {
		const advice = 'Open the credential and enter the address of your messaging service.';
		return values.fail(baseUrl, advice);
	}
	const apiKey = keyOf(values);
	return {
		baseUrl,
		apiKey,
		team: createHash('sha256').update(`${baseUrl.href}\n${apiKey}`).digest('base64'),
		redactor: redactorOf(credential),
		names: readNames(values.isOn(overrideNamesField) ? values : PanelValues.of({})),
	};
}

/** For how many items the credential is read: the first ones, and as many more, spread over the rest of the run. */
const LOOKED_AT = 20;

/**
 * Reads the credential that all items of a run share. If its fields are expressions, it may differ from item to item.
 *
 * @throws {Problem} when it cannot be used, or when the items have different ones.
 */
export async function openOnlyCredential(
	context: IExecuteFunctions,
	itemCount: number,
): Promise<Credential> {
	const step = Math.ceil(itemCount / LOOKED_AT);
	const isRead = (index: number) => index < LOOKED_AT || (itemCount - 1 - index) % step === 0;
	const indexes = [...Array(itemCount).keys()].filter(isRead);
	const read = async (index: number) => await context.getCredentials(CREDENTIALS_TYPE, index);
	const [data, ...others] = await Promise.all(indexes.map(read));
	const text = JSON.stringify(data);
	if (others.every((other) => JSON.stringify(other) === text)) {
		return { data, account: readAccount(data) };
	}
	throw new Problem(
		'The credential has an expression that differs between the items of this run, so nothing was sent',
		'Put a Loop Over Items node with a batch size of 1 before this one, or use a node for each account.',
	);
}

/** How a trigger or a picker reads its credential, and what its errors say beside the failure itself. */
interface CredentialSource extends Pick<ErrorContext, 'addition'> {
	read?: () => Promise<ICredentialDataDecryptedObject>;
}

/**
 * Reads the credential of a trigger or a picker, and does its work with it.
 *
 * @returns What the work gives.
 * @throws {NodeApiError | NodeOperationError} for any failure of the reading and of the work, without the secrets of the
 *   credential.
 */
export async function withCredential<Result>(
	context: IHookFunctions | ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions,
	work: (credential: ICredentialDataDecryptedObject, redactor: Redactor) => Promise<Result>,
	{
		read = async () => await context.getCredentials(CREDENTIALS_TYPE),
		addition,
	}: CredentialSource = {},
): Promise<Result> {
	// An error before the credential is read cannot contain its secrets.
	let redactor = new Redactor([]);
	try {
		const credential = await read();
		redactor = redactorOf(credential);
		return await work(credential, redactor);
	} catch (failure) {
		throw toNodeError(context.getNode(), failure, { addition, redactor });
	}
}

/** Makes the redactor for all secrets of a credential, as entered and as used. */
function redactorOf(credential: CredentialData): Redactor {
	const values = PanelValues.of(credential);
	const entered = [apiKeyField, webhookSecretField, previousWebhookSecretField].map((field) =>
		textOf(values, field),
	);
	return new Redactor([...entered, ...entered.map(bare), keyOf(values)]);
}

/**
 * Reads the secrets that incoming events are verified with: the current one, and the previous one while it is being
 * replaced. None when there is no current one.
 */
export function readWebhookSecrets(credential: CredentialData): string[] {
	const values = PanelValues.of(credential);
	const secrets = [webhookSecretField, previousWebhookSecretField].map((field) =>
		bare(textOf(values, field)),
	);
	return secrets[0] === '' ? [] : secrets.filter((secret) => secret !== '');
}

function readNames(values: PanelValues): ApiNames {
	return {
		connectorSegment: values.text(NAME_FIELDS.connectorSegment),
		inboxIdsParameter: values.text(NAME_FIELDS.inboxIdsParameter),
		inboxIdsFormat: values.choice(NAME_FIELDS.inboxIdsFormat),
		afterParameter: values.text(NAME_FIELDS.afterParameter),
		beforeParameter: values.text(NAME_FIELDS.beforeParameter),
		dateFormat: values.choice(NAME_FIELDS.dateFormat),
		limitParameter: values.text(NAME_FIELDS.limitParameter),
		pageParameter: values.text(NAME_FIELDS.pageParameter),
	};
}

/** The key alone, without what a header cannot carry. */
function keyOf(values: PanelValues): string {
	const text = textOf(values, apiKeyField).replace(NOT_IN_HEADERS, '').trim();
	return AROUND_KEY.exec(text)?.[2] ?? text;
}

/** A text of the credential. Any other type counts as empty: an error about it would show a secret. */
function textOf(values: PanelValues, field: Field): string {
	const value = values.value(field);
	return typeof value === 'string' ? value.trim() : '';
}

/** A secret without outer spaces and what nobody sees. */
const bare = (text: string): string => withoutInvisible(text).trim();
