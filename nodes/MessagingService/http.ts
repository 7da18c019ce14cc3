import type { IHttpRequestOptions } from 'n8n-workflow';
import { isObject } from './api/json';
import type { Answer, FailureReason } from './api/answer';
import type { HttpRequest } from './api/request';
import { type BodyBounds, discard, readBody, UnfinishedBody } from './responseBody';

/** One of n8n's HTTP helpers. */
type Helper = (options: IHttpRequestOptions) => Promise<unknown>;

/**
 * The most bytes of an answer, decompressed. A page has 50 entries, so there is room for 200 kB in each. Parsed, it may
 * take thirty times as much memory.
 */
export const MAX_RESPONSE_SIZE = 10_000_000;
/** Of an error, only its words matter. */
const MAX_ERROR_SIZE = 100_000;

/** The longest time that timers of JavaScript can take. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

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
 * Sends one request once by a helper of n8n, and tells what came back without rejecting: every status is an
 * answer, and so is every failure to get one. Redirects are not followed, the body is not parsed. Nobody waits for the
 * answer any longer when the time for the whole of it is up, and when the signal aborts.
 */
export async function sendBy(
	helper: Helper,
	{ method, url, timeout, headers, body, signal }: Omit<HttpRequest, 'authenticate'>,
): Promise<Answer> {
	// The time-out of n8n's helpers ends when the answer begins.
	const end = AbortSignal.timeout(Math.min(Math.ceil(timeout), LONGEST_TIMEOUT));
	const options: IHttpRequestOptions = {
		method,
		url,
		timeout,
		headers,
		// As text: n8n drops an empty object from a request.
		...(body === undefined ? {} : { body }),
		abortSignal: signal,
		encoding: 'stream',
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
	};
	try {
		const response = await unlessAborted(helper(options), [end, signal], discardBody);
		return await readResponse(response, { timeout, end, signal });
	} catch (error) {
		if (signal?.aborted) return { kind: 'failure', reason: 'cancelled', detail: '' };
		if (error instanceof UnfinishedBody) {
			return { kind: 'failure', reason: error.reason, detail: error.message };
		}
		if (end.aborted) return { kind: 'failure', reason: 'timeout', detail: '' };
		return readFailure(error);
	}
}

/** Stops waiting for a response when one of the signals aborts. What comes later is handed to `discardLate`. */
async function unlessAborted(
	response: Promise<unknown>,
	signals: ReadonlyArray<AbortSignal | undefined>,
	discardLate: (late: unknown) => void,
): Promise<unknown> {
	return await new Promise((resolve, reject) => {
		const abort = () => {
			reject(new Error('aborted'));
			response.then(discardLate, () => {});
		};
		for (const signal of signals) signal?.addEventListener('abort', abort, { once: true });
		const stopListening = () => {
			for (const signal of signals) signal?.removeEventListener('abort', abort);
		};
		response.then(resolve, reject).finally(stopListening);
	});
}

function discardBody(response: unknown): void {
	if (isObject(response)) discard(response.body);
}

async function readResponse(answer: unknown, time: Omit<BodyBounds, 'maxSize'>): Promise<Answer> {
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
		text: await (isSuccess
			? readBody(body, { ...time, maxSize: MAX_RESPONSE_SIZE })
			: readWords(body, { ...time, maxSize: MAX_ERROR_SIZE })),
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
function readFailure(error: unknown): Answer {
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
