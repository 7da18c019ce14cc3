/** Why no response came. */
export type FailureReason =
	/** The connection could not be made, so nothing was sent. */
	| 'notSent'
	/** The connection broke after the request went out. */
	| 'broken'
	| 'timeout'
	/** The execution was cancelled while the request was under way. */
	| 'cancelled'
	/** The execution was cancelled before the request was sent. */
	| 'notStarted'
	/** No TLS connection could be made, mostly since the certificate is not trusted; nothing was sent. */
	| 'insecure'
	/** The request could not be written, or was refused before it was sent. */
	| 'invalid'
	/** The service links to another origin, where the API key must not go. */
	| 'foreignLink';

interface Answer {
	status: number;
	/** Names in lower case. */
	headers: Readonly<Record<string, string>>;
	/** The body as it came. */
	text: string;
}

export interface Response extends Answer {
	kind: 'response';
}

/** A successful response whose content is not what the interface promises. */
export interface UnexpectedResponse extends Answer {
	kind: 'unexpected';
}

export interface Failure {
	kind: 'failure';
	reason: FailureReason;
	/** What the operating system or the HTTP client says of it, such as ECONNRESET. */
	detail: string;
}

/** What came of sending a request once. */
export type Outcome = Response | UnexpectedResponse | Failure;

/** Whether the service answered that too many requests came. */
export function isRateLimited(outcome: Outcome): outcome is Response {
	return outcome.kind === 'response' && outcome.status === 429;
}
