import { parseJson, shorten } from './api/json';
import {
	type Answer,
	type Explanation,
	type FailedRequest,
	type Failure,
	isTimedOut,
	type RequestFailure,
	type Response,
	type UnexpectedResponse,
} from './api/request';
import { parseUrl } from './api/url';

const LONGEST_QUOTE = 300;
const BUSY = 'The messaging service is not accepting more requests right now';

/** Explains a failed request to the user. */
export function explain({ request, answer, outcome }: RequestFailure): Explanation {
	const { message, description } = explainAnswer(request, answer);
	const doubt = outcome === 'unknown' ? doubtOf(request, answer) : '';
	return { message, description: doubt + description };
}

/** What whoever repeats a request has to know when nobody knows whether the service has acted on it. */
function doubtOf({ repeat }: FailedRequest, { kind }: Answer): string {
	if (kind === 'unexpected') {
		return 'The service accepted the request, so check there before you send it again. ';
	}
	return repeat === 'evenIfUnknown'
		? 'The service may have acted on one of the tries. Check there before you repeat it. '
		: 'The service may have acted on the request anyway, so it was not sent again. Check there before you repeat it. ';
}

function explainAnswer(request: FailedRequest, answer: Answer): Explanation {
	switch (answer.kind) {
		case 'response':
			return explainStatus(request, answer, quote(answer.text));
		case 'unexpected':
			return explainUnexpected(answer, quote(answer.text));
		case 'failure':
			return explainNoResponse(request, answer);
	}
}

function explainNoResponse(request: FailedRequest, { reason, detail }: Failure): Explanation {
	const host = new URL(request.origin).host;
	switch (reason) {
		case 'notSent':
			return {
				message: `The messaging service cannot be reached at ${host}`,
				description: `No connection could be made, so nothing was sent. Check the base URL in the credential, and that this n8n can reach the address. (${detail})`,
			};
		case 'timeout':
			return {
				message: `The messaging service did not answer within ${inSeconds(request.timeout)}`,
				description: 'If the service is just slow, raise "Timeout" where the options have it.',
			};
		case 'tooLarge':
			return {
				message: `The response of the messaging service is larger than ${detail}`,
				description:
					"The rest of it was not read. Ask for less at a time, or contact the service's support.",
			};
		case 'heldBack':
			return {
				message: BUSY,
				description: `It asked for a pause that lasts another ${detail}, so the request was not sent. Try again after that.`,
			};
		case 'stalled':
			return {
				message: 'The messaging service has answered only "too many requests" for 15 minutes',
				description:
					'So this call was given up; it was not accepted. Ask whoever runs the service about the limit of your team, then retry the execution. (Status 429)',
			};
		case 'broken':
			return {
				message: 'The connection to the messaging service broke off',
				description: `${later(request)}(${detail})`,
			};
		case 'insecure':
			if (detail.startsWith('EPROTO')) {
				return {
					message: `No secure connection to ${host} is possible`,
					description: `Nothing was sent. Check the base URL in the credential, and its port. If the service is in your own network and has no HTTPS, begin the base URL with http://. Otherwise ask whoever runs the service. (EPROTO)`,
				};
			}
			return {
				message: `The certificate of ${host} is not trusted`,
				description: `No secure connection could be made, so nothing was sent. Check the base URL in the credential, or ask whoever runs the service about its certificate. (${detail})`,
			};
		// n8n tells a canceled execution from a failed one by this word, in this spelling.
		case 'cancelled':
			return {
				message: 'The execution was canceled while the messaging service was answering',
				description: request.repeat === 'idempotent' ? 'Nothing was changed at the service.' : '',
			};
		case 'notStarted':
			return {
				message: 'The execution was canceled',
				description: 'The last try was not sent, or not accepted.',
			};
		case 'invalid':
			return {
				message: 'The request could not be sent',
				description: `Check the base URL and the API key in the credential. (${detail})`,
			};
		case 'foreignLink':
			return {
				message: 'The messaging service links to another address, which is not followed',
				description: `The list goes on at ${detail}, but the API key is sent only to ${request.origin}. If the service has moved, enter its new address as the base URL in the credential.`,
			};
	}
}

