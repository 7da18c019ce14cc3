import type { IHttpRequestOptions } from 'n8n-workflow';
import { isObject } from './api/json';
import type { FailureReason, Outcome } from './api/outcome';
import type { HttpRequest } from './api/request';
import { Deadlines } from './deadlines';
import { type BodyBounds, discard, readBody, UnfinishedBody } from './responseBody';

/** One of n8n's HTTP helpers; `end` aborts when the request has to end. */
type Helper = (options: IHttpRequestOptions, end: AbortSignal) => Promise<unknown>;

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
 * outcome, and so is every failure to get one. Redirects are not followed, the body is not parsed. The connection is
 * closed when the time for the whole answer is up, when the answer is too large, and when the signal aborts.
 */
export async function sendBy(
	helper: Helper,
	request: Omit<HttpRequest, 'authenticate'>,
	deadlines = new Deadlines(),
): Promise<Outcome> {
	const { method, url, timeout, maxResponseSize, headers, body, signal } = request;
	// The time-out of n8n's helpers ends when the answer begins.
	const deadline = deadlines.after(timeout, signal);
	const { end } = deadline;
	const options: IHttpRequestOptions = {
		method,
		url,
		timeout,
		headers,
		// As text: n8n drops an empty object from a request.
		...(body === undefined ? {} : { body }),
		abortSignal: end,
		encoding: 'stream',
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
	};
	try {
		const answer = await untilAborted(helper(options, end), end);
		return await readResponse(answer, { maxSize: maxResponseSize, timeout, end });
	} catch (error) {
		if (signal?.aborted) return { kind: 'failure', reason: 'cancelled', detail: '' };
		if (error instanceof UnfinishedBody) {
			return { kind: 'failure', reason: error.reason, detail: error.message };
		}
		if (deadline.timeout.aborted) return { kind: 'failure', reason: 'timeout', detail: '' };
		return readFailure(error);
	}
}

/** Stops waiting for an answer when the signal aborts, also where n8n's helper knows no signal. */
async function untilAborted(answer: Promise<unknown>, end: AbortSignal): Promise<unknown> {
	return await new Promise((resolve, reject) => {
		const abort = () => {
			reject(new Error('aborted'));
			answer.then(
				(late) => isObject(late) && discard(late.body),
				() => {},
			);
		};
		end.addEventListener('abort', abort, { once: true });
		answer.then(resolve, reject).finally(() => end.removeEventListener('abort', abort));
	});
}

async function readResponse(answer: unknown, bounds: BodyBounds): Promise<Outcome> {
	const { statusCode, headers, body } = isObject(answer) ? answer : {};
	if (typeof statusCode !== 'number') {
		discard(body);
		return { kind: 'failure', reason: 'broken', detail: 'no status' };
	}
	const isSuccess = statusCode >= 200 && statusCode < 300;
	return {
		kind: 'response',
		status: statusCode,
		headers: readHeaders(headers),
		text: await (isSuccess ? readBody(body, bounds) : readWords(body, bounds)),
	};
}

/** The body of an error, without which its status says enough. */
async function readWords(body: unknown, bounds: BodyBounds): Promise<string> {
	try {
		return await readBody(body, bounds);
	} catch {
		return '';
	}
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
