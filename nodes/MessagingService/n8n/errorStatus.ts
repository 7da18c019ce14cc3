import type { ApiResponse, Explanation, FailedRequest } from '../api/request';
import { parseUrl } from '../api/url';
import { isMarkup, serviceWords } from './serviceWords';

export const WEB_PAGE: Explanation = {
	message: 'A web page came back instead of an answer from the messaging service',
	description:
		'Check the base URL in the credential: it may be the address of a website, or there may be a login page or a proxy in front of the service.',
};

const IN_FRONT: Explanation = {
	message: 'Something in front of the messaging service refused the request',
	description:
		'Such an answer mostly comes from a firewall or a proxy on the way, not from the service itself. Ask whoever runs the network of n8n, or the service, to let requests from n8n through.',
};

/** Explains an answer with an error status, with the service's own words where it has any. */
export function explainStatus(
	request: FailedRequest,
	{ status, text, headers }: ApiResponse,
): Explanation {
	const words = serviceWords(text);
	/** The words for a description, and for the end of a message. */
	const says = words && `The service says: "${words}". `;
	const reason = words && `: ${words.replace(/\.$/, '')}`;
	switch (status) {
		case 401:
			if (isMarkup(text)) return IN_FRONT;
			if (request.authenticate === false) break;
			return {
				message: 'The messaging service does not accept the API key',
				description: `${says}Check the API key in the credential. You can generate a new one in the service's team settings, API section; it may replace the old one.`,
			};
		case 403:
			if (!words) return IN_FRONT;
			return {
				message: `The messaging service refused access${reason}`,
				description: 'Ask whoever manages your team at the service what it may do.',
			};
		case 404:
			if (isMarkup(text)) return WEB_PAGE;
			if (request.notFound) {
				const { message, description } = request.notFound;
				return { message, description: says + description };
			}
			if (words) break;
			return {
				message: 'The messaging service does not know this address',
				description: 'Check the base URL in the credential.',
			};
		case 407:
			return IN_FRONT;
		case 408:
		case 499:
			return {
				message: 'The messaging service reported that the request took too long',
				description: says + retryAdvice(request),
			};
	}
	if (status < 400) return explainRedirect(request, headers.location);
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

function explainRedirect({ origin }: FailedRequest, location?: string): Explanation {
	const target = location ? parseUrl(location, origin) : undefined;
	const leadsTo = target ? `It points to ${target.origin}. ` : '';
	return {
		message: 'The messaging service answered with a redirect, which is not followed',
		description: `${leadsTo}The API key is sent only to the address in the credential. If the service has moved, enter its new address as the base URL.`,
	};
}

/** Only for idempotent requests, since running the node again also sends its other items again. */
export function retryAdvice({ repeat, hasDeadline }: FailedRequest): string {
	return repeat === 'idempotent' && !hasDeadline ? 'Run the node again later. ' : '';
}
