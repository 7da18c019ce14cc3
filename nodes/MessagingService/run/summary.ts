import type { Result } from '../resources/operation';
import { formatRanges } from './ranges';

/** Whoever starts the workflow again instead sends what was accepted a second time. */
const HOW_TO_GO_ON =
	'To continue without repeating what was accepted, click "Retry" at this execution in the list of executions. To pass over what fails, first set "On Error" to "Continue (using error output)" and save, and then retry with the currently saved workflow.';
/** A retry runs the parent of a sub-workflow, and so the sub-workflow from its beginning. */
const NOT_RETRYABLE =
	'A retry of the parent workflow repeats what was accepted; agents are not started again where "Send Once" is on.';
const ABOUT_UNKNOWN =
	'The service may have acted on what is unknown, so check there before you repeat it.';

/** What became of the items of a run, in the order in which it is told. */
const OUTCOMES = ['accepted', 'skipped', 'refused', 'unknown', 'uncertain', 'not sent'] as const;

/**
 * What became of each item of a run that failed and has written, for its error; and how to go on, where a retry of the
 * execution knows what was accepted.
 */
export function summarize(
	results: ReadonlyArray<Result | undefined>,
	{ isRetryable }: { isRetryable: boolean },
): string {
	const outcomes = Array.from(results, (result) => result?.outcome ?? 'not sent');
	const parts = OUTCOMES.flatMap((outcome) => {
		const indexes = [...outcomes.keys()].filter((index) => outcomes[index] === outcome);
		return indexes.length > 0 ? [`${indexes.length} ${outcome} (${formatRanges(indexes)})`] : [];
	});
	const advice = [
		// Whoever mends the first failure and runs again must know of others that may have been accepted.
		...(outcomes.includes('unknown') || outcomes.includes('uncertain') ? [ABOUT_UNKNOWN] : []),
		...(outcomes.includes('accepted') ? [isRetryable ? HOW_TO_GO_ON : NOT_RETRYABLE] : []),
	];
	return [`Items: ${parts.join(', ')}.`, ...advice].join(' ');
}
