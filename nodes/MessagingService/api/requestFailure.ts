import type { Outcome } from './outcome';
import type { ApiRequest } from './request';
import { mayHaveAccepted } from './retry';
import type { Redactor } from './secrets';

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
	/** Whether the service may have acted on the request all the same, at the last try or at an earlier one. */
	readonly mayHaveBeenAccepted: boolean;
	// Private to the language, so that no serialization shows them.
	readonly #redactor: Redactor;

	/**
	 * @param redactor knows what no text about the failure may show
	 * @param isInDoubt whether an earlier try may have been accepted
	 */
	constructor(request: FailedRequest, outcome: Outcome, redactor: Redactor, isInDoubt = false) {
		const what = outcome.kind === 'failure' ? outcome.reason : `status ${outcome.status}`;
		super(`${request.method} ${request.path} failed: ${what}`);
		this.request = request;
		this.outcome = outcome;
		this.mayHaveBeenAccepted = isInDoubt || mayHaveAccepted(request.method, outcome);
		this.#redactor = redactor;
	}

	get status(): number | undefined {
		return this.outcome.kind === 'failure' ? undefined : this.outcome.status;
	}

	get redactor(): Redactor {
		return this.#redactor;
	}
}

/** Whether a failure leaves open if the service has acted. */
export function mayHaveBeenAccepted(failure: unknown): boolean {
	return failure instanceof RequestFailure && failure.mayHaveBeenAccepted;
}
