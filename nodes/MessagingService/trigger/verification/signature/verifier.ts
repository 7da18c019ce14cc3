import { findHeader, headerValue } from '../headers';
import { reasonOf, refuse } from '../refusal';
import type { Call } from '../verification';
import type { Algorithm } from './algorithms';
import type { Encoding } from './encodings';
import { type KeyFormat, readKey } from './keys';
import { fillTemplate, queryOf, type Template } from './signedContent';
import { readTime } from '../../../api/time';

/** How a service signs with one kind of secret. */
export interface Signing {
	algorithm: Algorithm;
	keyFormat: KeyFormat;
	/** What a signature begins with in its header; empty for nothing. */
	prefix: string;
}

export interface Scheme {
	/** Header with the signature. Of several names, the first that came counts. */
	signatureHeaders: readonly string[];
	/** What divides this header into parts; empty when it is a single one. */
	separator: string;
	encoding: Encoding;
	signing(secret: string): Signing;
	signedContent: Template;
	/** Where the time is: in a header, or in a part of the signature header. Undefined when there is none. */
	time?: { headers: readonly string[] } | { prefix: string };
	/** Seconds that a call may be old, or ahead of our clock. */
	tolerance: number;
	/** The address of the trigger as the service calls it, without a query; else it is as n8n knows it. */
	publicUrl?: string;
	/** The ways in which the service may spell the address that it signs. */
	spellings?(url: string): string[];
	/** Whether somebody has entered the details, so that they may be wrong. */
	isCustom?: boolean;
}

/** Maximum number of signatures of a call that are checked. It bounds the work that a call can cause. */
const MAX_SIGNATURES = 100;
/** For each signature of a private key, the whole body is read again. */
const MAX_PUBLIC_SIGNATURES = 4;

/**
 * Verifies the signature of a call: refuses it unless it was made with one of the secrets. All signatures are compared
 * with all keys, also after one has matched, so that a right signature takes as long as a wrong one.
 *
 * @param now milliseconds since 1970
 */
export function verifySignature(
	scheme: Scheme,
	call: Call,
	secrets: readonly string[],
	now: number,
): void {
	const { rawBody: body } = call;
	const header = findHeader(call.headers, scheme.signatureHeaders);
	if (!body) return refuse('the body cannot be verified');
	const parts = splitHeader(header.value, scheme);
	const timestamp = readTimestamp(scheme, call, parts);
	if (timestamp !== undefined) checkTime(scheme, timestamp, now);
	const url = scheme.signedContent.needsAddress ? calledUrl(scheme, call) : '';
	const contents = (scheme.spellings?.(url) ?? [url]).map((spelling) =>
		fillTemplate(scheme.signedContent, { call, body, timestamp: timestamp ?? '', url: spelling }),
	);
	const reasons = secrets.map((secret) =>
		reasonOf(() => {
			const signing = scheme.signing(secret);
			const { decoded, count } = readSignatures(scheme, signing, header.name, parts);
			const key = readKey(secret, signing);
			const matches = contents.flatMap((content) => decoded.map(key(content)));
			if (!matches.includes(true)) refuse(describeMismatch(scheme, signing, count, url));
		}),
	);
	if (!reasons.includes(undefined)) refuse(reasons[0] ?? 'there is no secret to verify it with');
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
	if ('headers' in time) return headerValue(headers, time.headers);
	const part = parts.find((each) => each.startsWith(time.prefix));
	return part === undefined
		? refuse(`no part of the header "${signatureHeaders[0]}" begins with "${time.prefix}"`)
		: part.slice(time.prefix.length).trim();
}

function checkTime({ tolerance }: Scheme, timestamp: string, now: number): void {
	const seconds = (now - readTime(timestamp)) / 1_000;
	if (!Number.isFinite(seconds)) refuse(`this is no time: "${quotable(timestamp)}"`);
	if (Math.abs(seconds) <= tolerance) return;
	const distance = Math.ceil(Math.abs(seconds));
	refuse(
		seconds > 0
			? `it was sent ${distance} seconds ago, and "Tolerance" is ${tolerance}`
			: `its time is ${distance} seconds ahead of the clock of n8n, and "Tolerance" is ${tolerance}`,
	);
}

/** As much of a text as can be a time, without anything that a log or a page might take for its own. */
function quotable(text: string): string {
	return text.slice(0, 40).replace(/[^\w .,:+-]/g, '?');
}

function calledUrl({ publicUrl }: Scheme, call: Call): string {
	const address = publicUrl || call.address();
	return address === undefined
		? refuse('n8n does not know the address of this trigger: set "Public URL"')
		: address + queryOf(call.originalUrl);
}

/** The signatures in the header, as many as are checked. */
function readSignatures(
	{ separator, encoding }: Scheme,
	{ algorithm: { name, signatureLength, isPublic }, prefix }: Signing,
	header: string,
	parts: string[],
): { decoded: Buffer[]; count: number } {
	const written = parts
		.filter((part) => part.startsWith(prefix))
		.map((part) => part.slice(prefix.length).trim());
	if (written.length === 0) {
		refuse(
			separator === ''
				? `the header "${header}" does not begin with "${prefix}"`
				: `no part of the header "${header}" begins with "${prefix}"`,
		);
	}
	const decoded = written
		.slice(0, isPublic ? MAX_PUBLIC_SIGNATURES : MAX_SIGNATURES)
		.flatMap((signature) => encoding.decode(signature) ?? []);
	if (decoded.length === 0) {
		refuse(`the signature in the header "${header}" is not written as ${encoding.name}`);
	}
	const [{ length }] = decoded;
	if (decoded.every((each) => each.length !== (signatureLength ?? each.length))) {
		refuse(
			`the signature in the header "${header}" has ${length} bytes, and ${name} makes ${signatureLength}`,
		);
	}
	return { decoded, count: written.length };
}

function describeMismatch(
	{ isCustom, signedContent: { needsAddress } }: Scheme,
	{ algorithm: { isPublic } }: Signing,
	count: number,
	url: string,
): string {
	const most = isPublic ? MAX_PUBLIC_SIGNATURES : MAX_SIGNATURES;
	const suspects = ['body', isPublic ? 'key' : 'secret'];
	if (needsAddress) suspects.push('address');
	if (isCustom) suspects.push('signed content');
	const last = suspects.pop();
	return [
		`the signature is that of another ${suspects.join(', ')} or ${last}`,
		...(needsAddress ? [`this trigger takes its address to be ${withoutSecrets(url)}`] : []),
		...(count > most ? [`of ${count} signatures, only the first ${most} were checked`] : []),
	].join('; ');
}

/** An address without its query and its password. */
function withoutSecrets(url: string): string {
	return url.slice(0, url.length - queryOf(url).length).replace(/\/\/[^/@]*@/, '//');
}
