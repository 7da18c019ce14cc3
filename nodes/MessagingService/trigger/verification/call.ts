import { createHash, timingSafeEqual } from 'crypto';

/** The parts of a call that a verification looks at. */
export interface IncomingCall {
	/** Names in lower case, as Node.js gives them. */
	headers: Readonly<Record<string, string | string[] | undefined>>;
	/** The parameters of the address, parsed. */
	query: unknown;
	/** The body as it came; undefined when it is not known. */
	rawBody?: Uint8Array;
}

/** How a call proves that it comes from the service. It knows neither n8n nor the clock. */
export interface Verification {
	/**
	 * Verifies a call in constant time.
	 *
	 * @param now milliseconds since 1970
	 * @returns Why the call may not pass, in the words of the panel; undefined when it may.
	 */
	verify(call: IncomingCall, now: number): string | undefined;
	/** Whether calls carry the secret itself, at the end of the address. */
	hasSecretInQuery?: boolean;
	/**
	 * The headers with the ID of a delivery that are signed, too: none where only the body is, and undefined where calls are
	 * not signed. A signature proves nothing about other headers, such as the content type, nor about the query.
	 */
	signedIdHeaders?: readonly string[];
}

/**
 * The value of a header; empty when a call does not have it. Older senders of Standard Webhooks write "svix-id" for
 * "webhook-id", and so on. Where a call has both, "webhook-id" counts.
 */
export function headerOf(headers: IncomingCall['headers'], name: string): string {
	const key = name.toLowerCase();
	const value = headers[key] || headers[key.replace(/^webhook-/, 'svix-')];
	// Node.js joins the values of a header that came several times so.
	return typeof value === 'string' ? (onlyOne(value.split(', ')) ?? value) : '';
}

/** The one text that all values are, since a proxy may have added what was there already; undefined when they differ. */
export function onlyOne([first, ...others]: readonly unknown[]): string | undefined {
	const areSame = others.every((value) => value === first);
	return typeof first === 'string' && areSame ? first : undefined;
}

/** Whether what a call has is what it should have, in constant time. The digests always have equal lengths. */
export function isSame(given: string | Uint8Array, expected: string): boolean {
	const [a, b] = [given, expected].map((data) => createHash('sha256').update(data).digest());
	return timingSafeEqual(a, b);
}

/** Says that a header is missing or empty, and which others came, by their names: some of their values are secret. */
export function describeMissing(name: string, headers: IncomingCall['headers']): string {
	const others = Object.keys(headers).filter((other) => other !== name.toLowerCase());
	return `no header "${name}"; other headers received: ${others.sort().join(', ') || 'none'}`;
}
