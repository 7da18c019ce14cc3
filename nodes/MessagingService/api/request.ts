import type { Answer } from './answer';
import type { Repeat } from './retry';
import type { QueryEntry } from './url';

/** What happened, and beneath it why and what to do: for whoever reads of a failure. */
export interface Explanation {
	message: string;
	description: string;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface ApiRequest {
	method: Method;
	/** Path below the base URL, its values encoded; see `path`. */
	path: string;
	/** When it may be sent again. */
	repeat: Repeat;
	/** Names the kind of endpoint, where the path has IDs: a pause after a 429 holds for all requests of a kind. */
	endpoint?: string;
	query?: readonly QueryEntry[];
	body?: object;
	/** Off for the one endpoint that declares no authentication. */
	authenticate?: boolean;
	/** On for the endpoint whose rate limit is documented: it is paced, and 429 is waited out. */
	paced?: boolean;
	/** Additional statuses treated as success. */
	accepts?: readonly number[];
	/** What status 404 means here. It is carried to the failure, and not read on the way. */
	notFound?: Explanation;
}

/** A request as it goes out. */
export interface HttpRequest {
	method: Method;
	url: string;
	/** Milliseconds that the service has for the whole answer. */
	timeout: number;
	headers: Record<string, string>;
	/** Already serialized. */
	body?: string;
	authenticate: boolean;
	signal?: AbortSignal;
}

/** Sends a request once. It follows no redirect, and every failure is an answer: it never rejects. */
export type Http = (request: HttpRequest) => Promise<Answer>;
