import { quote } from '../../api/json';
import { readTime } from '../../api/time';
import { Problem } from '../../n8n/problem';
import type { PanelValues } from '../../panel/parameters';
import { findHeader, type IncomingCall, refuse, type Verification } from './call';
import {
	ALGORITHMS,
	BASE64,
	decode,
	ENCODINGS,
	KEY_FORMATS,
	parseKey,
	SHA256,
	signatureCheck,
} from './keys';
import {
	CUSTOM,
	MEMBERS,
	PLACEHOLDERS,
	schemeField,
	SCHEMES,
	SEPARATORS,
	settingsField,
	signatureHeaderField,
} from './signatureFields';

/** How a service signs. */
interface Scheme {
	/** Of several headers, the first that a call has counts. */
	signatureHeaders: string[];
	separator: string;
	prefix: string;
	encoding: (typeof ENCODINGS)[number];
	algorithm: (typeof ALGORITHMS)[number];
	keyFormat: (typeof KEY_FORMATS)[number];
	signedContent: string;
	/** None if no header has the time. */
	timestampHeaders: string[];
	/** If it is not empty, the time is in the part of the signature header that begins with it. */
	timestampPrefix: string;
	/** Seconds that a call may be old, or ahead of our clock. */
	tolerance: number;
}

/** The first names are those of the standard, the others older. */
const STANDARD_WEBHOOKS: Scheme = {
	signatureHeaders: ['webhook-signature', 'svix-signature'],
	separator: ' ',
	prefix: 'v1,',
	encoding: BASE64,
	algorithm: SHA256,
	keyFormat: BASE64,
	signedContent: '{id}.{timestamp}.{body}',
	timestampHeaders: ['webhook-timestamp', 'svix-timestamp'],
	timestampPrefix: '',
	tolerance: 300,
};
const ID_HEADERS = ['webhook-id', 'svix-id'];

/**
 * Reads how calls are signed.
 *
 * @throws {Problem} when a setting is invalid, or when a signature would match any body, or none.
 */
export function readSignature(values: PanelValues): Verification {
	const isCustom = values.choice(schemeField, SCHEMES).value === CUSTOM;
	const scheme = isCustom ? readCustom(values) : STANDARD_WEBHOOKS;
	return {
		signedHeaders: placeholdersOf(scheme.signedContent)
			.flatMap(headersOf)
			.map((name) => name.toLowerCase()),
		verifierOf(secret) {
			const key = parseKey(secret, scheme.keyFormat);
			return (call, now) => verifySignature(scheme, key, secret, call, now);
		},
	};
}

function readCustom(values: PanelValues): Scheme {
	const settings = values.members(settingsField);
	const signedContent = settings.textOf(MEMBERS.signedContent);
	const timestampHeader = settings.textOf(MEMBERS.timestampHeader);
	const timestampPrefix = settings.textOf(MEMBERS.timestampPrefix);
	checkContent(signedContent, timestampHeader !== '' || timestampPrefix !== '');
	const { name, displayName: label, default: otherwise } = MEMBERS.tolerance;
	return {
		signatureHeaders: [values.textOf(signatureHeaderField)],
		separator: settings.choice(MEMBERS.separator, SEPARATORS).text,
		prefix: settings.textOf(MEMBERS.prefix),
		encoding: settings.choice(MEMBERS.encoding, ENCODINGS),
		algorithm: settings.choice(MEMBERS.algorithm, ALGORITHMS),
		keyFormat: settings.choice(MEMBERS.keyFormat, KEY_FORMATS),
		signedContent,
		timestampHeaders: timestampHeader === '' ? [] : [timestampHeader],
		timestampPrefix,
		tolerance: settings.integer(name, 1, { label }) ?? otherwise,
	};
}

const HEADER = /^\{header:(.+)\}$/;

const placeholdersOf = (content: string): string[] => content.match(/\{[^{}]*\}/g) ?? [];

/** The headers that a placeholder stands for: the first of them that a call has. */
function headersOf(placeholder: string): string[] {
	const [, name] = HEADER.exec(placeholder) ?? [];
	if (name !== undefined) return [name];
	return placeholder === '{id}' ? ID_HEADERS : [];
}

function checkContent(content: string, isTimed: boolean): void {
	const used = placeholdersOf(content);
	const unknown = used.find(
		(each) => !['{body}', '{timestamp}'].includes(each) && headersOf(each).length === 0,
	);
	if (unknown !== undefined) {
		throw new Problem(
			`"Signed Content" has an unknown placeholder: ${unknown}`,
			`Use these: ${PLACEHOLDERS}.`,
		);
	}
	if (!used.includes('{body}')) {
		throw new Problem(
			'Add {body} to "Signed Content": without the body, anybody could change it',
			'Enter it where the body stands in what your service signs. If it does not sign the body, choose another "Verification".',
		);
	}
	if (used.includes('{timestamp}') && !isTimed) {
		throw new Problem(
			'Add "Timestamp Header" or "Timestamp Prefix" to "Signature Settings"',
			'"Signed Content" contains {timestamp}. Enter the header of the time, or the prefix of the time in the signature header.',
		);
	}
}

