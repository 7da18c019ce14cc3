import { Problem } from '../../n8n/problem';
import { headerOf, type IncomingCall } from './call';
import { PLACEHOLDERS } from './signatureFields';

/** What a part of the signed content stands for. */
type Part =
	| { kind: 'body' }
	| { kind: 'timestamp' }
	| { kind: 'header'; name: string }
	| { kind: 'text'; text: string };

/** What a service signs, one part after the other. */
export type SignedContent = readonly Part[];

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
	const name = part === '{id}' ? 'webhook-id' : HEADER.exec(part)?.[1];
	if (name !== undefined) return { kind: 'header', name };
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

/** Whether the body follows the time with nothing between them. */
export function bodyTouchesTime(content: SignedContent): boolean {
	return content.some(
		({ kind }, index) => kind === 'timestamp' && content[index + 1]?.kind === 'body',
	);
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
		return Buffer.from(part.kind === 'header' ? headerOf(headers, part.name) : part.text);
	});
	return Buffer.concat(bytes);
}
