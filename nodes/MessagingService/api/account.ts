import { createHash } from 'crypto';
import { withoutInvisible } from './text';
import { Redactor } from './secrets';
import { type BaseUrl, parseBaseUrl } from './url';

/** The fields of a credential, decrypted. */
type CredentialData = Readonly<Record<string, unknown>>;

/** How several inbox IDs are written into one query: a=1&a=2, a[]=1&a[]=2 or a=1,2. */
const LIST_FORMAT_NAMES = ['repeat', 'brackets', 'comma'] as const;
export type ListFormat = (typeof LIST_FORMAT_NAMES)[number];

/** How a point in time is written into a query. */
const DATE_FORMAT_NAMES = ['iso', 'unixSeconds', 'unixMilliseconds'] as const;
export type DateFormat = (typeof DATE_FORMAT_NAMES)[number];

/** Names and formats that the interface does not show, so that deployments may differ in them. */
export interface ApiNames {
	connectorSegment: string;
	inboxIdsParameter: string;
	inboxIdsFormat: ListFormat;
	afterParameter: string;
	beforeParameter: string;
	dateFormat: DateFormat;
	limitParameter: string;
	pageParameter: string;
}

/** The names that apply unless the credential says otherwise. */
export const DEFAULT_NAMES: ApiNames = {
	connectorSegment: 'telephony',
	inboxIdsParameter: 'inboxIds',
	inboxIdsFormat: 'repeat',
	afterParameter: 'startDate',
	beforeParameter: 'endDate',
	dateFormat: 'iso',
	limitParameter: 'limit',
	pageParameter: 'page',
};

/** Characters that a header cannot carry, such as a copied invisible space. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/g;

/** An account at the service: its address, its API key, and the names that the interface does not show. */
export interface Account {
	baseUrl: BaseUrl;
	apiKey: string;
	/** Identifies the team that requests count for, without the key itself. */
	team: string;
	/** Hides the API key, and every other secret of the credential, in texts. */
	redactor: Redactor;
	names: ApiNames;
}

/**
 * Reads an account from the decrypted credential.
 *
 * @throws {BaseUrlError} when the base URL cannot be used; its message says why.
 */
export function readAccount(credential: CredentialData): Account {
	const baseUrl = parseBaseUrl(text(credential.baseUrl));
	const apiKey = readApiKey(credential);
	return {
		baseUrl,
		apiKey,
		team: createHash('sha256').update(`${baseUrl.href}\n${apiKey}`).digest('base64'),
		redactor: new Redactor(readAllSecrets(credential)),
		names: credential.overrideNames === true ? readNames(credential) : DEFAULT_NAMES,
	};
}

/** Reads all secrets of a credential, which no text may show: the API key and the webhook secrets, as entered and as used. */
export function readAllSecrets(credential: CredentialData): string[] {
	const { apiKey, webhookSecret, previousWebhookSecret } = credential;
	const entered = [apiKey, webhookSecret, previousWebhookSecret].map(text);
	return [...entered, ...entered.map(pasted), readApiKey(credential)];
}

/**
 * Reads the secrets that incoming events are verified with: the current one, and the previous one while it is
 * being replaced. None when there is no current one.
 */
export function readWebhookSecrets(credential: CredentialData): string[] {
	const secrets = [credential.webhookSecret, credential.previousWebhookSecret].map(pasted);
	return secrets[0] === '' ? [] : secrets.filter((secret) => secret !== '');
}

/** The key without what a header cannot carry. */
function readApiKey({ apiKey }: CredentialData): string {
	return text(apiKey).replace(NOT_IN_HEADERS, '');
}

function readNames(credential: CredentialData): ApiNames {
	const names = Object.entries(DEFAULT_NAMES).map(([field, usual]) => [
		field,
		text(credential[field]) || usual,
	]);
	return {
		...DEFAULT_NAMES,
		...Object.fromEntries(names),
		inboxIdsFormat:
			LIST_FORMAT_NAMES.find((each) => each === credential.inboxIdsFormat) ??
			DEFAULT_NAMES.inboxIdsFormat,
		dateFormat:
			DATE_FORMAT_NAMES.find((each) => each === credential.dateFormat) ?? DEFAULT_NAMES.dateFormat,
	};
}

/** A text without the characters that come along when somebody pastes it, and that nobody sees. */
function pasted(value: unknown): string {
	return withoutInvisible(text(value)).trim();
}

function text(value: unknown): string {
	return typeof value === 'string' ? value.trim() : '';
}
