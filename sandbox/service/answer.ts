import { STATUS_CODES } from 'node:http';

/** What a handler answers. Without a body the answer is empty. */
export interface Answer {
	status: number;
	body?: unknown;
	headers?: Record<string, string>;
}

/** An answer with a JSON body. */
export function json(status: number, body: unknown): Answer {
	return { status, body };
}

/** The answer to a request without a valid key. */
export function unauthorized(): Answer {
	return failure(401, 'Missing or invalid API key');
}

/** A failure. The body's shape is not documented, so this is one that servers often have. */
export function failure(status: number, message: string, headers?: Record<string, string>): Answer {
	const body = { statusCode: status, error: STATUS_CODES[status], message };
	return headers ? { status, body, headers } : { status, body };
}
