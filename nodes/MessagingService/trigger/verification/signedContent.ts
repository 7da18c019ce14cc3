import { quote } from '../../api/text';
import { Problem } from '../../words/problem';
import { headerOf, type IncomingCall, requireHeaderName } from './call';

/** What a part of the signed content stands for. */
type Part =
	| { kind: 'body' }
	| { kind: 'timestamp' }
	| { kind: 'header'; name: string }
	| { kind: 'text'; text: string };

/** What a service signs, one part after the other. */
export type SignedContent = readonly Part[];

/** All placeholders of the signed content. */
export const PLACEHOLDERS = '{body}, {header:Name}, {id}, {timestamp}';

const PLACEHOLDER = /(\{[^{}]*\})/;
const HEADER = /^\{header:(.+)\}$/;

/**
 * Reads signed content, such as `{timestamp}.{body}`.
 *
 * @throws {Problem} for an unknown placeholder, or without the body.
 */
export function parseContent(template: string): SignedContent {
	const parts = template.split(PLACEHOLDER).filter(Boolean).map(parsePart);
	if (parts.some(({ kind }) => kind === 'body')) return parts;
	throw contentProblem('has to contain {body}');
}

function parsePart(part: string): Part {
	if (part === '{body}') return { kind: 'body' };
	if (part === '{timestamp}') return { kind: 'timestamp' };
	const name = part === '{id}' ? 'webhook-id' : HEADER.exec(part)?.[1].trim();
	if (name !== undefined) {
		requireHeaderName(name, 'Signed Content');
		return { kind: 'header', name };
	}
	if (PLACEHOLDER.test(part)) throw contentProblem(`has an unknown placeholder: ${part}`);
	return { kind: 'text', text: part.replaceAll('\\n', '\n') };
}

function contentProblem(fault: string): Problem {
	return new Problem(
		`"Signed Content" ${fault}`,
		`Use these placeholders: ${PLACEHOLDERS}. If your service does not sign the body, anybody could change it: choose another "Verification".`,
	);
}

/** Whether the time is part of the signed content. */
export function hasTime(content: SignedContent): boolean {
	return content.some(({ kind }) => kind === 'timestamp');
}

/** The names of the headers that are signed. */
export function headersIn(content: SignedContent): string[] {
	return content.flatMap((part) => (part.kind === 'header' ? part.name : []));
}

/** Builds the bytes that the service has signed. */
export function fillContent(
	content: SignedContent,
	headers: IncomingCall['headers'],
	body: Uint8Array,
	timestamp: string,
): Buffer {
	const bytes = content.map((part) => {
		if (part.kind === 'body') return body;
		if (part.kind === 'timestamp') return Buffer.from(timestamp);
		if (part.kind === 'text') return Buffer.from(part.text);
		// Node.js gives each byte of a header as one character.
		return Buffer.from(headerOf(headers, part.name), 'latin1');
	});
	return Buffer.concat(bytes);
}

/**
 * Why a call whose signature is right may still be a recorded one that was divided anew: the signature covers the signed
 * content as a whole, and not where one part of it ends.
 */
export function reasonToDistrust(
	content: SignedContent,
	headers: IncomingCall['headers'],
	body: Uint8Array,
): string | undefined {
	const dividers = content.flatMap((part) => (part.kind === 'text' ? part.text : []));
	for (const name of headersIn(content)) {
		const divider = dividers.find((text) => headerOf(headers, name).includes(text));
		if (divider !== undefined) {
			return `the header "${name}" contains ${quote(divider)}, which divides the parts of what is signed`;
		}
	}
	for (const [index, { kind }] of content.entries()) {
		if (kind !== 'timestamp') continue;
		const isBeside =
			(content[index + 1]?.kind === 'body' && isDigit(body.at(0))) ||
			(content[index - 1]?.kind === 'body' && isDigit(body.at(-1)));
		// Digits of milliseconds may have been moved into the body: what is left are seconds.
		if (isBeside) {
			return 'the body has a digit beside the time in "Signed Content", to which it may belong';
		}
	}
	return undefined;
}

function isDigit(byte: number | undefined): boolean {
	return byte !== undefined && /\d/.test(String.fromCharCode(byte));
}
