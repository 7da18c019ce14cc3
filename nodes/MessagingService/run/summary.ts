import { isInDoubt, type Result } from './journal';
import { formatRanges } from './ranges';

/** What became of each item of a run that failed and has written: for its error. */
export function summarize(results: ReadonlyArray<Result | undefined>): string {
	const indexesOf = (matches: (result: Result | undefined) => boolean) =>
		formatRanges([...results.keys()].filter((index) => matches(results[index])));
	const isFailed = (result?: Result) => result !== undefined && 'error' in result;
	const doubtful = (result?: Result) =>
		result !== undefined && 'error' in result && isInDoubt(result.error);
	const parts = [
		`Items done: ${indexesOf((result) => result !== undefined && 'output' in result)}.`,
		`Failed: ${indexesOf(isFailed)}.`,
	];
	// Whoever mends the first failure and runs again must know of others that may have been accepted.
	if (results.some(doubtful)) {
		parts.push(
			`In doubt: ${indexesOf(doubtful)}. The service may have acted on these, so look there before you repeat them.`,
		);
	}
	parts.push(`Not sent: ${indexesOf((result) => result === undefined)}.`);
	return parts.join(' ');
}
