import type { Outcome } from './outcome';
import type { ApiRequest } from './request';
import { mayHaveAccepted } from './retry';
import { redact } from './secrets';

/** A request that was given up, and where it went. */
export interface FailedRequest extends ApiRequest {
	/** Scheme, host and port of the service. */
	origin: string;
	/** Milliseconds that the service had to answer. */
	timeout: number;
}

/** The one error of this layer: a request that did not succeed, and what came of it. */
export class RequestFailure extends Error {
	override name = 'RequestFailure';
	readonly request: FailedRequest;
	readonly outcome: Outcome;
	// Private to the language, so that no serialization shows them.
	readonly #secrets: readonly string[];

	constructor(request: FailedRequest, outcome: Outcome, secrets: readonly string[] = []) {
		const what = outcome.kind === 'failure' ? outcome.reason : `status ${outcome.status}`;
		super(`${request.method} ${request.path} failed: ${what}`);
		this.request = request;
		this.outcome = outcome;
		this.#secrets = [...secrets, ...(request.secrets ?? [])];
	}

	/** Whether the service may have acted on the request all the same. */
	get mayHaveBeenAccepted(): boolean {
		return mayHaveAccepted(this.request.method, this.outcome);
	}

	/** The status of the response, if one came. */
	get status(): number | undefined {
		return this.outcome.kind === 'failure' ? undefined : this.outcome.status;
	}

	/** Takes the secrets that went with the request out of a text. */
	redact(text: string): string {
		return redact(text, this.#secrets);
	}
}

/** Whether a failure leaves open if the service has acted. */
export function mayHaveBeenAccepted(failure: unknown): boolean {
	return failure instanceof RequestFailure && failure.mayHaveBeenAccepted;
}
