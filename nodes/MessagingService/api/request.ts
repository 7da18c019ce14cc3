import type { Outcome } from './outcome';
import type { Method } from './retry';
import type { QueryEntry } from './url';

/** What happened, and beneath it why and what to do: for whoever reads of a failure. */
export interface Explanation {
	message: string;
	description: string;
}

export interface ApiRequest {
	method: Method;
	/** Path below the base URL, its values encoded; see `path`. */
	path: string;
	query?: readonly QueryEntry[];
	body?: object;
	/** Off for the one endpoint that declares no authentication. */
	authenticate?: boolean;
	/** On for the endpoint whose rate limit is documented: it is paced, and 429 is always waited out. */
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
	/** The most bytes that the answer may have, decompressed. */
	maxResponseSize: number;
	headers: Record<string, string>;
	/** Already serialized. */
	body?: string;
	authenticate: boolean;
	signal?: AbortSignal;
}

/** Sends a request once. It follows no redirect, and every failure is an outcome: it never rejects. */
export type Http = (request: HttpRequest) => Promise<Outcome>;
