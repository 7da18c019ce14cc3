import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { type Account, readAccount } from '../api/account';
import { isObject, parseJson } from '../api/json';
import { DEFAULT_TRANSPORT } from '../api/client';
import { INBOXES } from '../api/lists';
import type { Outcome } from '../api/outcome';
import type { Explanation } from '../api/request';
import { RequestFailure } from '../api/requestFailure';
import { Redactor } from '../api/secrets';
import { buildUrl } from '../api/url';
import { explain, isMarkup } from '../explanation';
import { sendBy } from '../http';

const TIMEOUT = 12_000;
const PATH = INBOXES.request.path;

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
		const redactor = new Redactor(account.secrets);
		const message = judge(account, await ask(this, account), redactor);
		if (message === undefined) return { status: 'OK', message: 'Connection successful' };
		return failed(redactor.hide(message));
	} catch (error) {
		return failed(error instanceof Error ? error.message : String(error));
	}
}

async function ask(context: ICredentialTestFunctions, account: Account): Promise<Outcome> {
	// The context of a credential test has no other request helper than the old one, which has options
	// of its own.
	return await sendBy(
		async ({ url, method, timeout, headers }) => {
			const answer: unknown = await context.helpers.request({
				url,
				method,
				timeout,
				headers,
				useStream: true,
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
			maxResponseSize: DEFAULT_TRANSPORT.maxResponseSize,
			headers: { accept: 'application/json', apiKey: account.apiKey },
		},
	);
}

/** Says what is wrong; undefined when nothing is. */
function judge({ baseUrl }: Account, outcome: Outcome, redactor: Redactor): string | undefined {
	const request = { method: 'GET', path: PATH, origin: baseUrl.origin, timeout: TIMEOUT } as const;
	const explained = () => sentences(explain(new RequestFailure(request, outcome, redactor)));
	if (outcome.kind === 'failure' || outcome.status === 401 || outcome.status === 403) {
		return explained();
	}
	if (isMarkup(outcome.text)) {
		return `There is a website at ${baseUrl.href}, not the messaging service (status ${outcome.status}). Enter the beginning of the webhook addresses that the agent builder shows.`;
	}
	if (outcome.status === 404) {
		const advice =
			baseUrl.href === baseUrl.origin
				? 'Check the base URL.'
				: `Enter only the beginning of the base URL, such as ${baseUrl.origin}.`;
		return `The messaging service is not at ${baseUrl.href}: there is no ${PATH}. ${advice}`;
	}
	// The service knows the key, and only asks to slow down.
	if (outcome.status === 429) return undefined;
	if (outcome.status >= 300) return explained();
	const answer = parseJson(outcome.text);
	if (isObject(answer) && Array.isArray(answer.data)) return undefined;
	return `Something else than the messaging service responds at ${baseUrl.href}. Check the base URL.`;
}

function sentences({ message, description }: Explanation): string {
	return `${message}. ${description}`;
}

function failed(message: string): INodeCredentialTestResult {
	return { status: 'Error', message };
}
