import { asObject, quote } from '../../../api/json';
import { readTime } from '../../../api/time';
import { Problem } from '../../../n8n/problem';
import { type PanelValues, splitList } from '../../../panel/parameters';
import { findHeader, type IncomingCall, refuse, type Verification } from '../incomingCall';
import { checkContent, fillContent, queryString } from './content';
import * as fields from './fields';
import {
	ALGORITHMS,
	decode,
	ENCODINGS,
	type Key,
	KEY_FORMATS,
	parseKey,
	PUBLIC_MARK,
} from './keys';

/**
 * Reads how calls are signed.
 *
 * @throws {Problem} when a setting is invalid, or when a signature would match any body, or none.
 */
export function readSignature(values: PanelValues): Verification {
	const { preset, withPublicKey, adjustable } = values.choice(fields.schemeField, fields.SCHEMES);
	const entered = asObject(values.raw(fields.settingsField.name));
	const adjusted = Object.fromEntries(adjustable.map((name) => [name, entered[name]]));
	const settings = preset
		? { ...preset, ...adjusted }
		: { ...entered, signatureHeader: values.raw(fields.signatureHeaderField.name) };
	const scheme = readScheme(values.membersOf(settings), !preset);
	return {
		verifierOf(secret) {
			const used = secret.startsWith(PUBLIC_MARK) ? { ...scheme, ...withPublicKey } : scheme;
			const key = parseKey(secret, used);
			return (call, now) => verifySignature(used, key, call, now);
		},
	};
}

/** How a service signs. */
type Scheme = ReturnType<typeof readScheme>;

/** @param isCustom whether somebody has entered the details, so that they may be wrong */
function readScheme(settings: PanelValues, isCustom: boolean) {
	const { MEMBERS } = fields;
	const signedContent = settings.textOf(MEMBERS.signedContent);
	const timestampHeaders = splitList(settings.textOf(MEMBERS.timestampHeader));
	const timestampPrefix = settings.textOf(MEMBERS.timestampPrefix);
	const isTimed = timestampPrefix !== '' || timestampHeaders.length > 0;
	checkContent(signedContent);
	if (signedContent.includes('{timestamp}') && !isTimed) {
		throw new Problem(
			'Add "Timestamp Header" or "Timestamp Prefix" to "Signature Settings"',
			'"Signed Content" contains {timestamp}. Enter the header of the time, or the prefix of the time in the signature header.',
		);
	}
	const { name, displayName: label, default: otherwise } = MEMBERS.tolerance;
	return {
		isCustom,
		/** Of several headers, the first that a call has counts. */
		signatureHeaders: splitList(settings.textOf(fields.signatureHeaderField)),
		separator: settings.choice(MEMBERS.separator, fields.SEPARATORS).text,
		prefix: settings.textOf(MEMBERS.prefix),
		encoding: settings.choice(MEMBERS.encoding, ENCODINGS),
		algorithm: settings.choice(MEMBERS.algorithm, ALGORITHMS),
		keyFormat: settings.choice(MEMBERS.keyFormat, KEY_FORMATS),
		signedContent,
		isTimed,
		timestampHeaders,
		/** If it is set, the time is in the part of the signature header that begins with it. */
		timestampPrefix,
		/** Seconds that a call may be old, or ahead of our clock. */
		tolerance: settings.integer(name, 1, { label }) ?? otherwise,
		publicUrl: readPublicUrl(settings),
	};
}

