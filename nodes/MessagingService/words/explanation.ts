import type {
	Answer,
	ApiResponse,
	Explanation,
	FailedRequest,
	NoResponse,
	RequestFailure,
} from '../api/request';
import { isObject, parseJson } from '../api/json';
import { isMarkup, shorten } from '../api/text';
import { parseUrl } from '../api/url';

/** The most characters that are quoted from the service. */
const MAX_WORDS_LENGTH = 300;

/** Where services put their messages. The interface does not show what its errors look like. */
const PLACES = ['message', 'detail', 'description', 'reason', 'title', 'error', 'errors'];

/** Why no other address gets a request. */
const IF_MOVED =
	'The API key is sent only to the base URL in the credential. If the service has moved, enter its new address there.';

const BUSY = 'The messaging service is not accepting more requests right now';

const WEB_PAGE: Explanation = {
	message: 'A web page came back instead of an answer from the messaging service',
	description:
		'Check the base URL in the credential: it may be that of a website, or a login page, a proxy or a firewall may be in front of the service.',
};

/** Explains a failed request to the user. */
export function explain({ request, answer, outcome, status }: RequestFailure): Explanation {
	const { message, description } = explainAnswer(request, answer);
	const caution =
		outcome === 'unknown' &&
		'The service may have acted on the request anyway. Check there before you repeat it.';
	const certainty = outcome === 'refused' && !isSent(answer) && 'Nothing was sent.';
	const parts = [caution, certainty, description.trim(), status && `(Status ${status})`];
	return { message, description: parts.filter(Boolean).join(' ') };
}

/** What the service itself says in its answer to a failed request, as a sentence; empty if it says nothing. */
export function saidIn({ answer }: RequestFailure): string {
	return answer.kind === 'noResponse' ? '' : sentence(serviceWords(answer.text));
}

/** Whether the latest call may have reached the service. */
function isSent(answer: Answer): boolean {
	const unsent: NoResponse['reason'][] = ['unreachable', 'insecure', 'blocked', 'outage'];
	return answer.kind !== 'noResponse' || !unsent.includes(answer.reason);
}

function explainAnswer(request: FailedRequest, answer: Answer): Explanation {
	switch (answer.kind) {
		case 'response':
			return explainStatus(request, answer);
		case 'unexpected':
			return explainUnexpected(answer);
		case 'noResponse':
			return explainNoResponse(request, answer);
	}
}

/** Explains an answer with an error status, with the service's own words where it has any. */
function explainStatus(
	request: FailedRequest,
	{ status, text, headers }: ApiResponse,
): Explanation {
	const words = serviceWords(text);
	// The same words for a description, and for the end of a message.
	const says = sentence(words);
	const reason = words && `: ${words.replace(/\.$/, '')}`;
	if (status < 400) return explainRedirect(request, headers.location);
	// With 408 and 499, a gateway on the way gave up waiting.
	if (status >= 500 || status === 408 || status === 499) {
		return {
			message: 'The messaging service reported a server error',
			description: `${says}${laterIfRead(request)}If this goes on, contact the service's support.`,
		};
	}
	if (status === 429) {
		return {
			message: BUSY,
			description: `${says}The request was not accepted. ${laterIfRead(request)}`,
		};
	}
	if (isMarkup(text)) return WEB_PAGE;
	if (status === 401 && request.authenticate !== false) {
		return {
			message: 'The messaging service does not accept the API key',
			description: `${says}Check that the credential has the whole API key, and nothing else. Or generate a new one in the API section of the team settings; it may replace the old one.`,
		};
	}
	if (status === 403 || status === 407) {
		return {
			message: `The messaging service refused access${reason}`,
			description:
				'Ask whoever manages your team what this API key may do. Or a firewall or a proxy refused the request.',
		};
	}
	if (status === 404 && request.notFound) {
		const { message, description } = request.notFound;
		return { message, description: says + description };
	}
	return {
		message: `The messaging service did not accept the request${reason}`,
		description: 'Check the values of this node, and the base URL in the credential.',
	};
}

