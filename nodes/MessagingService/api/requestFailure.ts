import type { Answer } from './answer';
import type { Outcome } from './outcome';
import type { ApiRequest } from './request';

/** A request that was given up, and where it went. */
export interface FailedRequest extends ApiRequest {
	/** Scheme, host and port of the service. */
	origin: string;
	/** Milliseconds that the service had to answer. */
	timeout: number;
}

/** A request that did not succeed: what came back, and what became of it. */
export class RequestFailure extends Error {
	override name = 'RequestFailure';
	readonly request: FailedRequest;
	/** The last answer, without secrets. */
	readonly answer: Answer;
	/** Of all tries: `unknown` as soon as one of them was. */
	readonly outcome: Exclude<Outcome, 'accepted'>;

	constructor(request: FailedRequest, answer: Answer, outcome: RequestFailure['outcome']) {
		const what = answer.kind === 'failure' ? answer.reason : `status ${answer.status}`;
		super(`${request.method} ${request.path} failed: ${what}`);
		this.request = request;
		this.answer = answer;
		this.outcome = outcome;
	}

	get status(): number | undefined {
		return this.answer.kind === 'failure' ? undefined : this.answer.status;
	}
}
