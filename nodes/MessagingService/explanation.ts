import { parseJson, shorten } from './api/json';
import {
	type Failure,
	isTimedOut,
	type Outcome,
	type Response,
	type UnexpectedResponse,
} from './api/outcome';
import type { Explanation } from './api/request';
import type { FailedRequest, RequestFailure } from './api/requestFailure';
import { isIdempotent, mayHaveAccepted, readRetryAfter } from './api/retry';
import type { Redactor } from './api/secrets';
import { parseUrl } from './api/url';

const LONGEST_QUOTE = 300;
/** Longer ones stand below the message instead of in it. */
const LONGEST_REASON = 120;
const BUSY = 'The messaging service is not accepting more requests right now';
const EARLIER_TRY =
	' This was the last of several tries, and an earlier one may have been accepted. Check the service before you repeat it.';

/** Explains a failed request to the user, without the secrets of the account. */
export function explain(failure: RequestFailure): Explanation {
	const { request, outcome, mayHaveBeenAccepted, redactor } = failure;
	const { message, description } = explainOutcome(request, outcome, redactor);
	const isOfEarlierTry = mayHaveBeenAccepted && !mayHaveAccepted(request.method, outcome);
	return {
		message: redactor.hide(message),
		description: redactor.hide(description) + (isOfEarlierTry ? EARLIER_TRY : ''),
	};
}

function explainOutcome(request: FailedRequest, outcome: Outcome, redactor: Redactor): Explanation {
	switch (outcome.kind) {
		case 'response':
			return explainStatus(request, outcome, quote(outcome.text, redactor));
		case 'unexpected':
			return explainUnexpected(request, outcome, quote(outcome.text, redactor));
		case 'failure':
			return explainNoResponse(request, outcome);
	}
}

function explainNoResponse(request: FailedRequest, outcome: Failure): Explanation {
	const host = new URL(request.origin).host;
	switch (outcome.reason) {
		case 'notSent':
			return {
				message: `The messaging service cannot be reached at ${host}`,
				description: `No connection could be made, so nothing was sent. Check the base URL in the credential, and that this n8n can reach the address. (${outcome.detail})`,
			};
		case 'timeout':
			return {
				message: `The messaging service did not answer within ${request.timeout / 1_000} seconds`,
				description:
					doubt(request, 'It') +
					'If the service is just slow, raise "Timeout" in the options of this node.',
			};
		case 'tooSlow':
			return {
				message: `The response of the messaging service was not complete within ${request.timeout / 1_000} seconds`,
				description: `${accepted(request)}It was still coming in when the time was up, so it was not requested again. If your service sends responses that large, raise "Timeout" in the options of this node.`,
			};
		case 'tooLarge':
			return {
				message: `The response of the messaging service is larger than ${outcome.detail}`,
				description: `${accepted(request)}The rest of it was not read, and it was not requested again. If your service sends responses that large, raise "Max Response Size" in the options of this node.`,
			};
		case 'heldBack':
			return {
				message: BUSY,
				description: `It asked for a pause that lasts another ${outcome.detail}, so the request was not sent. Try again after that.`,
			};
		case 'broken':
			return {
				message: 'The connection to the messaging service broke off',
				description: `${doubt(request, 'The service')}Run the node again later. (${outcome.detail})`,
			};
		case 'insecure':
			if (outcome.detail.startsWith('EPROTO')) {
				return {
					message: `No secure connection to ${host} is possible`,
					description: `Nothing was sent. Check the base URL in the credential, and its port. If the service is in your own network and has no HTTPS, begin the base URL with http://. Otherwise ask whoever runs the service. (${outcome.detail})`,
				};
			}
			return {
				message: `The certificate of ${host} is not trusted`,
				description: `No secure connection could be made, so nothing was sent. Check the base URL in the credential, or ask whoever runs the service about its certificate. (${outcome.detail})`,
			};
		// n8n tells a canceled execution from a failed one by this word, in this spelling.
		case 'cancelled':
			return {
				message: 'The execution was canceled while the messaging service was answering',
				description: doubt(request, 'The service') || 'Nothing was changed at the service.',
			};
		case 'notStarted':
			return {
				message: 'The execution was canceled',
				description: 'The request was not sent, or not accepted.',
			};
		case 'invalid':
			return {
				message: 'The request could not be sent',
				description: `Check the base URL and the API key in the credential. (${outcome.detail})`,
			};
		case 'foreignLink':
			return {
				message: 'The messaging service links to another address, which is not followed',
				description: `The list goes on at ${outcome.detail}, but the API key is sent only to ${request.origin}. If the service has moved, enter its new address as the base URL in the credential.`,
			};
	}
}

