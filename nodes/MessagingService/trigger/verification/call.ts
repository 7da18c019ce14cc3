import { shorten } from '../../api/json';
import type { Problem } from '../../n8n/problem';

/** The parts of a call that a verification looks at. */
export interface IncomingCall {
	/** Names in lower case, as Node.js gives them. */
	headers: Readonly<Record<string, string | string[] | undefined>>;
	/** The parameters of the address, parsed. */
	query: unknown;
	/** The body as it came; undefined when it is not known. */
	rawBody?: Uint8Array;
}

/** How a call proves that it comes from the service. Independent of n8n and of the system clock. */
export interface Verification {
	/** Makes a verifier for a secret, which is not empty; or says why no call at all could be verified with it. */
	createVerifier(secret: string): Verifier | Problem;
	/** The header (in lower case) or the query parameter that carries the secret itself. */
	secretAt?: { part: 'headers' | 'query'; name: string };
	/** The headers that are signed, in lower case; undefined where calls are not signed. */
	signedHeaders?: readonly string[];
}

/**
 * Verifies a call with one secret, in constant time.
 *
 * @param now milliseconds since 1970
 * @returns Why the call may not pass, without any secret; undefined when it may.
 */
export type Verifier = (call: IncomingCall, now: number) => string | undefined;

/** The value of the first of these headers that is not empty; empty when a call has none of them. */
export function headerOf(headers: IncomingCall['headers'], names: readonly string[]): string {
	for (const name of names) {
		const value = headers[name.toLowerCase()];
		if (typeof value === 'string' && value !== '') return value;
	}
	return '';
}

/** Says that a call has none of these headers. */
export function describeMissing(
	headers: IncomingCall['headers'],
	names: readonly string[],
): string {
	const empty = names.find((name) => headers[name.toLowerCase()] === '');
	if (empty !== undefined) return `the header "${empty}" is empty`;
	return `no header "${names[0]}"; other headers that came: ${listHeaders(headers)}`;
}

/** Headers that nearly every call has. They would only distract from the others. */
const USUAL =
	/^(?:accept.*|connection|content-(?:length|type)|host|sec-.*|user-agent|x-forwarded-.*)$/i;
const MAX_LIST_LENGTH = 1_000;

/** The names of the headers that came, without the usual ones. Their values are not shown: some of them are secret. */
export function listHeaders(headers: IncomingCall['headers']): string {
	const names = Object.keys(headers).filter((name) => !USUAL.test(name));
	return shorten(names.sort().join(', '), MAX_LIST_LENGTH) || 'only the usual ones';
}
