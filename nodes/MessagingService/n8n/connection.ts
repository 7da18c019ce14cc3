import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import type { Account } from '../api/account';
import { Client } from '../api/client';
import { CallQueue } from '../api/callQueue';
import { Pacers } from '../api/pacer';
import type { Clock } from '../api/time';
import { sendBy } from './http';
import { systemClock } from './clock';
import { withOwnSignal } from './private';

export const CREDENTIALS_TYPE = 'messagingServiceApi';

/** A credential as n8n decrypts it, and the account that it is for. */
export interface Credential {
	data: ICredentialDataDecryptedObject;
	account: Account;
}

/** What a client gets from the run that it is for, and shares with others in this process. */
interface ConnectOptions {
	clock?: Clock;
	/** The pace of all teams in this process. Only paced requests need it. */
	pacers?: Pacers;
	/** When it aborts, no more requests begin. */
	signal?: AbortSignal;
	/** The most calls under way at once. */
	maxCalls?: number;
}

/** Makes a client for the credential of a node. */
export function connect(
	context: IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions,
	{ data, account }: Credential,
	{ clock = systemClock, pacers = new Pacers(clock), signal, maxCalls }: ConnectOptions = {},
): Client {
	const { httpRequest, httpRequestWithAuthentication } = context.helpers;
	const credentialsDecrypted = { id: '', name: '', type: CREDENTIALS_TYPE, data };
	const withKey = async (options: IHttpRequestOptions) => {
		const caller = withOwnSignal(context, options);
		const more = { credentialsDecrypted };
		return await httpRequestWithAuthentication.call(caller, CREDENTIALS_TYPE, options, more);
	};
	return new Client({
		account,
		clock,
		pacers,
		queue: new CallQueue(clock, signal, maxCalls),
		execution: ('getExecutionId' in context ? context.getExecutionId() : '') ?? '',
		signal,
		http: async ({ authenticate, ...request }) =>
			await sendBy(authenticate ? withKey : httpRequest, request),
	});
}

/**
 * Identifies an account in what is remembered from run to run. It is the base URL and the credential, so a new API key in
 * the credential changes nothing.
 */
export function accountIdOf(
	context: IExecuteFunctions | IHookFunctions | IPollFunctions,
	{ baseUrl, team }: Account,
): string {
	const { id } = context.getNode().credentials?.[CREDENTIALS_TYPE] ?? {};
	return `${baseUrl.href} ${id ?? team}`;
}
