import { createHmac, timingSafeEqual } from 'crypto';
import { quote } from '../../api/text';
import { readTime } from '../../api/time';
import { Problem } from '../../words/problem';
import { type Dropdown, nameOf } from '../../panel/field';
import { PanelValues } from '../../panel/values';
import {
	describeOthers,
	headerOf,
	readHeaderName,
	toStandardName,
	type IncomingCall,
	type Verification,
} from './call';
import {
	schemeField,
	SEPARATORS,
	SETTINGS,
	signatureHeaderField,
	signatureSettingsField,
	STANDARD_WEBHOOKS,
} from './signatureFields';
import { fillContent, reasonToDistrust, hasTime, headersIn, parseContent } from './signedContent';

/** How a service signs. */
type Scheme = ReturnType<typeof readScheme>;

/**
 * Reads how calls are signed.
 *
 * @throws {Problem} when a setting is invalid, or when a signature would match any body, or none.
 */
export function readSignature(values: PanelValues): Verification {
	const isStandard = values.choice(schemeField) === 'standardWebhooks';
	const scheme = readScheme(isStandard ? PanelValues.of(STANDARD_WEBHOOKS) : values);
	return {
		signedHeaders: headersIn(scheme.content).map(toStandardName),
		createVerifier(secret) {
			const key = parseKey(secret, scheme.keyFormat);
			return (call, now) => checkSignature(scheme, key, call, now);
		},
	};
}

function readScheme(values: PanelValues) {
	const settings = values.members(signatureSettingsField);
	const timestampPrefix = settings.text(SETTINGS.timestampPrefix);
	const scheme = {
		signatureHeader: readHeaderName(values, signatureHeaderField),
		separator: SEPARATORS[settings.choice(SETTINGS.separator)],
		prefix: settings.text(SETTINGS.prefix),
		encoding: settings.choice(SETTINGS.encoding),
		algorithm: settings.choice(SETTINGS.algorithm),
		keyFormat: settings.choice(SETTINGS.keyFormat),
		content: parseContent(settings.text(SETTINGS.signedContent)),
		/** The header of the time; empty if it has none of its own. */
		timestampHeader:
			timestampPrefix === '' ? readHeaderName(settings, SETTINGS.timestampHeader) : '',
		/** What the part of the signature header with the time begins with; empty if there is none. */
		timestampPrefix,
		/** Seconds that a call may be old, or ahead of our clock. */
		tolerance: settings.integer(SETTINGS.tolerance),
	};
	if (timestampPrefix !== '' && scheme.separator === '') {
		throw new Problem(
			'Choose a "Separator" in "Signature Settings"',
			'With "Timestamp Prefix", the signature header has several parts.',
		);
	}
	const isTimed = scheme.timestampHeader !== '' || timestampPrefix !== '';
	if (hasTime(scheme.content) !== isTimed) {
		throw new Problem(
			isTimed
				? 'Add {timestamp} to "Signed Content"'
				: 'Add "Timestamp Header" or "Timestamp Prefix" to "Signature Settings"',
			'A time has to come with the call, and to be signed.',
		);
	}
	return scheme;
}

