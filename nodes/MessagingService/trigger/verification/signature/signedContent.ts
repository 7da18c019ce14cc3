import { createHash } from 'crypto';
import { Problem } from '../../../nodeError';
import { findHeader } from '../headers';
import { type Call, refuse } from '../verification';
import type { Content } from './algorithms';
import { formFields } from './form';

/** What placeholders are filled with. */
export interface Source {
	call: Call;
	body: Uint8Array;
	/** The time as it came. */
	timestamp: string;
	/** The address that the service called, with its query; empty unless the template needs it. */
	url: string;
}

interface Placeholder {
	/** Whether a signature made of it changes with every change of the body. */
	coversBody?: boolean;
	/** Whether one made of it changes with every change of the query. */
	coversQuery?: boolean;
	needsAddress?: boolean;
	/** What it stands for; `argument` is what follows the colon. */
	fill(source: Source, argument: string, template: Template): string | Uint8Array;
}

/** A placeholder in its place, or text between two of them. */
type Part = string | { name: string; argument: string; placeholder: Placeholder };

/** What a signature is made of. */
export interface Template {
	parts: Part[];
	coversBody: boolean;
	coversQuery: boolean;
	needsAddress: boolean;
	needsTimestamp: boolean;
}

/** Maximum length of a template. It bounds the work that a call can cause. */
const MAX_LENGTH = 500;

const ID_HEADERS = ['webhook-id', 'svix-id'];

/** Placeholders by name. Those whose name ends in a colon take an argument. */
const PLACEHOLDERS = new Map<string, Placeholder>([
	['body', { coversBody: true, fill: ({ body }) => body }],
	['fields', { coversBody: true, fill: fillFields }],
	['header:', { fill: ({ call }, name) => findHeader(call.headers, [name]).value }],
	['id', { fill: ({ call }) => findHeader(call.headers, ID_HEADERS).value }],
	['method', { fill: ({ call }) => call.method }],
	['query', { coversQuery: true, fill: ({ call }) => sortedQuery(call) }],
	['sha256:body', { coversBody: true, fill: ({ body }) => sha256(body).digest() }],
	['timestamp', { fill: ({ timestamp }) => timestamp }],
	['url', { coversQuery: true, needsAddress: true, fill: ({ url }) => url }],
]);

/** All placeholders, for people. */
export const PLACEHOLDER_LIST = [...PLACEHOLDERS.keys()]
	.map((name) => `{${name.replace(/:$/, ':name')}}`)
	.join(', ');

/**
 * Reads a template.
 *
 * @throws {Problem} when it has an unknown placeholder, or is too long.
 */
export function parseTemplate(text: string): Template {
	if (text.length > MAX_LENGTH) {
		throw new Problem(
			`"Signed Content" is longer than ${MAX_LENGTH} characters`,
			'Enter what your service signs, with placeholders such as {timestamp} and {body}.',
		);
	}
	const parts = text.split(/(\{[^{}]*\})/).map(parsePart);
	const used = parts.flatMap((part) => (typeof part === 'string' ? [] : [part]));
	const uses = (property: 'coversBody' | 'coversQuery' | 'needsAddress') =>
		used.some(({ placeholder }) => placeholder[property]);
	return {
		parts,
		coversBody: uses('coversBody'),
		coversQuery: uses('coversQuery'),
		needsAddress: uses('needsAddress'),
		needsTimestamp: used.some(({ name }) => name === 'timestamp'),
	};
}

/** Fills in a template. Refuses a call that lacks something of it. */
export function fillTemplate(template: Template, source: Source): Content {
	return template.parts.map((part) =>
		typeof part === 'string' ? part : part.placeholder.fill(source, part.argument, template),
	);
}

/** The query of an address with its question mark; empty when there is none. */
export function queryOf(address: string): string {
	const start = address.indexOf('?');
	return start < 0 ? '' : address.slice(start);
}

function parsePart(text: string): Part {
	const [, inner] = /^\{([^{}]*)\}$/.exec(text) ?? [];
	if (inner === undefined) return text.replaceAll('\\n', '\n');
	const [, start = inner, argument = ''] = /^(header:)(.+)$/.exec(inner) ?? [];
	const placeholder = PLACEHOLDERS.get(start);
	if (placeholder && start.endsWith(':') === (argument !== '')) {
		return { name: start, argument, placeholder };
	}
	throw new Problem(
		`"Signed Content" has an unknown placeholder: ${text}`,
		`Use these: ${PLACEHOLDER_LIST}.`,
	);
}

/**
 * The fields of a form. Where the query is signed and has the digest of the body, as with JSON of Twilio, that
 * covers the body instead, whatever type the body is said to have.
 */
function fillFields({ call, body }: Source, _argument: string, { coversQuery }: Template): string {
	const digest = coversQuery ? parametersOf(call).get('bodySHA256') : null;
	if (digest === null) {
		return (
			formFields(call.headers, body) ??
			refuse('the body is no form, and no signed query parameter "bodySHA256" covers it')
		);
	}
	// A digest is no secret, so this need not take constant time.
	const isRight = digest.toLowerCase() === sha256(body).digest('hex');
	return isRight ? '' : refuse('the query parameter "bodySHA256" is that of another body');
}

function parametersOf({ originalUrl }: Call): URLSearchParams {
	return new URLSearchParams(queryOf(originalUrl));
}

function sortedQuery(call: Call): string {
	const parameters = parametersOf(call);
	parameters.sort();
	return parameters.toString();
}

function sha256(body: Uint8Array) {
	return createHash('sha256').update(body);
}
