import { quote, shorten } from '../../api/text';
import { Problem } from '../../words/problem';
import type { Field } from '../../panel/field';
import type { PanelValues } from '../../panel/values';

/** The parts of a call that a verification looks at. */
export interface IncomingCall {
	/** Names in lower case, as Node.js gives them. */
	headers: Readonly<Record<string, string | string[] | undefined>>;
	/** The parameters of the address, parsed. */
	query: unknown;
	/** The body as it came; undefined when it is not known. */
	rawBody?: Uint8Array;
}

/** How a call proves that it comes from the service. Independent of n8n and of the system clock. */
export interface Verification {
	/**
	 * Makes a verifier for a secret, which is not empty.
	 *
	 * @throws {Problem} when no call at all could be verified with it.
	 */
	createVerifier(secret: string): Verifier;
	/** Whether calls carry the secret itself, at the end of the address. */
	hasSecretInQuery?: boolean;
	/**
	 * The standard names of the headers that are signed beside the body; undefined where calls are not signed. A signature proves
	 * nothing about the other headers, such as the content type, nor about the query.
	 */
	signedHeaders?: readonly string[];
}

/**
 * Verifies a call with one secret, in constant time.
 *
 * @param now milliseconds since 1970
 * @returns Why the call may not pass, without any secret; undefined when it may.
 */
export type Verifier = (call: IncomingCall, now: number) => string | undefined;

/**
 * Reads a field of the panel that names a header; empty when its default is.
 *
 * @throws {Problem} when no header can have that name: the trigger would refuse every call.
 */
export function readHeaderName(values: PanelValues, field: Field): string {
	const name = values.text(field);
	if (name !== '') requireHeaderName(name, field.displayName);
	return name;
}

/** Checks that a header can have a name, for example that it has no colon at its end. */
export function requireHeaderName(name: string, label: string): void {
	if (HEADER_NAME.test(name)) return;
	throw new Problem(
		`"${label}" has something that is no valid header name: ${quote(name)}`,
		'Enter the name alone, such as X-Signature.',
	);
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * The value of a header; empty when a call does not have it. Older senders of Standard Webhooks write "svix-id" for
 * "webhook-id", and so on. Where a call has both, "webhook-id" counts, since that is signed.
 */
export function headerOf(headers: IncomingCall['headers'], name: string): string {
	const key = toStandardName(name);
	const value = headers[key] || headers[key.replace(/^webhook-/, 'svix-')];
	return typeof value === 'string' ? value : '';
}

/** The name of a header in lower case, and as Standard Webhooks has it. */
export function toStandardName(name: string): string {
	return name.toLowerCase().replace(/^svix-/, 'webhook-');
}

/** Headers that nearly every call has. They would only distract from the others. */
const USUAL =
	/^(?:accept.*|connection|content-(?:length|type)|host|sec-.*|user-agent|x-forwarded-.*)$/i;
const MAX_LIST_LENGTH = 1_000;

/** Says which headers came, by their names. Their values are not shown: some of them are secret. */
export function describeOthers(headers: IncomingCall['headers']): string {
	const names = Object.keys(headers)
		.filter((name) => !USUAL.test(name))
		.map((name) => (headers[name] === '' ? `${name} (empty)` : name));
	const list = shorten(names.sort().join(', '), MAX_LIST_LENGTH) || 'only the usual ones';
	return `other headers received: ${list}`;
}
