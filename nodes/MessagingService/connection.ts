import type {
	ICredentialsDecrypted,
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
} from 'n8n-workflow';
import { readAccount } from './api/account';
import { Client } from './api/client';
import { Deadlines } from './deadlines';
import { sendBy } from './http';
import { systemClock } from './systemClock';

export const CREDENTIALS_TYPE = 'messagingServiceApi';

/**
 * Milliseconds for which writes under way may still be answered when an execution is stopped. Of most of them it is
 * known then what became of them.
 */
const LAST_ANSWERS = 2_000;

/** The n8n contexts that talk to the service. */
type Context = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

/**
 * Makes a client from the credential of the node. The credential is read once, not for each request.
 *
 * @throws {BaseUrlError} when the base URL in the credential cannot be used.
 */
export async function connect(context: Context): Promise<Client> {
	const data = await context.getCredentials(CREDENTIALS_TYPE);
	const credentialsDecrypted: ICredentialsDecrypted = {
		id: '',
		name: '',
		type: CREDENTIALS_TYPE,
		data,
	};
	const { httpRequest, httpRequestWithAuthentication } = context.helpers;
	const deadlines = new Deadlines();
	const signal =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	return new Client({
		account: readAccount(data),
		clock: systemClock,
		signal,
		endOfWrites: signal && later(signal, LAST_ANSWERS),
		http: async ({ authenticate, ...request }) =>
			await sendBy(
				async (options, end) =>
					authenticate
						? await httpRequestWithAuthentication.call(
								withSignal(context, end),
								CREDENTIALS_TYPE,
								options,
								{ credentialsDecrypted },
							)
						: await httpRequest(options),
				request,
				deadlines,
			),
	});
}

/**
 * Names the account that something is remembered for: by its credential and base URL. The API key may be replaced
 * there, and what was sent before is not to be sent again for that.
 */
export function accountOf(context: IExecuteFunctions, { account, team }: Client): string {
	const { id } = context.getNode().credentials?.[CREDENTIALS_TYPE] ?? {};
	return `${account.baseUrl.href} ${id ?? team}`;
}

/**
 * The context, with another signal to end requests by: n8n puts that of the execution on each request with
 * authentication, in place of the one in its options.
 */
function withSignal(context: Context, signal: AbortSignal): Context {
	const changed: Context = Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	});
	return changed;
}

/** A signal that aborts so many milliseconds after another one. */
function later(signal: AbortSignal, milliseconds: number): AbortSignal {
	const controller = new AbortController();
	const abort = async () => {
		await systemClock.wait(milliseconds);
		controller.abort();
	};
	signal.addEventListener('abort', () => void abort(), { once: true });
	return controller.signal;
}
