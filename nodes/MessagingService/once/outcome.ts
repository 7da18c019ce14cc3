import { type FailedOutcome, RequestFailure } from '../api/request';
import { Problem } from '../words/problem';

/** The outcome of a write in an earlier try is unknown. */
export class UnknownOutcome extends Problem {
	/** @param reason why it is unknown: the failure of the earlier try */
	constructor(reason: string) {
		super(
			'An earlier try may have been accepted, so this item was not sent again',
			`The earlier try failed with: ${reason}. Check the service. If it did not process the item, run the workflow again with only such items. For Agent: Start, you can also set "Send Again" to "Unknown" and retry the execution with the currently saved workflow, which sends all unknown items again.`,
		);
	}
}

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
