import { type FailedOutcome, RequestFailure } from '../api/request';
import { Problem } from '../words/problem';

/** Nobody knows what became of a write in an earlier try, so it was not made again. */
export class UnknownOutcome extends Problem {}

/**
 * The outcome of what failed: of a request, or of what was found wrong before anything was sent.
 *
 * @param otherwise the outcome of an error that does not come from this package: whether something was sent before it
 */
export function outcomeOf(error: unknown, otherwise: FailedOutcome): FailedOutcome {
	if (error instanceof RequestFailure) return error.outcome;
	if (error instanceof UnknownOutcome) return 'unknown';
	return error instanceof Problem ? 'refused' : otherwise;
}
