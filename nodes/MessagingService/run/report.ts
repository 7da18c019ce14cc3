import type { IExecuteFunctions } from 'n8n-workflow';
import type { Redactor } from '../api/secrets';
import type { Journal } from '../once/journal';
import type { Notices } from '../operations/operation';
import type { Result, Results } from './items';

/** Gathers the notices of a run. n8n shows them on the finished node. */
export class RunNotices implements Notices {
	private readonly notices = new Map<string, { type: 'info' | 'warning'; count: number }>();

	add(words: string, type: 'info' | 'warning' = 'warning'): void {
		const { count = 0 } = this.notices.get(words) ?? {};
		this.notices.set(words, { type, count: count + 1 });
	}

	/**
	 * Hands the notices to n8n, without secrets.
	 *
	 * @param sum what became of the items of a run that did not fail
	 */
	show(context: IExecuteFunctions, redactor: Redactor, sum?: string): void {
		if (sum) context.addExecutionHints({ message: sum, type: 'info', location: 'outputPane' });
		for (const [words, { type, count }] of this.notices) {
			const items = count > 1 ? ` (${count} items)` : '';
			const message = redactor.hide(words) + items;
			context.addExecutionHints({ message, type, location: 'outputPane' });
		}
	}
}

/**
 * Without this advice, users may start the workflow anew, which sends accepted items a second time. A retry alone cannot
 * mend a row, since n8n does not read it again.
 */
export const TO_SEND_THE_REST =
	'To send the rest without repeating anything, do not run the workflow again: save what you correct, and under "Executions" retry this execution "with currently saved workflow". The retry keeps the rows as they were read: if one is wrong, first set "On Error" to "Continue (using error output)", and send the corrected row by itself.';
const TO_SEND_THE_OTHERS =
	'Nothing was sent. To send all but what fails, set "On Error" to "Continue (using error output)", and run the workflow again.';
/** A sub-workflow has no retry of its own: a retry of its parent runs it from the beginning. */
const NOT_RETRYABLE =
	'A retry of the parent workflow repeats what was accepted, unless "Send Once" is on.';
const ABOUT_UNKNOWN =
	'The service may have acted on what is unknown, so check there before you repeat it.';

/** The outcomes of items, in the order in which they are listed. */
const OUTCOMES = ['accepted', 'skipped', 'preview', 'refused', 'unknown', 'not sent'];

/** The outcomes of what was sent, or may have been. */
const SENT = ['accepted', 'skipped', 'unknown'];
/** The outcomes whose contacts somebody has to look at. */
const TO_LOOK_AT = ['refused', 'unknown'];

/** What is known about an execution besides the results of its current run. */
interface WholeExecution {
	/** Whether a retry of the execution knows what was accepted. */
	isRetryable: boolean;
	/** What earlier tries and earlier runs of the node did, such as rounds of a loop. */
	journal: Pick<Journal, 'accepted' | 'mayHaveSent'>;
}

/** How many items of a run were accepted. */
export function acceptedIn(results: Results): number {
	return results.filter((result) => wordFor(result) === 'accepted').length;
}

/**
 * Counts what became of the items of a run that writes, such as "450 accepted, 250 skipped."; empty for a single item, and
 * where nothing was sent, now or before.
 */
export function sumUp(results: Results): string {
	const outcomes = byOutcome(results);
	const hasSent = outcomes.some(([outcome]) => SENT.includes(outcome));
	if (results.length === 1 || !hasSent) return '';
	return `${outcomes.map(([outcome, { length }]) => `${length} ${outcome}`).join(', ')}.`;
}

/**
 * Summarizes, for the error of a run that writes, what became of its items, and says how to go on. Empty for the only
 * item of an execution, if a retry knows what became of it.
 */
export function summarize(results: Results, { isRetryable, journal }: WholeExecution): string {
	const isOnly = results.length === 1 && journal.accepted === 0;
	if (isOnly && isRetryable) return '';
	const outcomes = byOutcome(results);
	const parts = outcomes.map(([outcome, indexes]) => {
		const named = TO_LOOK_AT.includes(outcome) ? indexes : [];
		const phones = named.flatMap((index) => recipientOf(results[index]) ?? []);
		const whom = phones.length > 0 ? `: ${listOf(phones)}` : '';
		return `${indexes.length} ${outcome} (${formatRanges(indexes)}${whom})`;
	});
	const has = (...wanted: string[]) => outcomes.some(([outcome]) => wanted.includes(outcome));
	const hasSent = has('accepted') || journal.mayHaveSent;
	const canContinue = isRetryable && hasSent && has('refused', 'not sent');
	const canBeginAnew = isRetryable && !hasSent && !has('unknown') && has('not sent');
	return [
		`Items (the first is 0): ${parts.join(', ')}.`,
		...(journal.accepted > 0
			? [`Earlier in this execution, ${journal.accepted} were accepted.`]
			: []),
		// Whoever corrects the first failure and runs again must know about others that may have been accepted.
		...(has('unknown') ? [ABOUT_UNKNOWN] : []),
		...(canContinue ? [TO_SEND_THE_REST] : []),
		...(canBeginAnew ? [TO_SEND_THE_OTHERS] : []),
		// Other executions of the sub-workflow may have sent for the same parent.
		...(isRetryable ? [] : [NOT_RETRYABLE]),
	].join(' ');
}

/** The indexes of the items, by what became of them. */
function byOutcome(results: Results): Array<[outcome: string, indexes: number[]]> {
	const outcomes = Array.from(results, wordFor);
	return OUTCOMES.map((outcome): [string, number[]] => [
		outcome,
		[...outcomes.keys()].filter((index) => outcomes[index] === outcome),
	]).filter(([, indexes]) => indexes.length > 0);
}

/** The outcome of an item in a word. An output without an outcome is that of an accepted item. */
function wordFor(result: Result | undefined): string {
	if (!result) return 'not sent';
	if ('error' in result) return result.outcome;
	const { outcome } = Array.isArray(result.output) ? {} : result.output;
	return typeof outcome === 'string' ? outcome : 'accepted';
}

function recipientOf(result: Result | undefined): string | undefined {
	return result && 'error' in result ? result.recipient : undefined;
}

/** Writes ascending item numbers as a user reads them: "0-41, 43". */
function formatRanges(numbers: readonly number[]): string {
	const ranges: Array<[from: number, to: number]> = [];
	for (const number of numbers) {
		const last = ranges.at(-1);
		if (last && number === last[1] + 1) last[1] = number;
		else ranges.push([number, number]);
	}
	return listOf(ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)));
}

/** The most entries of a list in an error. */
const MAX_ENTRIES = 20;

function listOf(entries: readonly string[]): string {
	return [...entries.slice(0, MAX_ENTRIES), ...(entries.length > MAX_ENTRIES ? ['…'] : [])].join(
		', ',
	);
}
