import { readTime } from '../../../api/time';
import { quote } from '../../../api/json';
import { findHeader } from '../headers';
import { type Call, refuse } from '../verification';
import type { Encoding } from './encodings';
import { type KeySettings, readKey } from './keys';
import { fillTemplate, queryOf, type Template } from './signedContent';

/** How a service signs. */
export interface Scheme extends KeySettings {
	/** Header with the signature. Of several names, the first that came counts. */
	signatureHeaders: readonly string[];
	/** What divides this header into parts; empty when it is a single one. */
	separator: string;
	/** What a signature begins with in its header; empty for nothing. */
	prefix: string;
	encoding: Encoding;
	signedContent: Template;
	/** Where the time is: in a header, or in a part of the signature header. Undefined when there is none. */
	time?: { headers: readonly string[] } | { prefix: string };
	/** Seconds that a call may be old, or ahead of our clock. */
	tolerance: number;
	/** The address of the trigger as the service calls it, without a query; else it is as n8n knows it. */
	publicUrl?: string;
	/** Whether somebody has entered the details, so that they may be wrong. */
	isCustom: boolean;
}

/** These bound the work that a call can cause. For each signature of a private key, the whole body is read again. */
const MAX_SIGNATURES = 100;
const MAX_PUBLIC_SIGNATURES = 4;
const MAX_SIGNATURE_LENGTH = 256;

/**
 * Verifies the signature of a call: refuses it unless it was made with the secret.
 *
 * @param now milliseconds since 1970
 */
export function verifySignature(scheme: Scheme, call: Call, secret: string, now: number): void {
	const { rawBody: body } = call;
	const header = findHeader(call.headers, scheme.signatureHeaders);
	if (!body) return refuse('the body cannot be verified');
	const parts = splitHeader(header.value, scheme);
	const timestamp = readTimestamp(scheme, call, parts);
	if (timestamp !== undefined) checkTime(scheme, timestamp, now);
	const signatures = readSignatures(scheme, header.name, parts);
	const url = scheme.signedContent.needsAddress ? calledUrl(scheme, call) : '';
	const key = readKey(secret, scheme);
	const matches = spellingsOf(url).flatMap((spelling) => {
		const source = { call, body, timestamp: timestamp ?? '', url: spelling };
		return signatures.map(key(fillTemplate(scheme.signedContent, source)));
	});
	if (!matches.includes(true)) refuse(describeMismatch(scheme, url));
}

function splitHeader(value: string, { separator }: Scheme): string[] {
	return (separator === '' ? [value] : value.split(separator)).map((part) => part.trim());
}

/** The time as it came; undefined when the scheme has none. */
function readTimestamp(
	{ time, signatureHeaders }: Scheme,
	{ headers }: Call,
	parts: string[],
): string | undefined {
	if (!time) return undefined;
	if ('headers' in time) return findHeader(headers, time.headers).value;
	const part = parts.find((each) => each.startsWith(time.prefix));
	return part === undefined
		? refuse(`no part of the header "${signatureHeaders[0]}" begins with "${time.prefix}"`)
		: part.slice(time.prefix.length).trim();
}

function checkTime({ tolerance }: Scheme, timestamp: string, now: number): void {
	const seconds = (now - readTime(timestamp)) / 1_000;
	if (!Number.isFinite(seconds)) refuse(`this is no time: ${quote(timestamp)}`);
	if (Math.abs(seconds) <= tolerance) return;
	const distance = Math.ceil(Math.abs(seconds));
	refuse(
		seconds > 0
			? `it was sent ${distance} seconds ago, and "Tolerance" is ${tolerance}`
			: `its time is ${distance} seconds ahead of the clock of n8n, and "Tolerance" is ${tolerance}`,
	);
}

function calledUrl({ publicUrl }: Scheme, call: Call): string {
	const address = publicUrl ?? call.address();
	return address === undefined
		? refuse('n8n does not know the address of this trigger: set "Public URL"')
		: address + queryOf(call.originalUrl);
}

/** An address with and without its port: some services sign the one, some the other, whatever they call. */
function spellingsOf(url: string): string[] {
	if (url === '') return [url];
	const origin = /^(https?:\/\/[^/?#]*?)(:\d+)?(?=[/?#]|$)/i;
	const usualPort = /^https/i.test(url) ? ':443' : ':80';
	return [
		url.replace(origin, '$1'),
		url.replace(origin, (_, host: string, port = usualPort) => host + port),
	];
}

/** The signatures in the header, as many as are checked. */
function readSignatures(scheme: Scheme, header: string, parts: string[]): Buffer[] {
	const { algorithm, encoding, prefix, separator } = scheme;
	const written = parts
		.filter((part) => part.startsWith(prefix))
		.map((part) => withoutUsualPrefix(part.slice(prefix.length).trim(), scheme));
	if (written.length === 0) {
		const what =
			separator === ''
				? `the header "${header}" does not begin`
				: `no part of the header "${header}" begins`;
		refuse(`${what} with "${prefix}"`);
	}
	const decoded = written
		.slice(0, algorithm.isPublic ? MAX_PUBLIC_SIGNATURES : MAX_SIGNATURES)
		.filter((signature) => signature.length <= MAX_SIGNATURE_LENGTH)
		.flatMap((signature) => encoding.decode(signature) ?? []);
	if (decoded.length === 0) {
		const advice = scheme.isCustom ? ': check "Encoding" and "Prefix"' : '';
		refuse(`the signature in the header "${header}" is not written as ${encoding.name}${advice}`);
	}
	return decoded;
}

/** Takes off the prefix that most services write, such as "sha256=", where no other one is set. */
function withoutUsualPrefix(signature: string, { prefix, algorithm }: Scheme): string {
	const usual = `${algorithm.value}=`;
	return prefix === '' && signature.startsWith(usual) ? signature.slice(usual.length) : signature;
}

function describeMismatch({ isCustom, signedContent }: Scheme, url: string): string {
	const suspects = ['the webhook secret'];
	if (isCustom) suspects.push('"Signed Content"');
	if (signedContent.needsAddress) {
		suspects.push(`the address, which is ${withoutSecrets(url)} to this trigger`);
	}
	return `the signature does not match: check ${suspects.join(' and ')}`;
}

/** An address without its query and its password. */
function withoutSecrets(url: string): string {
	return url.slice(0, url.length - queryOf(url).length).replace(/\/\/[^/@]*@/, '//');
}
