import type { IHttpRequestOptions } from 'n8n-workflow';
import { isObject, textOf } from './api/json';
import type { FailureReason, Outcome } from './api/outcome';
import type { HttpRequest } from './api/request';

/** One of n8n's HTTP helpers. */
type Helper = (options: IHttpRequestOptions) => Promise<unknown>;

const NOT_SENT_CODES = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'EADDRNOTAVAIL',
]);
/** How Node.js begins the message of an error on a connection that stood. */
const READ_WRITE_WORDS = /^(?:read E|write E(?!PROTO))[A-Z]+\b/;
/** How Node.js begins the message of an error that the system call "connect" gave. */
const CONNECT_WORDS = /^connect E[A-Z]+\b/;
const TIMEOUT_CODES = new Set(['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT']);
const INVALID_CODES = new Set(['ERR_INVALID_CHAR', 'ERR_INVALID_URL', 'ERR_UNESCAPED_CHARACTERS']);
/**
 * A certificate that is not trusted, or a handshake that failed: then Node.js could not write the request. Errors
 * of TLS that come later are ERR_SSL_…, an answer that was damaged on its way for example.
 */
const INSECURE_CODE = /^(?!ERR_SSL_).*CERT|^UNABLE_TO_|^EPROTO$/;

/**
 * Sends one request once by a helper of n8n, and tells what came of it without rejecting: every status is an
 * outcome, and so is every failure to get one. Redirects are not followed, the body is not parsed.
 */
export async function sendBy(
	helper: Helper,
	{ method, url, timeout, headers, body, signal }: Omit<HttpRequest, 'authenticate'>,
): Promise<Outcome> {
	try {
		return readResponse(
			await helper({
				method,
				url,
				timeout,
				headers,
				// As text: n8n drops an empty object from a request.
				...(body === undefined ? {} : { body }),
				abortSignal: signal,
				encoding: 'text',
				disableFollowRedirect: true,
				ignoreHttpStatusErrors: true,
				returnFullResponse: true,
			}),
		);
	} catch (error) {
		return readFailure(error);
	}
}

function readResponse(value: unknown): Outcome {
	const { statusCode, headers, body } = isObject(value) ? value : {};
	if (typeof statusCode !== 'number') {
		return { kind: 'failure', reason: 'broken', detail: 'no status' };
	}
	return {
		kind: 'response',
		status: statusCode,
		headers: readHeaders(headers),
		text: textOf(body) ?? '',
	};
}

function readHeaders(headers: unknown): Record<string, string> {
	if (!isObject(headers)) return {};
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
	);
}

// n8n wraps what its HTTP client throws, more than once in some versions. In n8n 1.x the cause is lost then,
// and what is left of its code and its words is in `httpCode` and `messages`.
function readFailure(error: unknown): Outcome {
	const chain = causes(error);
	const codes = chain.flatMap(({ code, httpCode }) => [code, httpCode]).filter(isText);
	const words = chain.flatMap(({ message, messages }) => [message, messages].flat()).filter(isText);
	const detail = [codes[0], words.at(-1)].filter(Boolean).join(': ');
	return { kind: 'failure', reason: readReason(codes, words), detail };
}

function readReason(codes: string[], words: string[]): FailureReason {
	const has = (known: Set<string>) => codes.some((code) => known.has(code));
	if (codes.includes('ERR_CANCELED')) return 'cancelled';
	if (words.some((each) => READ_WRITE_WORDS.test(each))) {
		return has(TIMEOUT_CODES) ? 'timeout' : 'broken';
	}
	if (has(NOT_SENT_CODES) || words.some((each) => CONNECT_WORDS.test(each))) return 'notSent';
	if (codes.some((code) => INSECURE_CODE.test(code))) return 'insecure';
	if (has(TIMEOUT_CODES)) return 'timeout';
	// Whatever breaks on the way has a code; without one, n8n refused before it sent anything.
	return codes.length === 0 || has(INVALID_CODES) ? 'invalid' : 'broken';
}

function causes(error: unknown): Array<Record<string, unknown>> {
	const chain: Array<Record<string, unknown>> = [];
	for (let cause = error; isObject(cause) && !chain.includes(cause); cause = cause.cause) {
		chain.push(cause);
	}
	return chain;
}

function isText(value: unknown): value is string {
	return typeof value === 'string';
}
