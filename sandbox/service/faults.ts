import type { AnyOperationId } from './contract.ts';

/**
 * What goes wrong. The comments say whether the request was processed: a webhook call that was
 * counts as accepted although the client cannot know.
 */
export type FaultKind =
	/** The connection breaks before the request is read. Not processed. */
	| { kind: 'dropBefore' }
	/** The connection breaks instead of the answer. Processed. */
	| { kind: 'dropAfter' }
	/** The connection breaks in the middle of the answer's body. Processed. */
	| { kind: 'dropMidBody' }
	/** A failure with this status. Not processed unless said so. */
	| { kind: 'status'; status: number; processed?: boolean }
	/** A 429 with the `Retry-After` form of the rate limit settings. Not processed. */
	| { kind: 'tooManyRequests'; retryAfterMs?: number }
	/** A web page with status 200. Processed. */
	| { kind: 'html' }
	/** JSON that ends too early, with the right status. Processed. */
	| { kind: 'truncatedJson' }
	/** Status 200 and no body. Processed. */
	| { kind: 'emptyBody' }
	/** Valid JSON of another shape, `{ "items": [] }` unless given. Processed. */
	| { kind: 'wrongShape'; body?: unknown }
	/** No answer at all; the connection stays open. Not processed unless said so. */
	| { kind: 'neverAnswer'; processed?: boolean }
	/** A redirect to `location`. Not processed unless said so. */
	| {
			kind: 'redirect';
			location: string;
			status?: 301 | 302 | 303 | 307 | 308;
			processed?: boolean;
	  }
	/** The right answer, late. Processed. */
	| { kind: 'delay'; ms: number };

/** Which of the requests that reach the fault's operations it hits. Counted from 1. */
export type Requests = { first: number } | { from: number } | { exactly: number };

/** A fault and where it strikes: all operations and all requests when not said. */
export type Fault = FaultKind & { operations?: readonly AnyOperationId[]; requests?: Requests };

/** True when the stand-in does what the request asks for although the answer is spoilt. */
export function isProcessed(fault: FaultKind): boolean {
	switch (fault.kind) {
		case 'dropBefore':
		case 'tooManyRequests':
			return false;
		case 'status':
		case 'redirect':
		case 'neverAnswer':
			return fault.processed ?? false;
		default:
			return true;
	}
}

/** Decides for every request which fault strikes, if any. */
export interface FaultPlan {
	/** The first fault of the list that strikes. Every fault counts all requests it applies to. */
	next(operationId: AnyOperationId): Fault | undefined;
}

/** Builds a plan from the list of faults; its counts start at zero. */
export function planFaults(faults: readonly Fault[]): FaultPlan {
	const entries = faults.map((fault) => ({ fault, strikes: striker(fault.requests) }));
	return {
		next(operationId) {
			let hit: Fault | undefined;
			for (const { fault, strikes } of entries) {
				if (fault.operations && !fault.operations.includes(operationId)) continue;
				if (strikes()) hit ??= fault;
			}
			return hit;
		},
	};
}

function striker(requests: Requests | undefined): () => boolean {
	let count = 0;
	if (requests === undefined) return () => true;
	if ('first' in requests) return () => ++count <= requests.first;
	if ('from' in requests) return () => ++count >= requests.from;
	return () => ++count === requests.exactly;
}
