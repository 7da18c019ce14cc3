import type {
	ICredentialDataDecryptedObject,
	IHookFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { type Account, type ApiNames, createAccount, DEFAULT_NAMES } from '../api/account';
import { Redactor } from '../api/secrets';
import { withoutInvisible } from '../api/text';
import { CREDENTIALS_TYPE, type Credential } from '../n8n/connection';
import { type ErrorContext, toNodeError } from '../n8n/errors';
import { type Choice, dropdown, type Dropdown, type Field } from './field';
import { Problem } from '../words/problem';
import { PanelValues } from './values';

/** The fields of a credential, decrypted. */
export type CredentialData = Readonly<Record<string, unknown>>;

const baseUrlField: Field = {
	displayName: 'Base URL',
	name: 'baseUrl',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://messaging.example.com',
	description: 'Address of your messaging service',
	hint: 'You can paste any webhook URL from the agent builder. If a code such as ENOTFOUND appears when you save, the service cannot be reached at this address. With http:// in place of https://, anyone on the network can read the API key.',
};

const apiKeyField: Field = {
	displayName: 'API Key',
	name: 'apiKey',
	type: 'string',
	typeOptions: { password: true },
	required: true,
	default: '',
	description: 'The key of your team. Each team needs a credential of its own.',
	hint: 'Generate it in the team settings of your service, in the API section. It is shown only once, so paste it here right away.',
};

const webhookSecretField: Field = {
	displayName: 'Webhook Secret',
	name: 'webhookSecret',
	type: 'string',
	typeOptions: { password: true },
	default: '',
	description:
		'The secret that events are verified with. Copy it from the service, or choose one and enter it there, too.',
	hint: 'Leave it empty if you do not use the trigger node',
};

const previousWebhookSecretField: Field = {
	displayName: 'Previous Webhook Secret',
	name: 'previousWebhookSecret',
	type: 'string',
	typeOptions: { password: true },
	displayOptions: { hide: { webhookSecret: [''] } },
	default: '',
	description: 'A second secret that is accepted as well',
	hint: 'Set it only while you replace the webhook secret. Clear it as soon as your service uses the new one.',
};

const overrideNamesField: Field = {
	displayName: 'Override Names',
	name: 'overrideNames',
	type: 'boolean',
	default: false,
	description: 'Whether to change the names of the parameters that are sent to your service',
	hint: 'Turn this on only if a list ignores its filters or pages, or if creating an external inbox fails with status 404',
};

const displayOptions = { show: { [overrideNamesField.name]: [true] } };

/** A field for a name that a deployment may spell differently. */
function nameField(name: keyof ApiNames, displayName: string, description: string): Field {
	const otherwise = DEFAULT_NAMES[name];
	return { displayName, name, type: 'string', default: otherwise, description, displayOptions };
}

/** A field for a format in which deployments may differ. */
function formatField<const Value extends string>(
	name: keyof ApiNames,
	displayName: string,
	description: string,
	options: ReadonlyArray<Choice<Value>>,
	otherwise: NoInfer<Value>,
): Dropdown<Value> {
	return dropdown({ displayName, name, default: otherwise, description, options, displayOptions });
}

/** The names and formats that the interface does not show. */
const NAME_FIELDS = {
	connectorSegment: nameField(
		'connectorSegment',
		'Connector Segment',
		'The part before "-connector" in the address for external inboxes',
	),
	inboxIdsParameter: nameField(
		'inboxIdsParameter',
		'Inbox IDs Parameter',
		'Name of the query parameter that filters messages by inbox',
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
		DEFAULT_NAMES.inboxIdsFormat,
	),
	afterParameter: nameField(
		'afterParameter',
		'After Parameter',
		'Name of the query parameter for messages after a date',
	),
	beforeParameter: nameField(
		'beforeParameter',
		'Before Parameter',
		'Name of the query parameter for messages up to a date',
	),
	dateFormat: formatField(
		'dateFormat',
		'Date Format',
		'How dates are written in filters',
		[
			{ name: 'ISO 8601', value: 'iso', description: 'As in 2026-01-31T08:00:00.000Z' },
			{ name: 'Unix Milliseconds', value: 'unixMilliseconds', description: 'As in 1769846400000' },
			{ name: 'Unix Seconds', value: 'unixSeconds', description: 'As in 1769846400' },
		],
		DEFAULT_NAMES.dateFormat,
	),
	limitParameter: nameField(
		'limitParameter',
		'Limit Parameter',
		'Name of the query parameter for the page size of messages and templates',
	),
	pageParameter: nameField(
		'pageParameter',
		'Page Parameter',
		'Name of the query parameter for the page number of messages and templates',
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
 * @throws {BaseUrlError | Problem} when the base URL, the key or a format cannot be used.
 */
export function readAccount(credential: CredentialData): Account {
	const values = PanelValues.of(credential);
	if (MASK.test(textOf(values, apiKeyField))) {
		values.fail(
			`The ${apiKeyField.displayName} is not complete: it has dots or stars in place of characters`,
			'The service shows the whole key only once. Enter it as it was kept then, or generate a new one, which may replace the old one.',
		);
	}
	return createAccount({
		baseUrl: textOf(values, baseUrlField),
		apiKey: keyOf(values),
		redactor: redactorOf(credential),
		names: values.isOn(overrideNamesField) ? readNames(values) : DEFAULT_NAMES,
	});
}

/** What reads credentials: n8n's context of a node. */
interface CredentialReader {
	getCredentials(type: string, itemIndex?: number): Promise<ICredentialDataDecryptedObject>;
}

/**
 * Reads the credential of a node, and its account.
 *
 * @throws {BaseUrlError | Problem} when it cannot be used; and what n8n throws.
 */
export async function openCredential(context: CredentialReader): Promise<Credential> {
	const data = await context.getCredentials(CREDENTIALS_TYPE);
	return { data, account: readAccount(data) };
}

/** For how many items the credential is read: the first ones, and as many more, spread over the rest of the run. */
const LOOKED_AT = 20;

/**
 * Reads the credential that all items of a run share. If its fields are expressions, it may differ from item to item.
 *
 * @throws {BaseUrlError | Problem} when it cannot be used, or when the items have different ones.
 */
export async function openOnlyCredential(
	context: CredentialReader,
	itemCount: number,
): Promise<Credential> {
	const step = Math.max((itemCount - LOOKED_AT) / LOOKED_AT, 1);
	const spread = Array.from(
		{ length: LOOKED_AT },
		(_, n) => LOOKED_AT - 1 + Math.ceil(step * (n + 1)),
	);
	const first = Array.from({ length: LOOKED_AT }, (_, n) => n);
	const indexes = [...first, ...spread].filter((index) => index < itemCount);
	const read = async (index: number) => await context.getCredentials(CREDENTIALS_TYPE, index);
	const [data, ...others] = await Promise.all(indexes.map(read));
	const text = JSON.stringify(data);
	if (others.every((other) => JSON.stringify(other) === text)) {
		return { data, account: readAccount(data) };
	}
	throw new Problem(
		'The credential has an expression that gives different values for the items of this run, so nothing was sent',
		'All items of a run need one account. Put a Loop Over Items node with a batch size of 1 before this one, or use one node with a credential of its own for each account.',
	);
}

/** How a trigger reads its credential, and what its errors say beside the failure itself. */
interface TriggerSetting extends Pick<ErrorContext, 'addition'> {
	read?: () => Promise<ICredentialDataDecryptedObject>;
}

/**
 * Reads the credential of a trigger, and does the trigger's work with it.
 *
 * @returns What the work gives.
 * @throws {NodeApiError | NodeOperationError} for any failure of the reading and of the work, without the secrets of the
 *   credential.
 */
export async function withRedactor<Result>(
	context: IHookFunctions | IPollFunctions | IWebhookFunctions,
	work: (credential: ICredentialDataDecryptedObject, redactor: Redactor) => Promise<Result>,
	{
		read = async () => await context.getCredentials(CREDENTIALS_TYPE),
		addition,
	}: TriggerSetting = {},
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
function bare(text: string): string {
	return withoutInvisible(text).trim();
}
