import type {
	ICredentialsDecrypted,
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
} from 'n8n-workflow';
import { readAccount } from './api/account';
import { Client } from './api/client';
import { sendBy } from './http';
import { systemClock } from './systemClock';

export const CREDENTIALS_TYPE = 'messagingServiceApi';

/** The n8n contexts that talk to the service. */
type Context = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

/**
 * Makes a client from the credential of the node. The credential is read once, not for each request.
 *
 * @param items how many items the node sends for
 * @throws {BaseUrlError} when the base URL in the credential cannot be used.
 */
export async function connect(context: Context, items?: number): Promise<Client> {
	const data = await context.getCredentials(CREDENTIALS_TYPE);
	const credentialsDecrypted: ICredentialsDecrypted = {
		id: '',
		name: '',
		type: CREDENTIALS_TYPE,
		data,
	};
	const { httpRequest, httpRequestWithAuthentication } = context.helpers;
	return new Client({
		account: readAccount(data),
		clock: systemClock,
		items,
		log: (words) => context.logger.info(words, { node: context.getNode().name }),
		signal: 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined,
		http: async ({ authenticate, ...request }) =>
			await sendBy(
				async (options) =>
					authenticate
						? await httpRequestWithAuthentication.call(context, CREDENTIALS_TYPE, options, {
								credentialsDecrypted,
							})
						: await httpRequest(options),
				request,
			),
	});
}

/**
 * Names the account that something is remembered for: by its credential and base URL. The API key may be replaced
 * there, and what was sent before is not to be sent again for that.
 */
export function accountKeyOf(context: IExecuteFunctions, { account, team }: Client): string {
	const { id } = context.getNode().credentials?.[CREDENTIALS_TYPE] ?? {};
	return `${account.baseUrl.href} ${id ?? team}`;
}
