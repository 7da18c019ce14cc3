import { quote } from '../../api/json';
import { readTime } from '../../api/time';
import { Problem } from '../../n8n/problem';
import type { PanelValues } from '../../panel/parameters';
import { describeMissing, headerOf, type IncomingCall, type Verification } from './call';
import {
	ALGORITHMS,
	BASE64,
	decode,
	ENCODINGS,
	isMadeWith,
	KEY_FORMATS,
	parseKey,
	SHA256,
} from './keys';
import {
	CUSTOM,
	PLACEHOLDERS,
	schemeField,
	SCHEMES,
	SEPARATORS,
	SETTINGS,
	signatureHeaderField,
	signatureSettingsField,
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
	/** None if no header of its own has the time. */
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
		createVerifier(secret) {
			const key = parseKey(secret, scheme.keyFormat);
			if (key instanceof Problem) return key;
			return (call, now) => checkSignature(scheme, key, call, now);
		},
	};
}

function readCustom(values: PanelValues): Scheme {
	const settings = values.members(signatureSettingsField);
	const signedContent = settings.textOf(SETTINGS.signedContent);
	const timestampHeader = settings.textOf(SETTINGS.timestampHeader);
	const timestampPrefix = settings.textOf(SETTINGS.timestampPrefix);
	checkContent(signedContent, timestampHeader !== '' || timestampPrefix !== '');
	const { name, displayName: label, default: otherwise } = SETTINGS.tolerance;
	return {
		signatureHeaders: [values.textOf(signatureHeaderField)],
		separator: settings.choice(SETTINGS.separator, SEPARATORS).text,
		prefix: settings.textOf(SETTINGS.prefix),
		encoding: settings.choice(SETTINGS.encoding, ENCODINGS),
		algorithm: settings.choice(SETTINGS.algorithm, ALGORITHMS),
		keyFormat: settings.choice(SETTINGS.keyFormat, KEY_FORMATS),
		signedContent,
		timestampHeaders: timestampHeader === '' || timestampPrefix !== '' ? [] : [timestampHeader],
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

/**
 * A whole number, or a date with its time zone. If the beginning of a time were a time, too, somebody could move the rest
 * of it into the body: the signature stays the same, and the call looks new.
 */
const WHOLE_TIME = /^(?:\d+|.*(?:Z|GMT|UTC|[+-]\d\d:?\d\d))$/i;

/** Why a call was not signed with the key; undefined when it was. */
function checkSignature(
	scheme: Scheme,
	key: Buffer,
	{ headers, rawBody: body }: IncomingCall,
	now: number,
): string | undefined {
	const { signatureHeaders, timestampHeaders, signedContent, prefix, timestampPrefix } = scheme;
	const signedHeaders = placeholdersOf(signedContent).map(headersOf);
	const needed = [signatureHeaders, timestampHeaders, ...signedHeaders];
	const missing = needed.find((names) => names.length > 0 && headerOf(headers, names) === '');
	if (missing) return describeMissing(headers, missing);
	if (!body) return 'the body cannot be read, so its signature cannot be verified';

	const parts = splitHeader(headerOf(headers, signatureHeaders), scheme.separator);
	const unused = [timestampPrefix, prefix].find((each) => findParts(parts, each).length === 0);
	if (unused !== undefined) {
		return `no part of the header "${signatureHeaders[0]}" begins with "${unused}"`;
	}

	// Empty when the scheme has no time.
	const timestamp =
		timestampPrefix === ''
			? headerOf(headers, timestampHeaders)
			: findParts(parts, timestampPrefix)[0];
	const isTimed = timestampPrefix !== '' || timestampHeaders.length > 0;
	const untimely = isTimed ? checkTime(timestamp, scheme.tolerance, now) : undefined;
	if (untimely !== undefined) return untimely;

	const { encoding, algorithm } = scheme;
	const signatures = findParts(parts, prefix)
		// Base64 in either alphabet (RFC 4648, sections 4 and 5).
		.map((part) => part.replaceAll('-', '+').replaceAll('_', '/'))
		.flatMap((part) => decode(part, encoding.value) ?? []);
	if (signatures.length === 0) {
		return `the signature in the header "${signatureHeaders[0]}" is not written as ${encoding.name}: check "Signature Settings"`;
	}
	const content = fillContent(signedContent, headers, body, timestamp);
	if (!isMadeWith(key, algorithm.value, content, signatures)) {
		return 'the signature does not match: check the webhook secret and, if "Scheme" is "Custom", "Signature Settings"';
	}
	// The last digits of milliseconds may have been moved into the body: what is left are seconds.
	const touch = signedContent.includes('{timestamp}{body}');
	return touch && /^\d/.test(Buffer.from(body).toString())
		? 'the body begins with a digit, which may be the end of the time before it in "Signed Content"'
		: undefined;
}

/** The parts of a signature header, without the white space around them. */
function splitHeader(header: string, separator: string): string[] {
	return (separator === '' ? [header] : header.split(separator)).map((part) => part.trim());
}

/** The parts that begin with a prefix, without the prefix. */
function findParts(parts: readonly string[], prefix: string): string[] {
	return parts
		.filter((part) => part.startsWith(prefix))
		.map((part) => part.slice(prefix.length).trim());
}

/** Why a call with this timestamp is refused; undefined when it is within the tolerance, in seconds. */
function checkTime(timestamp: string, tolerance: number, now: number): string | undefined {
	const age = WHOLE_TIME.test(timestamp) ? (now - readTime(timestamp)) / 1_000 : NaN;
	if (!Number.isFinite(age))
		return `this is no whole number and no date with a time zone: ${quote(timestamp)}`;
	if (Math.abs(age) <= tolerance) return undefined;
	const distance = `${Math.ceil(Math.abs(age))} seconds`;
	const time = age > 0 ? `it was sent ${distance} ago` : `its time is ${distance} ahead`;
	return `${time}, and the most is ${tolerance}: is the clock of n8n right?`;
}

/** Builds the bytes that the service has signed. */
function fillContent(
	signedContent: string,
	headers: IncomingCall['headers'],
	body: Uint8Array,
	timestamp: string,
): Buffer {
	const parts = signedContent.split(/(\{[^{}]*\})/).map((part) => {
		if (part === '{body}') return body;
		if (part === '{timestamp}') return Buffer.from(timestamp);
		const names = headersOf(part);
		return Buffer.from(names.length > 0 ? headerOf(headers, names) : part.replaceAll('\\n', '\n'));
	});
	return Buffer.concat(parts);
}
