import { parseJson, shorten } from '../api/json';
import type {
	Answer,
	Explanation,
	FailedRequest,
	NoResponseReason,
	RequestFailure,
	ApiResponse,
	UnexpectedResponse,
} from '../api/request';
import { inSeconds } from '../api/time';
import { parseUrl } from '../api/url';

const MAX_WORDS_LENGTH = 300;
const BUSY = 'The messaging service is not accepting more requests right now';

/** Explains a failed request to the user. */
export function explain({ request, answer, outcome, status }: RequestFailure): Explanation {
	const { message, description } = explainAnswer(request, answer);
	const doubt = outcome === 'unknown' && doubtAdvice(request, answer);
	const parts = [doubt, description.trim(), status && `(Status ${status})`];
	return { message, description: parts.filter(Boolean).join(' ') };
}

/** What the user has to know before a repeat when it is unknown whether the service has acted on a request. */
function doubtAdvice({ repeat }: FailedRequest, { kind }: Answer): string {
	if (kind === 'unexpected') {
		return 'The service may have processed the request, so check there before you send it again.';
	}
	return repeat === 'evenIfUnknown'
		? 'The service may have acted on one of the tries. Check there before you repeat it.'
		: 'The service may have acted on the request anyway, so it was not sent again. Check there before you repeat it.';
}

function explainAnswer(request: FailedRequest, answer: Answer): Explanation {
	switch (answer.kind) {
		case 'response':
			return explainStatus(request, answer);
		case 'unexpected':
			return explainUnexpected(answer);
		case 'noResponse': {
			const { host } = new URL(request.origin);
			return NO_RESPONSE[answer.reason]({ request, host, detail: answer.detail });
		}
	}
}

/** What is known of a request without a response. */
interface Circumstances {
	request: FailedRequest;
	host: string;
	detail: string;
}

/** Why no response came. */
const NO_RESPONSE: { [Reason in NoResponseReason]: (failed: Circumstances) => Explanation } = {
	notSent: ({ host, detail }) => ({
		message: `The messaging service cannot be reached at ${host}`,
		description: `No connection could be made, so nothing was sent. Check the base URL in the credential, and that this n8n can reach the address. (${detail})`,
	}),
	broken: ({ request, detail }) => ({
		message: 'The connection to the messaging service broke off',
		description: `${retryAdvice(request)}(${detail})`,
	}),
	timeout: ({ request: { timeout, hasDeadline } }) => ({
		message: `The messaging service did not answer within ${inSeconds(timeout / 1_000)}`,
		description: hasDeadline
			? 'Try again later.'
			: 'If the service is just slow, raise "Timeout" in the options.',
	}),
	tooLarge: ({ detail }) => ({
		message: `The response of the messaging service is larger than ${detail}`,
		description:
			"The rest of it was not read. Ask for less at a time, or contact the service's support.",
	}),
	// n8n tells a canceled execution from a failed one by the word "canceled", in this spelling.
	cancelled: ({ request }) => ({
		message: 'The execution was canceled while the messaging service was answering',
		description: request.repeat === 'idempotent' ? 'Nothing was changed at the service.' : '',
	}),
	notStarted: () => ({
		message: 'The execution was canceled',
		description: 'The last try was not sent, or not accepted.',
	}),
	heldBack: ({ detail }) => ({
		message: BUSY,
		description: `The next request may go out in ${detail}, so this one was not sent. Try again after that.`,
	}),
	stalled: () => ({
		message: 'The messaging service has answered only "too many requests" for 15 minutes',
		description:
			'So this call was given up; it was not accepted. Ask whoever runs the service about the limit of your team, then send it again. (Status 429)',
	}),
	silent: ({ request, host, detail }) => ({
		message:
			request.repeat === 'idempotent'
				? `Given up, because ${host} has not answered anything for minutes`
				: `Not sent, because ${host} has not answered anything for minutes`,
		description: `Check the base URL in the credential, or wait until the service works again; then go on with what was not done. The latest call failed with: ${detail}.`,
	}),
	insecure: ({ host, detail }) =>
		detail.startsWith('EPROTO')
			? {
					message: `No secure connection to ${host} is possible`,
					description:
						'Nothing was sent. Check the base URL in the credential, and its port, or ask whoever runs the service: what answers there does not speak HTTPS. (EPROTO)',
				}
			: {
					message: `The certificate of ${host} is not trusted`,
					description: `No secure connection could be made, so nothing was sent. Check the base URL in the credential, or ask whoever runs the service about its certificate. If your organization makes its own certificates, n8n has to know them by NODE_EXTRA_CA_CERTS. (${detail})`,
				},
	invalid: ({ detail }) => ({
		message: 'The request could not be sent',
		description: `Check the base URL and the API key in the credential. (${detail})`,
	}),
	foreignLink: ({ request, detail }) => ({
		message: 'The messaging service links to another address, which is not followed',
		description: `The list goes on at ${detail}, but the API key is sent only to ${request.origin}. If the service has moved, enter its new address as the base URL in the credential.`,
	}),
};

