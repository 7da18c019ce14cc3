import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { readVerifyToken } from '../../api/account';
import { isTextOrNumber } from '../../api/json';
import { CREDENTIALS_TYPE } from '../../connection';
import { log } from '../log';
import { reasonOfAddress } from '../options';
import { PanelValues } from '../panelValues';
import { readPath } from '../path';
import { readSettings } from '../settings';
import { isSameSecret } from '../verification/sameSecret';
import { type AddressCheck, type Challenge, readAddressCheck } from './settings';

/** Longer ones are not sent back. */
const MAX_LENGTH = 1_000;
const MODE = 'hub.mode';

// Whatever a caller sends, no browser takes it for a page.
const HEADERS = {
	'Cache-Control': 'no-store',
	'Content-Security-Policy': "default-src 'none'; sandbox",
	'X-Content-Type-Options': 'nosniff',
};

/**
 * Answers a call by which the service checks the address, and every other that is no POST. None of them starts
 * the workflow.
 *
 * @returns undefined for a call that may be an event.
 */
export async function answerAddressCheck(
	context: IWebhookFunctions,
): Promise<IWebhookResponseData | undefined> {
	const isEvent = context.getWebhookName() === 'default';
	try {
		const values = PanelValues.of(context);
		const check = readAddressCheck(values);
		if (isEvent && !hasChallenge(context, check)) return undefined;
		const address = reasonOfAddress(readSettings(values).options, context.getRequestObject());
		if (address !== undefined) return refuse(context, address);
		if (check.kind === 'any') return answer(context, 'OK');
		if (check.kind !== 'query') return refuse(context, 'the trigger answers none by this method');
		const reason = await reasonToRefuse(context, check.tokenParameter);
		if (reason !== undefined) return refuse(context, reason);
		return echo(context, check, queryOf(context)[check.name]);
	} catch (error) {
		// For an event, the same settings are read again, and the call is refused there.
		if (isEvent) return undefined;
		return refuse(context, error instanceof Error ? error.message : String(error));
	}
}

/** Answers a verified call whose body holds a challenge; undefined when it is an event. */
export function answerChallenge(
	context: IWebhookFunctions,
	check: AddressCheck,
	body: IDataObject,
): IWebhookResponseData | undefined {
	if (check.kind !== 'body') return undefined;
	const challenge = readPath(body, check.name);
	return isTextOrNumber(challenge) ? echo(context, check, challenge) : undefined;
}

function hasChallenge(context: IWebhookFunctions, check: AddressCheck): boolean {
	return check.kind === 'query' && queryOf(context)[check.name] !== undefined;
}

async function reasonToRefuse(
	context: IWebhookFunctions,
	tokenParameter: string,
): Promise<string | undefined> {
	const { [MODE]: mode = 'subscribe', [tokenParameter]: given } = queryOf(context);
	if (mode !== 'subscribe') return `"${MODE}" is not "subscribe"`;
	const expected = readVerifyToken(await context.getCredentials(CREDENTIALS_TYPE));
	if (expected === '' && given === undefined) return undefined;
	if (expected === '') return 'it has a verify token, and the credential has none';
	if (typeof given !== 'string') return `it has no verify token in "${tokenParameter}"`;
	return isSameSecret(given, expected)
		? undefined
		: 'its verify token is not that of the credential';
}

function echo(
	context: IWebhookFunctions,
	{ name, asJson }: Challenge,
	challenge: unknown,
): IWebhookResponseData {
	if (!isTextOrNumber(challenge)) return reject(context, `there is no challenge in "${name}"`);
	if (String(challenge).length > MAX_LENGTH) {
		return reject(context, `the challenge has more than ${MAX_LENGTH} characters`);
	}
	return answer(context, asJson ? { [name]: challenge } : String(challenge));
}

function answer(context: IWebhookFunctions, content: string | IDataObject): IWebhookResponseData {
	const response = context.getResponseObject().status(200).set(HEADERS);
	if (typeof content === 'string') response.type('text/plain').send(content);
	else response.json(content);
	return { noWebhookResponse: true };
}

function refuse(context: IWebhookFunctions, reason: string): IWebhookResponseData {
	log(context, 'warn', `An address check was refused: ${reason}`);
	context.getResponseObject().status(401).json({ message: 'Unauthorized' });
	return { noWebhookResponse: true };
}

function reject(context: IWebhookFunctions, reason: string): IWebhookResponseData {
	log(context, 'warn', `An address check could not be answered: ${reason}`);
	context.getResponseObject().status(400).json({ message: 'No valid challenge' });
	return { noWebhookResponse: true };
}

function queryOf(context: IWebhookFunctions): Record<string, unknown> {
	const query: unknown = context.getQueryData();
	return Object.fromEntries(Object.entries(Object(query)));
}
