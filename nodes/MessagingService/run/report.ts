import type { IExecuteFunctions } from 'n8n-workflow';
import type { Redactor } from '../api/secrets';
import type { Result, Results } from './items';

/** Gathers what the user should know about a run even if nothing failed. n8n shows it on the finished node. */
export class Notices {
	private readonly notices = new Map<string, { type: 'info' | 'warning'; count: number }>();

	/** Notes something about an item. The same words for several items become one notice. */
	add(words: string, type: 'info' | 'warning' = 'warning'): void {
		const { count = 0 } = this.notices.get(words) ?? {};
		this.notices.set(words, { type, count: count + 1 });
	}

	/** Hands the notices to n8n, without secrets. */
	show(context: IExecuteFunctions, redactor: Redactor): void {
		for (const [words, { type, count }] of this.notices) {
			const items = count > 1 ? ` (${count} items)` : '';
			const message = redactor.hide(words) + items;
			context.addExecutionHints({ message, type, location: 'outputPane' });
		}
	}
}

/** Without this advice, users may start the workflow anew, which sends accepted items a second time. */
export const TO_SEND_THE_REST =
	'To send the rest without repeating anything, do not run the workflow again. Correct what failed, or set "On Error" to "Continue", save, and under "Executions" retry this execution "with currently saved workflow".';
/** A sub-workflow has no retry of its own: a retry of its parent runs it from the beginning. */
const NOT_RETRYABLE =
	'A retry of the parent workflow repeats what was accepted; agents are not started again where "Send Once" is on.';
const ABOUT_UNKNOWN =
	'The service may have acted on what is unknown, so check there before you repeat it.';

/** The outcomes of items, in the order in which they are listed. */
const OUTCOMES = ['accepted', 'skipped', 'preview', 'refused', 'unknown', 'not sent'];

/** What is known about an execution besides the results of its current run. */
interface WholeExecution {
	/** Whether a retry of the execution knows what was accepted. */
	isRetryable: boolean;
	/** How many writes were accepted in earlier runs of the node, such as rounds of a loop. */
	acceptedBefore: number;
}

/** How many items of a run were accepted. */
export function acceptedIn(results: Results): number {
	return results.filter((result) => wordFor(result) === 'accepted').length;
}

/**
 * Summarizes, for the error of a run that writes, what became of its items, and says how to go on. Empty for the only
 * item of an execution, if a retry knows what became of it.
 */
export function summarize(
	results: Results,
	{ isRetryable, acceptedBefore }: WholeExecution,
): string {
	const isOnly = results.length === 1 && acceptedBefore === 0;
	if (isOnly && isRetryable) return '';
	const outcomes = Array.from(results, wordFor);
	const parts = OUTCOMES.flatMap((outcome) => {
		const indexes = [...outcomes.keys()].filter((index) => outcomes[index] === outcome);
		return indexes.length > 0 ? [`${indexes.length} ${outcome} (${formatRanges(indexes)})`] : [];
	});
	const has = (...wanted: string[]) => outcomes.some((outcome) => wanted.includes(outcome));
	const hasAccepted = has('accepted') || acceptedBefore > 0;
	const canContinue = isRetryable && hasAccepted && has('refused', 'not sent');
	return [
		`Items (the first is 0): ${parts.join(', ')}.`,
		...(acceptedBefore > 0 ? [`Earlier in this execution, ${acceptedBefore} were accepted.`] : []),
		// Whoever corrects the first failure and runs again must know about others that may have been accepted.
		...(has('unknown') ? [ABOUT_UNKNOWN] : []),
		...(canContinue ? [TO_SEND_THE_REST] : []),
		// Other executions of the sub-workflow may have sent for the same parent.
		...(isRetryable ? [] : [NOT_RETRYABLE]),
	].join(' ');
}

/** The outcome of an item in a word. An output without an outcome is that of an accepted item. */
function wordFor(result: Result | undefined): string {
	if (!result) return 'not sent';
	if ('error' in result) return result.outcome;
	const { outcome } = Array.isArray(result.output) ? {} : result.output;
	return typeof outcome === 'string' ? outcome : 'accepted';
}

/** The most ranges of items in a list. */
const MAX_RANGES = 20;

/** Writes ascending item numbers as a user reads them: "0-41, 43". */
function formatRanges(numbers: readonly number[]): string {
	const ranges: Array<[from: number, to: number]> = [];
	for (const number of numbers) {
		const last = ranges.at(-1);
		if (last && number === last[1] + 1) last[1] = number;
		else ranges.push([number, number]);
	}
	const shown = ranges.slice(0, MAX_RANGES);
	const words = shown.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
	return [...words, ...(ranges.length > MAX_RANGES ? ['…'] : [])].join(', ');
}
