import { createHash, createHmac, timingSafeEqual } from 'crypto';

/** How a call proves that it comes from the service. */
export type Verification =
	| { kind: 'none' }
	/** The secret itself comes with the call. */
	| { kind: 'sharedSecret'; place: 'header' | 'query'; name: string }
	| ({ kind: 'hmac' } & Signature);

/** A signature over the raw body, made with the secret. */
export interface Signature {
	header: string;
	algorithm: 'sha1' | 'sha256' | 'sha512';
	encoding: 'hex' | 'base64';
	/** What stands before the signature, such as `sha256=`. */
	prefix: string;
	/** How the text of the secret stands for bytes. */
	secretEncoding: 'utf8' | 'hex' | 'base64';
	/** Header that says when the call was sent; empty when there is none. */
	timestampHeader: string;
	/** Seconds that a call may be old, or ahead of our clock. */
	tolerance: number;
	/** What is signed, where `{body}` stands for the raw body and `{timestamp}` for that header. */
	signedContent: string;
}

/** What a verification looks at. */
export interface Call {
	/** Names in lower case, as Node.js gives them. */
	headers: Readonly<Record<string, string | string[] | undefined>>;
	query: unknown;
	/** The body as it came; undefined when it is not known. */
	rawBody?: Uint8Array;
}

/**
 * Verifies a call. Comparisons take the same time wherever the difference is.
 *
 * @param now milliseconds since 1970
 * @returns Why the call is refused, for the log; undefined when it may pass.
 */
export function refusal(
	call: Call,
	verification: Verification,
	secret: string,
	now: number,
): string | undefined {
	if (verification.kind === 'none') return undefined;
	// An empty secret would be one that everybody knows.
	if (secret === '') return 'the credential has no webhook secret';
	return verification.kind === 'sharedSecret'
		? secretRefusal(call, verification.place, verification.name, secret)
		: signatureRefusal(call, verification, secret, now);
}

function secretRefusal(
	{ headers, query }: Call,
	place: 'header' | 'query',
	name: string,
	secret: string,
): string | undefined {
	const given: unknown =
		place === 'header' ? headers[name.toLowerCase()] : Reflect.get(Object(query), name);
	if (typeof given !== 'string' || given === '') return `no secret in the ${place} "${name}"`;
	// The usual form of the header Authorization.
	const token = place === 'header' ? given.replace(/^Bearer /i, '') : given;
	return isSame(given, secret) || isSame(token, secret) ? undefined : 'wrong secret';
}

function signatureRefusal(
	{ headers, rawBody }: Call,
	signature: Signature,
	secret: string,
	now: number,
): string | undefined {
	const given = headers[signature.header.toLowerCase()];
	if (typeof given !== 'string' || given === '') return `no header "${signature.header}"`;
	if (!rawBody) return 'the body cannot be verified';
	const timestamp = headers[signature.timestampHeader.toLowerCase()];
	if (signature.timestampHeader !== '') {
		const age = Math.abs(now - readTimestamp(timestamp)) / 1_000;
		if (Number.isNaN(age)) return `no time in the header "${signature.timestampHeader}"`;
		if (age > signature.tolerance) return 'too old, or ahead of time';
	}
	const digest = sign(signature, secret, rawBody, String(timestamp ?? ''));
	const expected = signature.prefix + digest;
	// Hexadecimal digits mean the same in both cases, other encodings do not.
	const actual = signature.encoding === 'hex' ? lowerDigits(given, signature.prefix) : given;
	return isSame(actual, expected) ? undefined : 'wrong signature';
}

function sign(
	{ algorithm, encoding, secretEncoding, signedContent }: Signature,
	secret: string,
	rawBody: Uint8Array,
	timestamp: string,
): string {
	const hmac = createHmac(algorithm, Buffer.from(secret, secretEncoding));
	for (const part of signedContent.split(/(\{body\}|\{timestamp\})/)) {
		if (part === '{body}') hmac.update(rawBody);
		else hmac.update(part === '{timestamp}' ? timestamp : part);
	}
	return hmac.digest(encoding);
}

/** Milliseconds since 1970, from seconds, milliseconds or a date; NaN for anything else. */
function readTimestamp(value: string | string[] | undefined): number {
	if (typeof value !== 'string' || value.trim() === '') return NaN;
	if (!/^\d+(\.\d+)?$/.test(value.trim())) return Date.parse(value);
	const number = Number(value);
	return number < 100_000_000_000 ? number * 1_000 : number;
}

function lowerDigits(signature: string, prefix: string): string {
	if (!signature.startsWith(prefix)) return signature;
	return prefix + signature.slice(prefix.length).toLowerCase();
}

// Digests are of one length, so that the length of the secret does not show either.
function isSame(a: string, b: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digest(a), digest(b));
}