function explainStatus(
	request: FailedRequest,
	{ status, text, headers }: ApiResponse,
): Explanation {
	const { authenticate = true, notFound, hasDeadline } = request;
	const words = serviceWords(text);
	const says = words && `The service says: "${words}". `;
	const reason = words && `: ${words.replace(/\.$/, '')}`;
	const isPage = status === 401 && isMarkup(text);
	if (status === 407 || isPage || (status === 403 && !words)) return IN_FRONT;
	if (authenticate && status === 401) {
		return {
			message: 'The messaging service does not accept the API key',
			description: `${says}Check the API key in the credential. You can generate a new one in the service's team settings, API section; it may replace the old one.`,
		};
	}
	if (status === 403) {
		return {
			message: `The messaging service refused access${reason}`,
			description: 'Ask whoever manages your team at the service what it may do.',
		};
	}
	if (status === 404 && isMarkup(text)) return WEB_PAGE;
	if (status === 404 && notFound) {
		return { message: notFound.message, description: says + notFound.description };
	}
	if (status === 404 && !words) {
		return {
			message: 'The messaging service does not know this address',
			description: 'Check the base URL in the credential.',
		};
	}
	if (status === 429) {
		const wait = hasDeadline
			? 'Try again later.'
			: 'Raise "Max Retries" in the options, so that the node waits longer.';
		return {
			message: BUSY,
			description: `${says}The request was not accepted. ${retryAdvice(request)}${wait}`,
		};
	}
	if (status >= 300 && status < 400) {
		const target = headers.location ? parseUrl(headers.location, request.origin) : undefined;
		const leadsTo = target ? `It points to ${target.origin}. ` : '';
		return {
			message: 'The messaging service answered with a redirect, which is not followed',
			description: `${leadsTo}The API key is sent only to the address in the credential. If the service has moved, enter its new address as the base URL.`,
		};
	}
	if (status === 408 || status === 499) {
		return {
			message: 'The messaging service reported that the request took too long',
			description: says + retryAdvice(request),
		};
	}
	if (status >= 500) {
		return {
			message: 'The messaging service reported a server error',
			description: `${says}${retryAdvice(request)}If it keeps happening, contact the service's support.`,
		};
	}
	const where = status === 404 ? ', and the base URL in the credential' : '';
	return {
		message: `The messaging service did not accept the request${reason}`,
		description: `${words ? '' : 'The service gives no reason. '}Check the values of this node${where}.`,
	};
}

function explainUnexpected({ text }: UnexpectedResponse): Explanation {
	if (isMarkup(text)) return WEB_PAGE;
	const words = readable(text);
	const unreadable = text.trim() === '' ? 'It is empty.' : 'It is not readable text.';
	const content = words ? `It begins with: ${words}.` : unreadable;
	return {
		message: 'Unexpected response from the messaging service',
		description: `${content} Check the base URL in the credential. If it is right, contact the service's support.`,
	};
}

const IN_FRONT: Explanation = {
	message: 'Something in front of the messaging service refused the request',
	description:
		'Such an answer mostly comes from a firewall or a proxy on the way, not from the service itself. Ask whoever runs the network of n8n, or the service, to let requests from n8n through.',
};

const WEB_PAGE: Explanation = {
	message: 'A web page came back instead of an answer from the messaging service',
	description:
		'Check the base URL in the credential: it may be the address of a website, or there may be a login page or a proxy in front of the service.',
};

/** Only for idempotent requests, since running the node again also sends its other items again. */
function retryAdvice({ repeat, hasDeadline }: FailedRequest): string {
	return repeat === 'idempotent' && !hasDeadline ? 'Run the node again later. ' : '';
}

/** The service's own words in an answer: its message if it has one, else the text; none in a web page or in `{}`. */
function serviceWords(text: string): string {
	const hasNone = isMarkup(text) || !/[\p{L}\p{N}]/u.test(text);
	return readable(findMessage(parseJson(text)) ?? (hasNone ? '' : text));
}

/** The beginning of a text, in one line; empty when it is not readable. */
function readable(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return isReadable(line) ? shorten(line, MAX_WORDS_LENGTH) : '';
}

/** Whether the text is a web page rather than an answer of an API. */
function isMarkup(text: string): boolean {
	return /^\s*</.test(text);
}

/** Whether it is text rather than bytes that nobody decompressed. A wrong charset damages single letters only. */
function isReadable(line: string): boolean {
	return !/\p{Cc}|\uFFFD{2}/u.test(line);
}

// The interface does not show what errors look like; these are the places where services put their words.
function findMessage(value: unknown, depth = 0): string | undefined {
	if (typeof value === 'string') return value;
	if (typeof value !== 'object' || value === null || depth > 3) return undefined;
	if (Array.isArray(value)) {
		const messages = value.map((each) => findMessage(each, depth + 1)).filter(Boolean);
		return messages.length > 0 ? messages.join('; ') : undefined;
	}
	for (const key of ['message', 'detail', 'description', 'reason', 'title', 'error', 'errors']) {
		const message: string | undefined = findMessage(Reflect.get(value, key), depth + 1);
		if (message) return message;
	}
	return undefined;
}