/** The address of the trigger as the service calls it, without a query; empty if n8n knows the right one. */
function readPublicUrl(settings: PanelValues): string {
	const address = settings.textOf(fields.MEMBERS.publicUrl);
	if (address === '' || /^https?:\/\/[^/?#\s][^?#\s]*$/i.test(address)) return address;
	// The address is not quoted, since its query may contain the secret.
	throw new Problem(
		'"Public URL" cannot be used: it is not a whole address without a query',
		'Enter the whole address that the service calls, such as https://hooks.example.com/messages, without a query.',
	);
}

/** Refuses a call unless its signature was made with the key. */
function verifySignature(scheme: Scheme, key: Key, call: IncomingCall, now: number): void {
	const { signatureHeaders, separator, signedContent: content } = scheme;
	const header = findHeader(call.headers, signatureHeaders);
	const { rawBody: body } = call;
	if (!body) return refuse('the body cannot be verified');
	const parts = (separator === '' ? [header] : header.split(separator)).map((part) => part.trim());
	const timestamp = readTimestamp(scheme, call, parts, now);
	const signatures = readSignatures(scheme, parts);
	const urls = calledUrls(scheme, call);
	// All are checked, even after a match, so that a wrong signature takes no longer than a right one.
	const matches = urls.flatMap((url) =>
		signatures.map(key(fillContent({ content, call, body, timestamp, url }))),
	);
	if (!matches.includes(true)) refuse(describeMismatch(scheme, urls[0]));
}

/** The timestamp as it came, which has to be within the tolerance; empty when the scheme has none. */
function readTimestamp(
	scheme: Scheme,
	{ headers }: IncomingCall,
	parts: string[],
	now: number,
): string {
	const { isTimed, timestampPrefix, timestampHeaders, tolerance } = scheme;
	if (!isTimed) return '';
	const timestamp =
		timestampPrefix === ''
			? findHeader(headers, timestampHeaders)
			: findParts(scheme, parts, timestampPrefix)[0];
	const seconds = (now - readTime(timestamp)) / 1_000;
	if (!Number.isFinite(seconds)) refuse(`this is no time: ${quote(timestamp)}`);
	const distance = Math.ceil(Math.abs(seconds));
	if (Math.abs(seconds) > tolerance) {
		const howLong = `${distance} seconds (${(distance / 60).toFixed(1)} minutes)`;
		const time = seconds > 0 ? `it was sent ${howLong} ago` : `its time is ${howLong} ahead`;
		refuse(
			`${time}, and "Tolerance" in "Signature Settings" is ${tolerance}: is the clock of n8n right?`,
		);
	}
	return timestamp;
}

/** The parts of the signature header that begin with a prefix, without the prefix. Refuses a call without any. */
function findParts({ signatureHeaders }: Scheme, parts: string[], prefix: string): string[] {
	const found = parts.filter((part) => part.startsWith(prefix));
	if (found.length === 0) {
		refuse(`no part of the header "${signatureHeaders[0]}" begins with "${prefix}"`);
	}
	return found.map((part) => part.slice(prefix.length).trim());
}

/** Limits for the work that one call can cause. With a public key, each signature takes another pass over the body. */
const MAX_SIGNATURES = 100;
const MAX_PUBLIC_SIGNATURES = 4;

/** Decodes the signatures in the header, up to the limit. */
function readSignatures(scheme: Scheme, parts: string[]): Buffer[] {
	const { algorithm, encoding, prefix, isCustom, signatureHeaders } = scheme;
	// A usual prefix, such as "sha256=", is removed even if none is set.
	const usualPrefix = prefix === '' ? `${algorithm.value}=` : '';
	const signatures = findParts(scheme, parts, prefix)
		.slice(0, algorithm.curve ? MAX_PUBLIC_SIGNATURES : MAX_SIGNATURES)
		.map((part) => (part.startsWith(usualPrefix) ? part.slice(usualPrefix.length) : part))
		// Base64 in either alphabet (RFC 4648, sections 4 and 5).
		.map((signature) => signature.replaceAll('-', '+').replaceAll('_', '/'))
		.flatMap((signature) => decode(signature, encoding.value) ?? []);
	if (signatures.length === 0) {
		const advice = isCustom ? ': check "Encoding" and "Prefix"' : '';
		refuse(
			`the signature in the header "${signatureHeaders[0]}" is not written as ${encoding.name}${advice}`,
		);
	}
	return signatures;
}

/**
 * The called URL, without its port and with it: services may sign either form, whichever they call. An empty text when
 * the URL is not signed.
 */
function calledUrls({ publicUrl, signedContent }: Scheme, call: IncomingCall): string[] {
	if (!signedContent.includes('{url}')) return [''];
	const address = publicUrl || call.address();
	if (address === undefined) {
		return refuse('n8n does not know the address of this trigger: set "Public URL"');
	}
	const url = address + queryString(call.originalUrl);
	const origin = /^(https?:\/\/[^/?#]*?)(:\d+)?(?=[/?#]|$)/i;
	const usualPort = /^https/i.test(url) ? ':443' : ':80';
	return [
		url.replace(origin, '$1'),
		url.replace(origin, (_, host: string, port = usualPort) => host + port),
	];
}

function describeMismatch({ isCustom, signedContent }: Scheme, url: string): string {
	const suspects = ['the webhook secret'];
	if (isCustom) suspects.push('"Signature Settings"');
	if (signedContent.includes('{url}')) {
		const shown = url.replace(/\?.*$/s, '').replace(/\/\/[^/@]*@/, '//');
		suspects.push(`the address, which is ${shown} to this trigger`);
	}
	return `the signature does not match: check ${suspects.join(' and ')}`;
}
