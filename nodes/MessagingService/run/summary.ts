import { isInDoubt, isOpen, type Result } from './journal';
import { formatRanges } from './ranges';

/** Whoever starts the workflow again instead does what is done a second time. */
const HOW_TO_GO_ON =
	'To go on without repeating the items done, click "Retry" at this execution in the list of executions. To pass over what fails, first set "On Error" to "Continue (using error output)" and save, and then retry with the currently saved workflow.';

/**
 * What became of each item of a run that failed and has written, for its error; and how to go on, where a retry of the
 * execution knows what is done.
 */
export function summarize(
	results: ReadonlyArray<Result | undefined>,
	{ isRetryable }: { isRetryable: boolean },
): string {
	const indexesOf = (matches: (result: Result | undefined) => boolean) =>
		formatRanges([...results.keys()].filter((index) => matches(results[index])));
	const parts = [`Items done: ${indexesOf(isDone)}.`, `Failed: ${indexesOf(isFailed)}.`];
	// Whoever mends the first failure and runs again must know of others that may have been accepted.
	if (results.some(isDoubtful)) {
		parts.push(
			`In doubt: ${indexesOf(isDoubtful)}. The service may have acted on these, so check there before you repeat them.`,
		);
	}
	parts.push(`Not sent: ${indexesOf((result) => result === undefined || isShown(result))}.`);
	if (isRetryable && results.some(isDone)) parts.push(HOW_TO_GO_ON);
	return parts.join(' ');
}

function isDone(result?: Result): boolean {
	return result !== undefined && 'output' in result && !isOpen(result.output);
}

function isFailed(result?: Result): boolean {
	return result !== undefined && 'error' in result;
}

function isDoubtful(result?: Result): boolean {
	if (result === undefined) return false;
	return isInDoubt(result) || ('output' in result && isOpen(result.output) && !isShown(result));
}

/** Whether an item was only shown, by a dry run. */
function isShown(result: Result): boolean {
	return 'output' in result && !Array.isArray(result.output) && result.output.dryRun === true;
}
