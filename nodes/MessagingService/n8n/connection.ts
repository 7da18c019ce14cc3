import type {
	ICredentialsDecrypted,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import { type Account, readAccount } from '../api/account';
import { Client } from '../api/client';
import { CallGate } from '../api/callGate';
import { sendBy } from './http';
import { systemClock } from './clock';

export const CREDENTIALS_TYPE = 'messagingServiceApi';

/** What a client knows of the run that it is for. */
interface ConnectOptions {
	/** When it aborts, no request begins any more. */
	signal?: AbortSignal;
	/** How many items the run has. */
	itemCount?: number;
	/** The most calls under way at once. */
	concurrency?: number;
}

/**
 * Makes a client from the credential of the node. The credential is read once, not for each request.
 *
 * @throws {BaseUrlError} when the base URL in the credential cannot be used.
 */
export async function connect(
	context: IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions,
	{ signal, itemCount, concurrency }: ConnectOptions = {},
): Promise<Client> {
	const data = await context.getCredentials(CREDENTIALS_TYPE);
	const credentialsDecrypted: ICredentialsDecrypted = {
		id: '',
		name: '',
		type: CREDENTIALS_TYPE,
		data,
	};
	const { httpRequest, httpRequestWithAuthentication } = context.helpers;
	const withKey = async (options: IHttpRequestOptions) => {
		// n8n's helper breaks a request off when the execution is cancelled. What a write did matters even then.
		const caller: typeof context = Object.create(context, {
			getExecutionCancelSignal: { value: () => options.abortSignal },
		});
		return await httpRequestWithAuthentication.call(caller, CREDENTIALS_TYPE, options, {
			credentialsDecrypted,
		});
	};
	return new Client({
		account: readAccount(data),
		clock: systemClock,
		gate: new CallGate(systemClock, signal, concurrency),
		itemCount,
		signal,
		http: async ({ authenticate, ...request }) =>
			await sendBy(authenticate ? withKey : httpRequest, request),
	});
}

/**
 * Identifies an account in what is remembered from run to run, by its credential and base URL: replacing the API key
 * in the credential does not send anything again.
 */
export function accountKeyOf(
	context: IExecuteFunctions | IHookFunctions | IPollFunctions,
	{ baseUrl, team }: Account,
): string {
	const { id } = context.getNode().credentials?.[CREDENTIALS_TYPE] ?? {};
	return `${baseUrl.href} ${id ?? team}`;
}
