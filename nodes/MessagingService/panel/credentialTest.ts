import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { type Account, readAccount } from './credentials';
import { explain, isMarkup, redact } from './errors';
import { exchange, type Outcome } from './exchange';
import { isObject, parseJson } from './json';
import { buildUrl } from './url';

const TIMEOUT = 15_000;
const PATH = '/public/admin/inboxes';

/**
 * Tests a credential by asking for one inbox: that reads only, needs the key, and every account has the
 * list, even if it is empty. Says which of the fields is wrong where it fails.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	try {
		const account = readAccount(credential.data ?? {});
		if (account.apiKey === '') return failed('The API key is empty.');
		const message = judge(account, await ask(this, account));
		if (message === undefined) return { status: 'OK', message: 'Connection successful' };
		return failed(redact(message, [account.apiKey]));
	} catch (error) {
		return failed(error instanceof Error ? error.message : String(error));
	}
}

async function ask(context: ICredentialTestFunctions, account: Account): Promise<Outcome> {
	// The context of a credential test has no other request helper than the old one, which has options
	// of its own.
	return await exchange(
		async ({ url, method, timeout }) => {
			const answer: unknown = await context.helpers.request({
				url,
				method,
				timeout,
				headers: { accept: 'application/json', apiKey: account.apiKey },
				followRedirect: false,
				resolveWithFullResponse: true,
				simple: false,
				json: false,
			});
			return answer;
		},
		{
			url: buildUrl(account.baseUrl, PATH, [['limit', '1']]),
			method: 'GET',
			timeout: TIMEOUT,
		},
	);
}

/** Says what is wrong; undefined when nothing is. */
function judge(account: Account, outcome: Outcome): string | undefined {
	const request = {
		method: 'GET',
		timeout: TIMEOUT,
		origin: account.baseUrl.origin,
	} as const;
	const secrets = [account.apiKey];
	if (outcome.kind === 'failure' || outcome.status === 401 || outcome.status === 403) {
		return sentences(explain(request, outcome, secrets));
	}
	if (isMarkup(outcome.text)) {
		return `There is a website at ${account.baseUrl.href}, not the messaging service (status ${outcome.status}). Enter the address of its API as the base URL.`;
	}
	if (outcome.status === 404) {
		return `The messaging service is not at ${account.baseUrl.href}: ${PATH} is not known there. Check the base URL, and leave out "/public" at its end.`;
	}
	// The service knows the key, and only asks to slow down.
	if (outcome.status === 429) return undefined;
	if (outcome.status >= 300) return sentences(explain(request, outcome, secrets));
	const answer = parseJson(outcome.text);
	if (isObject(answer) && Array.isArray(answer.data)) return undefined;
	return `What answers at ${account.baseUrl.href} is not the messaging service. Check the base URL.`;
}

function sentences({ message, description }: { message: string; description: string }): string {
	return `${message}. ${description}`;
}

function failed(message: string): INodeCredentialTestResult {
	return { status: 'Error', message };
}
