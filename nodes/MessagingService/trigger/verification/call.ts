import { shorten } from '../../api/json';

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
	 * Returns a verifier for a secret, which is not empty.
	 *
	 * @throws {Problem} when no call at all could be verified with it.
	 */
	verifierOf(secret: string): Verifier;
	/** The header (in lower case) or the query parameter that carries the secret itself. */
	secretAt?: { part: 'headers' | 'query'; name: string };
	/** The headers that are signed, in lower case; undefined where calls are not signed. */
	signedHeaders?: readonly string[];
}

/**
 * Verifies a call with one secret. Comparisons take constant time.
 *
 * @param now milliseconds since 1970
 * @throws {Refusal} when the call may not pass.
 */
export type Verifier = (call: IncomingCall, now: number) => void;

/** Ends the handling of a call that is refused. The message says why, without any secret. */
export class Refusal extends Error {
	override name = 'Refusal';
	/** The status of the response. */
	readonly status: number;

	constructor(message: string, status = 401) {
		super(message);
		this.status = status;
	}
}

/** Refuses the call that is being verified. */
export function refuse(reason: string): never {
	throw new Refusal(reason);
}

/** The value of the first of these headers that is not empty. Refuses a call that has none of them. */
export function findHeader(headers: IncomingCall['headers'], names: readonly string[]): string {
	for (const name of names) {
		const value = headers[name.toLowerCase()];
		if (typeof value === 'string' && value !== '') return value;
	}
	const empty = names.find((name) => headers[name.toLowerCase()] === '');
	if (empty !== undefined) refuse(`the header "${empty}" is empty`);
	return refuse(`no header "${names[0]}"; other headers that came: ${listHeaders(headers)}`);
}

/** Headers that nearly every call has. They would only distract from the others. */
const USUAL =
	/^(?:accept.*|connection|content-(?:length|type)|host|sec-.*|user-agent|x-forwarded-.*)$/i;
const MAX_LIST_LENGTH = 1_000;

/** The names of the headers that came, without the usual ones. Their values are not shown: some of them are secret. */
export function listHeaders(headers: IncomingCall['headers']): string {
	const names = Object.keys(headers).filter((name) => !USUAL.test(name));
	return shorten(names.sort().join(', '), MAX_LIST_LENGTH) || 'only the usual ones';
}
