import {
	type IAuthenticateRuleResponseCode,
	type IAuthenticateRuleResponseSuccessBody,
	type Icon,
	type ICredentialDataDecryptedObject,
	type ICredentialTestRequest,
	type ICredentialType,
	type IHttpRequestOptions,
	UserError,
} from 'n8n-workflow';
import { INBOXES } from '../nodes/MessagingService/api/listEndpoints';
import { isSameOrigin } from '../nodes/MessagingService/api/url';
import { credentialFields, readAccount } from '../nodes/MessagingService/panel/credential';

// The first is for n8n's request helper, the others are for its older one, which the HTTP Request node uses.
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
};

/** Milliseconds that the credential test may take. n8n itself would allow five minutes. */
const MAX_TEST_TIME = 12_000;

const PASTE_ADDRESS = 'Paste any webhook URL from the agent builder as the base URL.';
const WRONG_KEY =
	'The messaging service does not accept the API key. Enter the whole key, and nothing but the key. If a page in front of the service asks for a login, that has refused it. Otherwise, generate a new key in the API section of the team settings; it may replace the old one.';
const IN_FRONT =
	'Access was refused, by a firewall or a proxy in front of the messaging service, or because the API key may not list inboxes.';
const NOT_THERE = `The messaging service is not at this address. ${PASTE_ADDRESS}`;
const WEBSITE = `There is a website at this address, not the messaging service. ${PASTE_ADDRESS}`;
const REDIRECT = `The address redirects to another one, which does not get the API key. ${PASTE_ADDRESS}`;

export class MessagingServiceApi implements ICredentialType {
	name = 'messagingServiceApi';

	displayName = 'Messaging Service API';

	icon: Icon = {
		light: 'file:../icons/messagingService.svg',
		dark: 'file:../icons/messagingService.dark.svg',
	};

	documentationUrl = 'https://example.com/n8n-nodes-messaging-service#credentials';

	properties = credentialFields;

	/** Asks for one inbox. This only reads, needs the key, and works for every account, even without inboxes. */
	test: ICredentialTestRequest = {
		request: { url: INBOXES.request.path, qs: { limit: 1 } },
		rules: [
			whenStatus(401, WRONG_KEY),
			...[403, 407].map((status) => whenStatus(status, IN_FRONT)),
			whenStatus(404, NOT_THERE),
			...[301, 302, 303, 307, 308].map((status) => whenStatus(status, REDIRECT)),
			whenBody('0', '<', WEBSITE),
			// The list of inboxes has `total`, while an empty list may leave out its `data`.
			whenBody('total', undefined, NOT_THERE),
			// n8n takes both kinds of rules side by side, which its type does not know.
		] as IAuthenticateRuleResponseSuccessBody[],
	};

	/**
	 * Adds the API key to a request (interface, Authentication), also to those of n8n's HTTP Request node with this
	 * credential. The key goes only to the origin of the base URL, never through a proxy that a workflow names or over a
	 * connection whose certificate is not checked. Redirects are not followed.
	 */
	async authenticate(
		credential: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { baseUrl, apiKey } = readAccount(credential);
		const authenticated = { ...request, ...NO_REDIRECTS, headers: { ...request.headers, apiKey } };
		// Only the test above gives a path instead of an address, since the base URL may be a whole webhook address.
		if (request.url === this.test.request.url) {
			const abortSignal = AbortSignal.timeout(MAX_TEST_TIME);
			return { ...authenticated, baseURL: baseUrl.href, abortSignal };
		}
		const unsafe = unsafeOptionOf(request);
		if (unsafe) {
			throw new UserError(
				`The API key is not sent with the option "${unsafe}". Remove the option.`,
			);
		}
		if (isSameOrigin(baseUrl, urlOf(request))) return authenticated;
		throw new UserError(`The API key is sent only to ${baseUrl.origin}, not to another address`);
	}
}

/** The option of the HTTP Request node, if one is set, with which others could read the key on the way. */
function unsafeOptionOf(
	request: IHttpRequestOptions & { rejectUnauthorized?: boolean },
): string | undefined {
	if (request.proxy) return 'Proxy';
	const isUnchecked =
		request.skipSslCertificateValidation === true || request.rejectUnauthorized === false;
	return isUnchecked ? 'Ignore SSL Issues (Insecure)' : undefined;
}

// The older helper calls the address `uri`.
function urlOf(request: IHttpRequestOptions & { uri?: string }): string {
	return new URL(request.url ?? request.uri, request.baseURL).href;
}

function whenStatus(value: number, message: string): IAuthenticateRuleResponseCode {
	return { type: 'responseCode', properties: { value, message } };
}

/** A test rule that fails if this key in the body of a successful response has this value. */
function whenBody(
	key: string,
	value: unknown,
	message: string,
): IAuthenticateRuleResponseSuccessBody {
	return { type: 'responseSuccessBody', properties: { key, value, message } };
}