function inSeconds(milliseconds: number): string {
	return milliseconds === 1_000 ? '1 second' : `${milliseconds / 1_000} seconds`;
}

/** The service's own words in an answer: its message if it has one, else the beginning of the text. */
export function quote(text: string): string {
	const words = findMessage(parseJson(text)) ?? (isMarkup(text) ? '' : text);
	return shorten(words.replace(/\s+/g, ' ').trim(), LONGEST_QUOTE);
}

/** Whether the text is a web page rather than an answer of an API. */
function isMarkup(text: string): boolean {
	return /^\s*</.test(text);
}

function explainStatus(request: FailedRequest, response: Response, words: string): Explanation {
	const { status } = response;
	const says = words && `The service says: "${words}". `;
	const reason = words && `: ${words.replace(/\.$/, '')}`;
	const { authenticate = true, notFound } = request;
	if (authenticate && (status === 401 || (status === 403 && !words))) {
		return {
			message: 'The messaging service does not accept the API key',
			description: `${says}Check the API key in the credential. You can generate a new one in the service's team settings, API section. It is shown only once, and it may replace the old one. (Status ${status})`,
		};
	}
	if (status === 403) {
		return {
			message: `The messaging service refused access${reason}`,
			description: 'Ask whoever manages your team at the service what it may do. (Status 403)',
		};
	}
	if (status === 404 && isMarkup(response.text)) return explainWebPage(status);
	if (status === 404 && notFound) {
		const { message, description } = notFound;
		return { message, description: `${says}${description} (Status 404)` };
	}
	if (status === 404 && !words) {
		return {
			message: 'The messaging service does not know this address',
			description:
				'Check the base URL in the credential, and remove "/public" from its end. (Status 404)',
		};
	}
	if (status === 429) {
		return {
			message: BUSY,
			description: `${says}The request was not accepted. Run the node again in a minute, or raise "Max Retries" in its options. (Status 429)`,
		};
	}
	if (status >= 300 && status < 400) {
		return {
			message: 'The messaging service answered with a redirect, which is not followed',
			description: `${redirectTarget(request, response)}The API key is sent only to the address in the credential. If the service has moved, enter its new address as the base URL. (Status ${status})`,
		};
	}
	if (isTimedOut(response)) {
		return {
			message: 'The messaging service reported that the request took too long',
			description: `${says}${later(request)}(Status ${status})`,
		};
	}
	if (status >= 500) {
		return {
			message: 'The messaging service reported a server error',
			description: `${says}${later(request)}If it keeps happening, contact the service's support. (Status ${status})`,
		};
	}
	return {
		message: `The messaging service did not accept the request${reason}`,
		description: `${words ? '' : 'The service gives no reason. '}Check the values of this node. (Status ${status})`,
	};
}

function explainUnexpected({ status, text }: UnexpectedResponse, words: string): Explanation {
	if (isMarkup(text)) return explainWebPage(status);
	return {
		message: 'Unexpected response from the messaging service',
		description: `${words ? `It begins with: ${words}. ` : 'It is empty. '}Check the base URL in the credential. If it is right, contact the service's support. (Status ${status})`,
	};
}

function explainWebPage(status: number): Explanation {
	return {
		message: 'A web page came back instead of an answer from the messaging service',
		description: `Check the base URL in the credential: it may be the address of a website, or there may be a login page or a proxy in front of the service. (Status ${status})`,
	};
}

function redirectTarget(request: FailedRequest, response: Response): string {
	const { location } = response.headers;
	const target = location ? parseUrl(location, request.origin) : undefined;
	return target ? `It points to ${target.origin}. ` : '';
}

/** Whoever runs a node that sends again sends the other items again, too. */
function later({ repeat }: FailedRequest): string {
	return repeat === 'idempotent' ? 'Run the node again later. ' : '';
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
