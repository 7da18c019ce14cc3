import { type FailedOutcome, RequestFailure } from '../api/request';
import { Problem } from '../words/problem';

/** Says that a write was not made again, since nobody knows what became of it in an earlier try. */
export class UnknownOutcome extends Problem {}

/**
 * The outcome of a write that failed with an error. A Problem was found before anything was sent.
 *
 * @param otherwise the outcome after an error that does not come from this package
 */
export function outcomeOf(error: unknown, otherwise: FailedOutcome): FailedOutcome {
	if (error instanceof RequestFailure) return error.outcome;
	if (error instanceof UnknownOutcome) return 'unknown';
	return error instanceof Problem ? 'refused' : otherwise;
}
