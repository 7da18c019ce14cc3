import type {
	Answer,
	Explanation,
	FailedRequest,
	NoResponseReason,
	RequestFailure,
	UnexpectedResponse,
} from '../api/request';
import { inSeconds } from '../api/time';
import { explainStatus, retryAdvice, WEB_PAGE } from './errorStatus';
import { isMarkup, readable } from './serviceWords';

/** Explains a failed request to the user. */
export function explain({ request, answer, outcome, status }: RequestFailure): Explanation {
	const { message, description } = explainAnswer(request, answer);
	const caution = outcome === 'unknown' && cautionBeforeRepeat(request, answer);
	const parts = [caution, description.trim(), status && `(Status ${status})`];
	return { message, description: parts.filter(Boolean).join(' ') };
}

/** What the user has to know before a repeat when it is unknown whether the service has acted on a request. */
function cautionBeforeRepeat({ repeat }: FailedRequest, { kind }: Answer): string {
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
	unreachable: ({ host, detail }) => ({
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
		message: 'The messaging service is not accepting more requests right now',
		description: `The next request may go out in ${detail}, so this one was not sent. Try again after that.`,
	}),
	stalled: () => ({
		message: 'The messaging service has answered only "too many requests" for 15 minutes',
		description:
			'So this call was given up; it was not accepted. Ask whoever runs the service about the limit of your team, then send it again. (Status 429)',
	}),
	outage: ({ request, host, detail }) => ({
		message:
			// With the others, an earlier try may have been sent.
			request.repeat === 'ifRefused'
				? `Not sent, because nothing gets through to ${host}`
				: `Given up, because nothing gets through to ${host}`,
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
