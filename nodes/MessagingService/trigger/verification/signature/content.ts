import { createHash } from 'crypto';
import { Problem } from '../../../n8n/problem';
import { findHeader, type IncomingCall, refuse } from '../incomingCall';

/** The values that fill the placeholders. */
interface Source {
	/** What is signed, with its placeholders. */
	content: string;
	call: IncomingCall;
	body: Uint8Array;
	/** The time as it came; empty when there is none. */
	timestamp: string;
	/** The address that the service called, with its query. */
	url: string;
}

const PLACEHOLDERS = new Map<string, (source: Source) => string | Uint8Array>([
	['{body}', ({ body }) => body],
	['{fields}', fillFields],
	['{id}', ({ call }) => findHeader(call.headers, ['webhook-id', 'svix-id'])],
	['{method}', ({ call }) => call.method],
	['{query}', ({ call }) => sortedQuery(call)],
	['{sha256:body}', ({ body }) => sha256(body).digest()],
	['{timestamp}', ({ timestamp }) => timestamp],
	['{url}', ({ url }) => url],
]);

const HEADER_PLACEHOLDER = /^\{header:(.+)\}$/;

/** All placeholders, for descriptions and error messages. */
export const PLACEHOLDER_LIST = [...PLACEHOLDERS.keys(), '{header:name}'].sort().join(', ');

/**
 * Checks what is entered as signed content.
 *
 * @throws {Problem} when it has an unknown placeholder or does not cover the body.
 */
export function checkContent(content: string): void {
	const unknown = content
		.match(/\{[^{}]*\}/g)
		?.find((used) => !PLACEHOLDERS.has(used) && !HEADER_PLACEHOLDER.test(used));
	if (unknown !== undefined) {
		throw new Problem(
			`"Signed Content" has an unknown placeholder: ${unknown}`,
			`Use these: ${PLACEHOLDER_LIST}.`,
		);
	}
	if (!/\{(?:body|fields|sha256:body)\}/.test(content)) {
		throw new Problem(
			'Add {body} to "Signed Content": without the body, anybody could change it',
			'Enter it where the body stands in what your service signs, or {fields} or {sha256:body}. If it does not sign the body, choose another "Verification".',
		);
	}
}

/** Builds the bytes that the service has signed. Refuses a call that lacks a part of them. */
export function fillContent(source: Source): Buffer {
	const parts = source.content.split(/(\{[^{}]*\})/).map((part) => {
		const [, header] = HEADER_PLACEHOLDER.exec(part) ?? [];
		if (header !== undefined) return findHeader(source.call.headers, [header]);
		const fill = PLACEHOLDERS.get(part);
		return fill ? fill(source) : part.replaceAll('\\n', '\n');
	});
	return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

/** The query of an address with its question mark; empty when there is none. */
export function queryString(address: string): string {
	return /\?.*$/s.exec(address)?.[0] ?? '';
}

function sortedQuery({ originalUrl }: IncomingCall): string {
	const parameters = new URLSearchParams(queryString(originalUrl));
	parameters.sort();
	return parameters.toString();
}

const FORM = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;
/** The most form fields that n8n reads. It limits the work that one call can cause. */
const MAX_FIELDS = 1_000;

/**
 * The fields of a form sorted by name, each name followed by its value. If the signed query has a digest of the body,
 * as Twilio sends it with JSON, the digest covers the body instead, whatever the content type.
 */
function fillFields({ content, call, body }: Source): string {
	const isQuerySigned = /\{(?:query|url)\}/.test(content);
	const query = new URLSearchParams(queryString(call.originalUrl));
	const digest = isQuerySigned ? query.get('bodySHA256') : null;
	if (digest !== null) {
		// A digest is no secret, so this need not take constant time.
		const isRight = digest.toLowerCase() === sha256(body).digest('hex');
		return isRight ? '' : refuse('the query parameter "bodySHA256" is that of another body');
	}
	if (!FORM.test(String(call.headers['content-type']))) {
		refuse('the body is no form, and no signed query parameter "bodySHA256" covers it');
	}
	const text = Buffer.from(body).toString();
	if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) {
		refuse(`the form has more than ${MAX_FIELDS} fields`);
	}
	const fields = new URLSearchParams(text);
	return [...new Set(fields.keys())]
		.sort()
		.flatMap((name) => [...new Set(fields.getAll(name))].sort().map((value) => name + value))
		.join('');
}

function sha256(body: Uint8Array) {
	return createHash('sha256').update(body);
}