/** Why a call was not signed with the key; undefined when it was. */
function checkSignature(
	scheme: Scheme,
	key: Buffer,
	{ headers, rawBody: body }: IncomingCall,
	now: number,
): string | undefined {
	const { signatureHeader, timestampHeader, timestampPrefix, prefix, encoding } = scheme;
	const missing = [signatureHeader, timestampHeader, ...headersIn(scheme.content)].find(
		(name) => name !== '' && headerOf(headers, name) === '',
	);
	if (missing !== undefined) return `no header "${missing}"; ${describeOthers(headers)}`;
	if (!body) return 'the body cannot be read, so its signature cannot be verified';

	const parts = splitHeader(headerOf(headers, signatureHeader), scheme.separator);
	const missingPrefix = [timestampPrefix, prefix].find(
		(each) => findParts(parts, each).length === 0,
	);
	if (missingPrefix !== undefined) {
		return `no part of the header "${signatureHeader}" begins with "${missingPrefix}"`;
	}

	const timestamp =
		timestampPrefix === ''
			? headerOf(headers, timestampHeader)
			: findParts(parts, timestampPrefix)[0];
	const untimely = hasTime(scheme.content)
		? checkTime(timestamp, scheme.tolerance, now)
		: undefined;
	if (untimely !== undefined) return untimely;

	const signatures = findParts(parts, prefix).flatMap((part) => decode(part, encoding) ?? []);
	if (signatures.length === 0) {
		return `the signature in the header "${signatureHeader}" is not written as ${nameOf(SETTINGS.encoding, encoding)}: check "Signature Settings"`;
	}
	const content = fillContent(scheme.content, headers, body, timestamp);
	const expected = createHmac(scheme.algorithm, key).update(content).digest();
	const isExpected = (each: Buffer) =>
		each.length === expected.length && timingSafeEqual(each, expected);
	if (!signatures.some(isExpected)) {
		return 'the signature does not match: check the webhook secret and, if "Scheme" is "Custom", "Signature Settings"';
	}
	return reasonToDistrust(scheme.content, headers, body);
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

/**
 * A whole number, a date of ISO 8601 with its time zone, or one of HTTP. Of none of them, a part is another time: or
 * somebody could move the rest of it into the body, so that the signature stays the same and an old call looks new.
 */
const WHOLE_TIME =
	/^(?:[1-9]\d*|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)|[a-z]{3}, [\w ]+ [\d:]+ (?:GMT|UTC))$/i;

/** Why a call with this timestamp is refused; undefined when it is within the tolerance, in seconds. */
function checkTime(timestamp: string, tolerance: number, now: number): string | undefined {
	const age = WHOLE_TIME.test(timestamp) ? (now - readTime(timestamp)) / 1_000 : NaN;
	if (!Number.isFinite(age)) {
		return `the time is neither a whole number nor a date with a time zone: ${quote(timestamp)}`;
	}
	if (Math.abs(age) <= tolerance) return undefined;
	const distance = `${Math.ceil(Math.abs(age))} seconds`;
	const time = age > 0 ? `it was sent ${distance} ago` : `its time is ${distance} ahead`;
	return `${time}, and the limit is ${tolerance}: is the clock of n8n right?`;
}

/**
 * Decodes a text; undefined if it is not valid in this encoding. Node.js would decode any text as far as it can, down
 * to an empty key, with which everybody could sign.
 */
function decode(text: string, encoding: 'base64' | 'hex'): Buffer | undefined {
	const digits =
		encoding === 'hex' ? /^(?:[\da-f]{2})+$/i : /^(?:[a-z\d+/]{4})*[a-z\d+/]{2,4}={0,2}$/i;
	return digits.test(text) ? Buffer.from(text, encoding) : undefined;
}

/**
 * Reads a webhook secret as the key of an HMAC. Whatever stands for bytes may have the mark of Standard Webhooks before
 * it, also as their senders show it together with the version.
 *
 * @throws {Problem} when the secret is not written so.
 */
type KeyFormat = typeof SETTINGS.keyFormat extends Dropdown<infer Value> ? Value : never;

function parseKey(secret: string, format: KeyFormat): Buffer {
	if (format === 'text') return Buffer.from(secret);
	const key = decode(secret.replace(/^(?:v1,)?whsec_/, ''), format);
	if (key) return key;
	throw new Problem(
		`The webhook secret in the credential is not written as ${nameOf(SETTINGS.keyFormat, format)}: enter the one that your service gives you`,
		'Copy the whole secret again, or empty "Previous Webhook Secret" if it is that one. If your service signs with its characters as they are, set "Scheme" to "Custom" and "Key Format" to "Text".',
	);
}