/**
 * The service's own words in an answer, without secrets: its message if it has one, else the beginning of the text.
 */
export function quote(text: string, redactor: Redactor): string {
	const found = findMessage(parseJson(text)) ?? (isReadable(text) ? text : '');
	// Before anything is cut, since no part of a secret may be left.
	const words = redactor.beginning(found).replace(/\s+/g, ' ').trim();
	return shorten(words, LONGEST_QUOTE);
}

/** Whether a text can be shown to people: no web page, and no bytes of something else. */
function isReadable(text: string): boolean {
	return !isMarkup(text) && !/[^\P{Cc}\s]|\uFFFD/u.test(text.slice(0, LONGEST_QUOTE));
}

/** Whether the text is a web page rather than an answer of an API. */
export function isMarkup(text: string): boolean {
	return /^\s*</.test(text);
}

function explainStatus(request: FailedRequest, response: Response, words: string): Explanation {
	const { status } = response;
	const says = words ? `The service says: "${words}". ` : '';
	if (request.authenticate !== false && (status === 401 || status === 403)) {
		return {
			message: 'The messaging service does not accept the API key',
			description: `${says}Check the API key in the credential. You can generate a new one in the service's team settings, API section. It is shown only once, and it may replace the old one. (Status ${status})`,
		};
	}
	if (status === 404) {
		const { message, description } = request.notFound ?? {
			message: 'The messaging service does not know this address',
			description: 'Check the base URL in the credential, and remove "/public" from its end.',
		};
		return { message, description: `${says}${description} (Status 404)` };
	}
	if (status === 429) {
		return {
			message: BUSY,
			description: `${says}The request was not accepted. ${pauseOf(response)}Run the node again in a minute, or raise "Max Retries" in its options. (Status 429)`,
		};
	}
	if (status >= 300 && status < 400) {
		return {
			message: 'The messaging service answered with a redirect, which is not followed',
			description: `${redirectTarget(request, response)}${inDoubt(request, response)}The API key is sent only to the address in the credential. If the service has moved, enter its new address as the base URL. (Status ${status})`,
		};
	}
	if (isTimedOut(response)) {
		return {
			message: 'The messaging service reported that the request took too long',
			description: `${says}${inDoubt(request, response)}Run the node again later. (Status ${status})`,
		};
	}
	if (status >= 500) {
		return {
			message: 'The messaging service reported a server error',
			description: `${says}${inDoubt(request, response)}Run the node again later. If it keeps happening, contact the service's support. (Status ${status})`,
		};
	}
	const isShort = words !== '' && words.length <= LONGEST_REASON;
	return {
		message: `The messaging service did not accept the request${isShort ? `: ${words.replace(/\.$/, '')}` : ''}`,
		description: `${words ? (isShort ? '' : says) : 'The service gives no reason. '}Check the values of this node. (Status ${status})`,
	};
}

function explainUnexpected(
	request: FailedRequest,
	response: UnexpectedResponse,
	words: string,
): Explanation {
	if (isMarkup(response.text)) {
		return {
			message: 'A web page came back instead of an answer from the messaging service',
			description: `${accepted(request)}Check the base URL in the credential: it may be the address of a website, or there may be a login page or a proxy in front of the service. (Status ${response.status})`,
		};
	}
	return {
		message: 'Unexpected response from the messaging service',
		description: `${accepted(request)}${words ? `It begins with: ${words}. ` : 'It is empty. '}Check the base URL in the credential. If it is right, contact the service's support. (Status ${response.status})`,
	};
}

function redirectTarget(request: FailedRequest, response: Response): string {
	const { location } = response.headers;
	const target = location ? parseUrl(location, request.origin) : undefined;
	return target ? `It points to ${target.origin}. ` : '';
}

/** How long the service asks to wait after a 429, as far as it says so. */
function pauseOf(response: Response): string {
	const pause = readRetryAfter(response);
	return pause === undefined ? '' : `It asks for a pause of ${Math.ceil(pause / 1_000)} seconds. `;
}

function accepted({ method }: FailedRequest): string {
	return isIdempotent(method)
		? ''
		: 'The service accepted the request, so check there before you send it again. ';
}

/** Says so where a status leaves open whether the service has acted. */
function inDoubt(request: FailedRequest, response: Response): string {
	return mayHaveAccepted(request.method, response) ? doubt(request, 'The service') : '';
}

function doubt(request: FailedRequest, subject: string): string {
	return isIdempotent(request.method)
		? ''
		: `${subject} may have acted on the request anyway, so it was not sent again. Check there before you repeat it. `;
}

// The shape of errors is not shown; these are the places where services put their words.
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
