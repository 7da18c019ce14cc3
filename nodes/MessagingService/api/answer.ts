/** Why no response came. */
export type FailureReason =
	/** The connection could not be made, so nothing was sent. */
	| 'notSent'
	/** The connection broke after the request went out. */
	| 'broken'
	/** The answer was not complete when the time was up. */
	| 'timeout'
	/** The answer to a success is larger than allowed; the rest of it was not read. */
	| 'tooLarge'
	/** The execution was cancelled while the request was under way. */
	| 'cancelled'
	/** The execution was cancelled before the request was sent. */
	| 'notStarted'
	/** An earlier answer asked for a longer pause than the request may wait, so it was not sent. */
	| 'heldBack'
	/** The service has answered 429 to everything for a long time. */
	| 'stalled'
	/** No TLS connection could be made, mostly since the certificate is not trusted; nothing was sent. */
	| 'insecure'
	/** The request could not be written, or was refused before it was sent. */
	| 'invalid'
	/** The service links to another origin, where the API key must not go. */
	| 'foreignLink';

interface Content {
	status: number;
	/** Names in lower case. */
	headers: Readonly<Record<string, string>>;
	/** The body as it came; empty when that of an error broke off, or was too large. */
	text: string;
}

export interface Response extends Content {
	kind: 'response';
}

/** A successful response whose content is not what the interface promises. */
export interface UnexpectedResponse extends Content {
	kind: 'unexpected';
}

export interface Failure {
	kind: 'failure';
	reason: FailureReason;
	/** What the operating system or the HTTP client says of it, such as ECONNRESET. */
	detail: string;
}

/** What came back for a request that was sent once. */
export type Answer = Response | UnexpectedResponse | Failure;

/**
 * Statuses of something on the way that ended the wait, which may have handed the request on before: 408, and 499 of
 * some gateways.
 */
const TIMEOUT_STATUSES: readonly number[] = [408, 499];
const INTERRUPTIONS: readonly FailureReason[] = ['notSent', 'broken', 'timeout'];

/** Whether the service, or the way to it, could not take the request just then. */
export function isInterruption(answer: Answer): boolean {
	if (isTimedOut(answer)) return true;
	if (answer.kind === 'response') return answer.status >= 500 || isRateLimited(answer);
	return answer.kind === 'failure' && INTERRUPTIONS.includes(answer.reason);
}

/** Whether the service answered that too many requests came. */
export function isRateLimited(answer: Answer): answer is Response {
	return answer.kind === 'response' && answer.status === 429;
}

/** Whether the answer says that somebody waited too long, which does not tell whether the service has the request. */
export function isTimedOut(answer: Answer): boolean {
	return answer.kind === 'response' && TIMEOUT_STATUSES.includes(answer.status);
}
