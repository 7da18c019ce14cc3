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
	const problem = problemOf(verification, secret);
	if (problem !== undefined || verification.kind === 'none') return problem;
	return verification.kind === 'sharedSecret'
		? secretRefusal(call, verification.place, verification.name, secret)
		: signatureRefusal(call, verification, secret, now);
}

// Node.js reads what is written in another way as far as it can, down to an empty key.
const WRITTEN = { utf8: /./, hex: /^([\da-f]{2})+$/i, base64: /^[\w+/-]{2,}={0,2}$/ };

/**
 * Tells what is wrong with the secret itself, so that no call could be verified with it.
 *
 * @returns undefined when nothing is.
 */
export function problemOf(verification: Verification, secret: string): string | undefined {
	if (verification.kind === 'none') return undefined;
	// An empty secret would be one that everybody knows.
	if (secret === '') return 'the credential has no webhook secret';
	if (verification.kind === 'sharedSecret') return undefined;
	const { secretEncoding } = verification;
	const isWrittenSo = WRITTEN[secretEncoding].test(secret);
	return isWrittenSo ? undefined : `the webhook secret is not written as ${secretEncoding}`;
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
	const readings = place === 'header' ? readHeader(given) : readParameter(given);
	return readings.some((reading) => isSame(reading, secret)) ? undefined : 'wrong secret';
}

/** What a header may mean: after "Bearer", as usual in Authorization, and in UTF-8, which Node.js does not know of. */
function readHeader(value: string): string[] {
	return [value, value.replace(/^Bearer +/i, '')].flatMap((text) => [
		text,
		Buffer.from(text, 'latin1').toString(),
	]);
}

/** What a query parameter may mean: a plus sign that was not encoded came in as a blank. */
function readParameter(value: string): string[] {
	return [value, value.replaceAll(' ', '+')];
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
	if (!given.startsWith(signature.prefix)) {
		return `the header "${signature.header}" does not begin with "${signature.prefix}"`;
	}
	const actual = given.slice(signature.prefix.length).trim();
	const expected = sign(signature, secret, rawBody, String(timestamp ?? ''));
	// Hexadecimal digits mean the same in both cases, other encodings do not.
	const isRight = isSame(signature.encoding === 'hex' ? actual.toLowerCase() : actual, expected);
	return isRight ? undefined : 'wrong signature';
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

// Digests are of one length, so that the length of the secret does not show either.
function isSame(a: string, b: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digest(a), digest(b));
}
