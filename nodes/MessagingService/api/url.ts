import { wellFormed, withoutInvisible } from './text';

/** The service's address, checked and without a trailing slash. */
export interface BaseUrl {
	/** Scheme, host and port: the only place the key may go to. */
	origin: string;
	/** Origin and path prefix, without a trailing slash. */
	href: string;
}

export type QueryEntry = readonly [name: string, value: string];

/** What follows the base URL in a webhook address (interface, endpoint 9), or in the beginning of one. */
const WEBHOOK = /\/public(?:\/pipelines\/webhook(?:[/?#].*)?|\/*)$/;

/** A scheme that lacks a sign or comes twice. Its "https" would be taken for a host, which would get the key. */
const BROKEN_SCHEME =
	/^https?:(?!\/\/)|^https?:\/\/https?(?:[:/]|$)|^(?![a-z]+:\/\/)[^/.]+\.?\/\/./i;

/**
 * Checks and normalizes the base URL of the credential. A missing scheme becomes https, trailing slashes are removed,
 * and a path prefix stays. A webhook address, as the agent builder shows it, is cut down to its base URL.
 *
 * @returns The base URL; for anything but an http(s) address with a host, what is wrong with it, as a sentence.
 */
export function parseBaseUrl(value: string): BaseUrl | string {
	// An invisible character before the scheme would turn the scheme into a host.
	const address = withoutInvisible(value).trim().replace(WEBHOOK, '');
	if (address === '') return 'The base URL is empty.';
	const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(address);
	const url = BROKEN_SCHEME.test(address)
		? undefined
		: parseUrl(hasScheme ? address : `https://${address}`);
	if (!url || !['https:', 'http:'].includes(url.protocol)) {
		return 'The base URL is not a web address such as https://messaging.example.com.';
	}
	if (url.search || url.hash || url.username || url.password) {
		return 'The base URL contains a user name, a "?" or a "#". Enter the address without it.';
	}
	return { origin: url.origin, href: url.origin + url.pathname.replace(/\/+$/, '') };
}

/** Builds a path from a template, each value encoded so that it stays one segment. */
export function path(template: TemplateStringsArray, ...values: string[]): string {
	return template.reduce((built, part, i) => built + encodeSegment(values[i - 1]) + part);
}

/** Builds the address of a request. Names and values of the query are encoded. */
export function buildUrl(
	base: BaseUrl,
	pathname: string,
	query: readonly QueryEntry[] = [],
): string {
	const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
	return base.href + pathname + (search ? `?${search}` : '');
}

/**
 * Resolves a link of a list, absolute or relative, against the address that gave it. A service behind a proxy may not
 * know that it is called by https, so an http link to the same host gets the scheme of that address.
 *
 * @returns The address, or undefined when the link is empty or not an address.
 */
export function resolveLink(link: unknown, from: string): URL | undefined {
	if (typeof link !== 'string' || link.trim() === '') return undefined;
	const url = parseUrl(link, from);
	const { protocol, host } = new URL(from);
	if (url?.protocol === 'http:' && url.host === host) url.protocol = protocol;
	return url;
}

/** Whether a request to this address may carry the key. A user name in it would be sent as a second credential. */
export function isSameOrigin(base: BaseUrl, address: string): boolean {
	const url = parseUrl(address);
	return url?.origin === base.origin && url.username === '' && url.password === '';
}

// "." and ".." would be resolved away even when every other character is encoded.
function encodeSegment(value: string): string {
	return /^\.{1,2}$/.test(value) ? value.replaceAll('.', '%252E') : encode(value);
}

/** Percent-encodes a text. */
export function encode(text: string): string {
	return encodeURIComponent(wellFormed(text));
}

/** Whether an address is that of the machine itself, which no other one can reach. */
export function isLoopback(address: string): boolean {
	const host = parseUrl(address)?.hostname ?? '';
	return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(host);
}

/** Parses an address, which may be relative when `from` is given; undefined when it is not valid. */
export function parseUrl(address: string, from?: string): URL | undefined {
	try {
		return new URL(address, from);
	} catch {
		// In Node.js 20, URL.canParse would refuse hosts with letters such as "ü" after some thousand calls.
		return undefined;
	}
}