/** Refuses a call unless its signature was made with the key. */
function verifySignature(
	scheme: Scheme,
	key: Buffer,
	secret: string,
	call: IncomingCall,
	now: number,
): void {
	const { signatureHeaders, separator, algorithm } = scheme;
	const header = findHeader(call.headers, signatureHeaders);
	const { rawBody: body } = call;
	if (!body) return refuse('the body cannot be read, so its signature cannot be verified');
	const parts = (separator === '' ? [header] : header.split(separator)).map((part) => part.trim());
	const timestamp = readTimestamp(scheme, call, parts, now);
	const content = fillContent(scheme.signedContent, call, body, timestamp);
	const signatures = readSignatures(scheme, parts);
	const isMadeWith = (each: Buffer) =>
		signatures.some(signatureCheck(algorithm.value, each, content));
	if (isMadeWith(key)) return;
	const isRightAsText = scheme.keyFormat.value !== 'text' && isMadeWith(Buffer.from(secret));
	refuse(isRightAsText ? AS_TEXT : MISMATCH);
}

const MISMATCH =
	'the signature does not match: check the webhook secret and, if "Scheme" is "Custom", "Signature Settings"';
const AS_TEXT =
	'the signature would match if the webhook secret were read as text: set "Scheme" to "Custom" and, in "Signature Settings", "Key Format" to "Text"';

/** The timestamp as it came, which has to be within the tolerance; empty when the scheme has none. */
function readTimestamp(scheme: Scheme, call: IncomingCall, parts: string[], now: number): string {
	const { timestampPrefix, timestampHeaders, tolerance } = scheme;
	if (timestampPrefix === '' && timestampHeaders.length === 0) return '';
	const timestamp =
		timestampPrefix === ''
			? findHeader(call.headers, timestampHeaders)
			: findParts(scheme, parts, timestampPrefix)[0];
	const seconds = (now - readTime(timestamp)) / 1_000;
	if (!Number.isFinite(seconds)) refuse(`this is no time: ${quote(timestamp)}`);
	const distance = Math.ceil(Math.abs(seconds));
	if (Math.abs(seconds) > tolerance) {
		const howLong = `${distance} seconds (${(distance / 60).toFixed(1)} minutes)`;
		const time = seconds > 0 ? `it was sent ${howLong} ago` : `its time is ${howLong} ahead`;
		refuse(`${time}, and the most is ${tolerance}: is the clock of n8n right?`);
	}
	return timestamp;
}

/** Builds the bytes that the service has signed. Refuses a call that lacks a part of them. */
function fillContent(
	signedContent: string,
	{ headers }: IncomingCall,
	body: Uint8Array,
	timestamp: string,
): Buffer {
	const parts = signedContent.split(/(\{[^{}]*\})/).map((part) => {
		if (part === '{body}') return body;
		if (part === '{timestamp}') return Buffer.from(timestamp);
		const names = headersOf(part);
		return Buffer.from(
			names.length > 0 ? findHeader(headers, names) : part.replaceAll('\\n', '\n'),
		);
	});
	return Buffer.concat(parts);
}

/** The parts of the signature header that begin with a prefix, without the prefix. Refuses a call without any. */
function findParts({ signatureHeaders }: Scheme, parts: string[], prefix: string): string[] {
	const found = parts.filter((part) => part.startsWith(prefix));
	if (found.length === 0) {
		refuse(`no part of the header "${signatureHeaders[0]}" begins with "${prefix}"`);
	}
	return found.map((part) => part.slice(prefix.length).trim());
}

/** Decodes the signatures in the header. */
function readSignatures(scheme: Scheme, parts: string[]): Buffer[] {
	const { encoding, prefix, signatureHeaders } = scheme;
	const signatures = findParts(scheme, parts, prefix)
		// Base64 in either alphabet (RFC 4648, sections 4 and 5).
		.map((signature) => signature.replaceAll('-', '+').replaceAll('_', '/'))
		.flatMap((signature) => decode(signature, encoding.value) ?? []);
	if (signatures.length === 0) {
		refuse(
			`the signature in the header "${signatureHeaders[0]}" is not written as ${encoding.name}: check "Signature Settings"`,
		);
	}
	return signatures;
}
