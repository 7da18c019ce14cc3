import { isInDoubt, isOpen, type Result } from './journal';
import { formatRanges } from './ranges';

/** What became of each item of a run that failed and has written: for its error. */
export function summarize(results: ReadonlyArray<Result | undefined>): string {
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
