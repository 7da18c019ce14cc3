/** What of a call a verification looks at. */
export interface Call {
	method: string;
	/** Names in lower case, as Node.js gives them. */
	headers: Readonly<Record<string, string | string[] | undefined>>;
	/** The parameters of the address, parsed. */
	query: unknown;
	/** The path and the query as they came. */
	originalUrl: string;
	/** The body as it came; undefined when it is not known. */
	rawBody?: Uint8Array;
	/** The address of the trigger without its query; undefined when n8n does not know it. */
	address(): string | undefined;
}

/** How a call proves that it comes from the service. Nothing of it depends on n8n, nor on the real time. */
export interface Verification {
	/**
	 * Checks a secret, which is not empty.
	 *
	 * @throws {Problem} when no call at all could be verified with it.
	 */
	check?(secret: string): void;
	/**
	 * Verifies a call with any of the secrets. Comparisons take the same time wherever the difference is.
	 *
	 * @param secrets the current one first; there is one at least
	 * @param now milliseconds since 1970
	 * @throws {Refusal} when the call may not pass.
	 */
	verify(call: Call, secrets: readonly string[], now: number): void;
	/** The header (in lower case) or the parameter that is the secret itself. */
	secretAt?: { part: 'headers' | 'query'; name: string };
}

/** Ends the verification of a call that may not pass. The message says why, without any secret. */
export class Refusal extends Error {
	override name = 'Refusal';
}

/** Refuses the call that is being verified. */
export function refuse(reason: string): never {
	throw new Refusal(reason);
}