function explainRedirect({ origin }: FailedRequest, location?: string): Explanation {
	const target = location ? parseUrl(location, origin) : undefined;
	const leadsTo = target ? `It points to ${target.origin}. ` : '';
	return {
		message: 'The messaging service answered with a redirect, which is not followed',
		description: `${leadsTo}${IF_MOVED}`,
	};
}

function explainUnexpected({ text }: ApiResponse): Explanation {
	if (isMarkup(text)) return WEB_PAGE;
	const words = readable(text);
	const content = words ? `It begins with: ${words}.` : 'It is empty.';
	return {
		message: 'Unexpected response from the messaging service',
		description: `${content} Check the base URL in the credential, or contact the service's support.`,
	};
}

function explainNoResponse(request: FailedRequest, { reason, detail }: NoResponse): Explanation {
	const { host } = new URL(request.origin);
	switch (reason) {
		case 'unreachable':
			return {
				message: `The messaging service cannot be reached at ${host}`,
				description: `Check the base URL in the credential, and that this n8n can reach the address. (${detail})`,
			};
		case 'insecure':
			return {
				message: `The request could not be sent to ${host}`,
				description: `No secure connection could be made. Check the base URL with its port. For a certificate that your organization issued, n8n needs NODE_EXTRA_CA_CERTS. (${readable(detail)})`,
			};
		case 'blocked':
			return {
				message: `n8n does not allow requests to ${host}`,
				description: `It blocks private networks. Ask whoever runs n8n to add the address to N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES. (${detail})`,
			};
		case 'broken':
			return {
				message: 'The connection to the messaging service broke off',
				description: `${laterIfRead(request)}No answer came. (${detail})`,
			};
		case 'timeout':
			return {
				message: `The messaging service did not answer within ${request.timeout / 1_000} seconds`,
				description: `${laterIfRead(request)}If it is often slow, set a longer "Timeout".`,
			};
		case 'tooLarge':
			return {
				message: `The response of the messaging service is larger than ${detail}`,
				description: "Ask for less at a time, or contact the service's support.",
			};
		case 'cancelled':
			// n8n tells a canceled execution from a failed one by the word "canceled", in this spelling.
			return { message: 'The execution was canceled', description: '' };
		case 'stalled':
			return {
				message: BUSY,
				description:
					'It has accepted nothing for 15 minutes. Ask about the limit of your team. (Status 429)',
			};
		case 'outage':
			return {
				message: `No call gets through to ${host}`,
				description: `Check the base URL in the credential, or wait until the service works. The latest call failed with: ${detail}.`,
			};
		case 'foreignLink':
			return {
				message: 'The messaging service links to another address, which is not followed',
				description: `The list goes on at ${detail}. ${IF_MOVED}`,
			};
	}
}

/** Advice for a request that reads. After a write, a new run would also send the other items again. */
function laterIfRead({ repeat }: FailedRequest): string {
	return repeat === 'idempotent' ? 'Try again later. ' : '';
}

/** The service's own words in an answer: its message if it has one, else the text; none in a web page or in `{}`. */
function serviceWords(text: string): string {
	const hasNone = isMarkup(text) || !/[\p{L}\p{N}]/u.test(text);
	return readable(findMessage(parseJson(text)) ?? (hasNone ? '' : text));
}

function sentence(words: string): string {
	return words && `The service says: "${words}". `;
}

/** The beginning of a text, on one line. */
function readable(text: string): string {
	return shorten(text.replace(/\s+/g, ' ').trim(), MAX_WORDS_LENGTH);
}

/** @param levels how deep to look, since a deeply nested answer would overflow the stack */
function findMessage(value: unknown, levels = 10): string | undefined {
	if (typeof value === 'string') return value;
	if (levels === 0) return undefined;
	const find = (part: unknown) => findMessage(part, levels - 1);
	if (Array.isArray(value)) return value.map(find).filter(Boolean).join('; ') || undefined;
	return isObject(value) ? PLACES.map((place) => find(value[place])).find(Boolean) : undefined;
}
