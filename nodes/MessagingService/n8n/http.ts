import type { IHttpRequestOptions } from 'n8n-workflow';
import { asObject, isObject } from '../api/json';
import { toText } from '../api/text';
import { type Answer, noResponse, type NoResponseReason, type HttpRequest } from '../api/request';
import { unlessAborted } from './clock';

/** One of n8n's HTTP helpers. */
type Helper = (options: IHttpRequestOptions) => Promise<unknown>;

const MEGABYTE = 1_000_000;
/**
 * The most bytes of a decompressed answer. A page has 50 entries, so each may have 200 kB. A parsed answer may take
 * thirty times as much memory.
 */
const MAX_RESPONSE_SIZE = 10 * MEGABYTE;

/** The longest time that JavaScript's timers can take. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/**
 * Why no answer came, by the codes and the messages of an error; the first entry that matches applies. Any other error
 * counts as `broken`, since the request may have been sent.
 */
const REASONS: ReadonlyArray<readonly [RegExp, NoResponseReason]> = [
	// Node.js begins messages about an established connection with these words. EPROTO is about a failed handshake.
	[/^(?:read|write) ETIMEDOUT\b/, 'timeout'],
	[/^(?:read E|write E(?!PROTO))[A-Z]+\b/, 'broken'],
	// n8n's protection against requests to addresses within a network.
	[/^The request was blocked because/, 'blocked'],
	[
		/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAI_FAIL|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/,
		'unreachable',
	],
	// The system call "connect" failed, or the connection broke before it was secure.
	[/^connect E[A-Z]+\b|before secure TLS connection was established/, 'unreachable'],
	// The handshake failed, mostly because the certificate is not trusted. Later TLS errors have codes ERR_SSL_…, for
	// example when an answer was damaged on its way.
	[/^(?!ERR_SSL_)[A-Z\d_]*CERT[A-Z\d_]*$|^UNABLE_TO_[A-Z\d_]+$|^EPROTO$/, 'insecure'],
	[/^(?:ETIMEDOUT|ECONNABORTED|ESOCKETTIMEDOUT)$/, 'timeout'],
];

/**
 * Sends a request once, with one of n8n's helpers. It never rejects: every status is an answer, and so is every failure
 * to get one. Redirects are not followed, and the body is not parsed. Waiting ends when the time for the whole answer
 * is up, and when the signal aborts.
 */
export async function sendBy(
	helper: Helper,
	{ method, url, headers, body, signal, ...more }: Omit<HttpRequest, 'authenticate'>,
): Promise<Answer> {
	const timeout = Math.min(Math.ceil(more.timeout), MAX_TIMEOUT);
	const sentAt = new Date();
	// The timeout of n8n's helpers covers only the time from the connection to the beginning of the answer.
	const end = AbortSignal.timeout(timeout);
	const stop = signal ? AbortSignal.any([signal, end]) : end;
	const response = helper({
		method,
		url,
		timeout,
		headers,
		// The body is a text, since n8n drops an empty object from a request.
		...(body === undefined ? {} : { body }),
		abortSignal: stop,
		encoding: 'stream',
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
	});
	try {
		const { statusCode: status, ...came } = asObject(await unlessAborted(response, stop));
		if (typeof status !== 'number') return noResponse('broken', 'no status');
		const isBodiless = status === more.bodilessStatus;
		const text = isBodiless ? '' : await readBody(came.body, status, stop);
		// A body that was not read to its end must not keep its connection open.
		close(came.body);
		if (text === undefined) return noResponse('tooLarge', `${MAX_RESPONSE_SIZE / MEGABYTE} MB`);
		return { kind: 'response', sentAt, status, headers: readHeaders(came.headers), text };
	} catch (error) {
		// Nor must an answer that comes later.
		response.then((late) => close(asObject(late).body)).catch(() => {});
		if (signal?.aborted) return noResponse('cancelled');
		return end.aborted ? noResponse('timeout') : readFailure(error);
	}
}

/** Reads the body of a response; undefined when it is too large. For an error, the status is enough. */
async function readBody(
	body: unknown,
	status: number,
	stop: AbortSignal,
): Promise<string | undefined> {
	const reading = unlessAborted(readText(body), stop);
	const isSuccess = status >= 200 && status < 300;
	return isSuccess ? await reading : ((await reading.catch(() => '')) ?? '');
}

/** Reads a body as n8n's helpers give it: as a stream that is decompressed already. Undefined when it is too large. */
async function readText(body: unknown): Promise<string | undefined> {
	if (!isStream(body)) return toText(body) ?? '';
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of body) {
		const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
		size += bytes.length;
		if (size > MAX_RESPONSE_SIZE) return undefined;
		chunks.push(bytes);
	}
	return new TextDecoder().decode(Buffer.concat(chunks));
}

interface Stream extends AsyncIterable<unknown> {
	destroy(): unknown;
}

function isStream(body: unknown): body is Stream {
	return isObject(body) && Symbol.asyncIterator in body && typeof body.destroy === 'function';
}

function close(body: unknown): void {
	if (isStream(body)) body.destroy();
}

function readHeaders(headers: unknown): Record<string, string> {
	return Object.fromEntries(
		Object.entries(asObject(headers)).map(([name, value]) => [name.toLowerCase(), String(value)]),
	);
}

// n8n wraps what its HTTP client throws, in some versions more than once. In n8n 1.x the cause is lost; only its code
// and words are left, in `httpCode` and `messages`.
function readFailure(error: unknown): Answer {
	const chain = causes(error);
	const codes = chain.flatMap(({ code, httpCode }) => [code, httpCode]).filter(isText);
	const words = chain.flatMap(({ message, messages }) => [message, messages].flat()).filter(isText);
	const known = REASONS.find(([pattern]) =>
		[...codes, ...words].some((each) => pattern.test(each)),
	);
	const detail = [codes[0], words.at(-1)].filter(Boolean).join(': ');
	return noResponse(known?.[1] ?? 'broken', detail);
}

function causes(error: unknown): Array<Record<string, unknown>> {
	const chain: Array<Record<string, unknown>> = [];
	for (let cause = error; isObject(cause) && !chain.includes(cause); cause = cause.cause) {
		// Where a host has several addresses, each has an error of its own.
		chain.push(cause, ...[cause.errors].flat().filter(isObject));
	}
	return chain;
}

function isText(value: unknown): value is string {
	return typeof value === 'string';
}
