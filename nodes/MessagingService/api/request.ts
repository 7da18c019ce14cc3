import type { QueryEntry } from './url';

/** The words of an error for the user: what happened, and beneath it why and what to do. */
export interface Explanation {
	message: string;
	description: string;
}

/** When a request may be sent again. Each operation states its own. */
export type Repeat =
	/** After a temporary failure: the request only reads, or has the same effect however often it is sent. */
	| 'idempotent'
	/** Only when it certainly had no effect. */
	| 'ifRefused'
	/** Also when its effect is unknown: the user accepts that it may happen twice. */
	| 'evenIfUnknown';

/** A request as an operation describes it, without what is the same for all, such as the base URL. */
export interface ApiRequest {
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	/** Path below the base URL, its values encoded; see `path`. */
	path: string;
	/** When it may be sent again. */
	repeat: Repeat;
	query?: readonly QueryEntry[];
	body?: object;
	/** Off for the one endpoint that declares no authentication. */
	authenticate?: boolean;
	/** On for the endpoint whose rate limit is documented. */
	paced?: boolean;
	/** The status that says everything: its body is not read, so it does not matter if it breaks off. */
	bodilessStatus?: number;
	/** Additional statuses treated as success. */
	accepts?: readonly number[];
	/** What status 404 means here, for the error. */
	notFound?: Explanation;
}

/** A request as it goes out. */
export interface HttpRequest extends Pick<ApiRequest, 'method' | 'bodilessStatus'> {
	url: string;
	/** Milliseconds that the service has for the whole answer. */
	timeout: number;
	headers: Record<string, string>;
	/** Already serialized. */
	body?: string;
	authenticate: boolean;
	/** Gives the request up. Only requests that read have one, since the request then counts as not sent. */
	signal?: AbortSignal;
}

/** Why no response came. */
export type NoResponseReason =
	/** The connection could not be made, so nothing was sent. */
	| 'unreachable'
	/** The connection broke after the request went out. */
	| 'broken'
	/** The answer was not complete when the time was up. */
	| 'timeout'
	/** The body of a successful response is larger than allowed; the rest of it was not read. */
	| 'tooLarge'
	/** The run ended before the request was sent, or before one that only reads was answered. */
	| 'cancelled'
	/** It was not sent: the service has answered 429 to everything for a long time. */
	| 'stalled'
	/** It was not sent: no call gets through. */
	| 'outage'
	/** It could not be sent: no secure connection could be made, mostly because the certificate is not trusted. */
	| 'insecure'
	/** It was not sent: n8n does not allow requests to this address. */
	| 'blocked'
	/** The service links to another origin, where the API key must not go. */
	| 'foreignLink';

export interface ApiResponse {
	/** `unexpected`: a success whose content is not what the interface promises. */
	kind: 'response' | 'unexpected';
	/** When the call that it answers began. */
	sentAt: Date;
	status: number;
	/** Names in lower case. */
	headers: Readonly<Record<string, string>>;
	/** The body as it came. For an error status, it is empty when it broke off or was too large. */
	text: string;
}

export interface NoResponse {
	kind: 'noResponse';
	reason: NoResponseReason;
	/** More about the reason: what the HTTP client says, such as ECONNRESET, or the origin of a foreign link. */
	detail: string;
}

/** Makes the answer for a request that got no response. */
export function noResponse(reason: NoResponseReason, detail = ''): NoResponse {
	return { kind: 'noResponse', reason, detail };
}

/** The answer to one call of a request, as it came. */
export type Answer = ApiResponse | NoResponse;

/** The result of one call of a request: the content of a success, or an answer that is no success. */
export type CallResult<Content> = { kind: 'success'; content: Content } | Answer;

/** Sends a request once. It follows no redirect, and every failure is an answer: it never rejects. */
export type Http = (request: HttpRequest) => Promise<Answer>;

/** What became of a request, and of the item that it was sent for. */
export type Outcome =
	/** The service has accepted it. */
	| 'accepted'
	/** It certainly had no effect. */
	| 'refused'
	/** Nobody knows: the service may have acted on it. */
	| 'unknown';

/** What became of a request that did not succeed. */
export type FailedOutcome = Exclude<Outcome, 'accepted'>;

/** A request that was given up, and where it went. */
export interface FailedRequest extends ApiRequest {
	/** Scheme, host and port of the service. */
	origin: string;
	/** Milliseconds that the service had to answer. */
	timeout: number;
}

/** A request that did not succeed: what came back, and what became of it. */
export class RequestFailure extends Error {
	override name = 'RequestFailure';
	readonly request: FailedRequest;
	/** The last answer, without secrets. */
	readonly answer: Answer;
	/** The outcome of all calls together: `unknown` as soon as one of them was. */
	readonly outcome: FailedOutcome;

	constructor(request: FailedRequest, answer: Answer, outcome: FailedOutcome) {
		const what = answer.kind === 'noResponse' ? answer.reason : `status ${answer.status}`;
		super(`${request.method} ${request.path} failed: ${what}`);
		this.request = request;
		this.answer = answer;
		this.outcome = outcome;
	}

	get status(): number | undefined {
		return this.answer.kind === 'noResponse' ? undefined : this.answer.status;
	}

	/** Whether the run ended first. */
	get isCancelled(): boolean {
		return this.answer.kind === 'noResponse' && this.answer.reason === 'cancelled';
	}
}
