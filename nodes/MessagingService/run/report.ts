import type { IExecuteFunctions } from 'n8n-workflow';
import { RequestFailure } from '../api/request';
import type { Redactor } from '../api/secrets';
import type { Journal } from '../once/journal';
import type { ItemOutcome, Notices } from '../operations/operation';
import type { ItemFailure, Result, Results } from './items';

interface Notice {
	type: 'info' | 'warning';
	/** The first item that it is about, where it has to be named. */
	first?: number;
	count: number;
}

/** Gathers the notices of a run. n8n shows them on the finished node. */
export class RunNotices implements Notices {
	private readonly notices = new Map<string, Notice>();

	add(words: string, type: Notice['type'] = 'warning', itemIndex?: number): void {
		const { count = 0, first = itemIndex } = this.notices.get(words) ?? {};
		this.notices.set(words, { type, first, count: count + 1 });
	}

	/**
	 * Hands the notices to n8n, without secrets.
	 *
	 * @param sum what became of the items of a run that did not fail
	 */
	show(context: IExecuteFunctions, redactor: Redactor, sum?: string): void {
		if (sum) context.addExecutionHints({ message: sum, type: 'info', location: 'outputPane' });
		for (const [words, { type, first, count }] of this.notices) {
			const item = first === undefined ? '' : `Item ${first}: `;
			const items = count > 1 ? ` (${count} items)` : '';
			const message = item + redactor.hide(words) + items;
			context.addExecutionHints({ message, type, location: 'outputPane' });
		}
	}
}

/**
 * Without this advice, users may start the workflow anew, which sends accepted items a second time. A retry alone cannot
 * mend a row, since n8n does not read it again.
 */
export const TO_SEND_THE_REST =
	'To send the rest, do not run the workflow again unless "Send Once" was on and skips what was accepted: save what you correct (not "Phone"), and under "Executions" retry this execution "with currently saved workflow". It has the same rows: if one is wrong or unknown, first set "On Error" to "Continue (using error output)", and send the corrected row by itself. If n8n has not saved the execution, run the workflow with only what was refused or not sent.';
/** A retry would read the same values again. */
const TO_SEND_WRONG_ROWS =
	'To send what was refused, do not run the workflow again with all rows unless "Send Once" was on and skips what was accepted: correct these, and run it with them alone.';
const TO_SEND_THE_OTHERS =
	'Nothing was sent. To send all but what fails, set "On Error" to "Continue (using error output)", and run the workflow again.';
/**
 * A retry of the parent runs a sub-workflow from the beginning. Other executions of the sub-workflow may have sent for the
 * same parent.
 */
const OF_SUB_WORKFLOW =
	'A retry of this execution of the sub-workflow repeats nothing that was accepted. A retry of the parent workflow does, unless "Send Once" is on.';
const ABOUT_UNKNOWN =
	'The service may have acted on what is unknown, so check there before you repeat it.';

/** What became of an item, in words. */
type Word = ItemOutcome | 'not sent';

/** In the order in which they are listed. */
const WORDS: readonly Word[] = ['accepted', 'skipped', 'preview', 'refused', 'unknown', 'not sent'];

/** What earlier tries and earlier runs of the node in the execution did, such as rounds of a loop. */
type Earlier = Pick<Journal, 'accepted' | 'mayHaveSent' | 'mayHaveSentUnread'>;

/** How many items of a run were accepted. */
export function acceptedIn(results: Results): number {
	return byWord(results).get('accepted')?.length ?? 0;
}

/**
 * Counts what became of the items of a run that writes, such as "450 accepted, 250 skipped."; empty for a single item, and
 * where nothing was sent, now or before.
 */
export function sumUp(results: Results): string {
	const items = byWord(results);
	const hasSent = items.has('accepted') || items.has('skipped') || items.has('unknown');
	if (results.length === 1 || !hasSent) return '';
	return `${[...items].map(([word, { length }]) => `${length} ${word}`).join(', ')}.`;
}

/**
 * Summarizes, for the error of a run that writes, what became of its items, and says how to go on. Empty for the only
 * item of an execution, if a retry knows what became of it.
 *
 * @param isRetryable whether a retry of the whole execution knows what was accepted
 */
export function summarize(results: Results, isRetryable: boolean, earlier: Earlier): string {
	if (results.length === 1 && earlier.accepted === 0 && isRetryable) return '';
	const items = byWord(results, earlier.mayHaveSentUnread ? 'unknown' : 'not sent');
	const parts = [...items].map(([word, indexes]) => {
		// Only those who failed are named, since somebody has to look at them.
		const phones = indexes.flatMap((index) => failureOf(results[index])?.recipient ?? []);
		const whom = phones.length > 0 ? `: ${listOf(phones)}` : '';
		return `${indexes.length} ${word} (${formatRanges(indexes)}${whom})`;
	});
	return [
		`Items (the first is 0): ${parts.join(', ')}.`,
		earlier.accepted > 0 && `Earlier in this execution, ${earlier.accepted} were accepted.`,
		// Whoever corrects the first failure and runs again must know about others that may have been accepted.
		items.has('unknown') && ABOUT_UNKNOWN,
		isRetryable ? wayOn(results, items, earlier) : OF_SUB_WORKFLOW,
	]
		.filter(Boolean)
		.join(' ');
}

/** How to send what was not accepted, so that nothing happens twice; undefined where nobody can say. */
function wayOn(
	results: Results,
	items: ReadonlyMap<Word, number[]>,
	{ accepted, mayHaveSent }: Earlier,
): string | undefined {
	const isOpen = results.includes(undefined);
	if (items.has('accepted') || mayHaveSent) {
		// In a loop, later rounds have not begun.
		const maySendMore = isOpen || accepted > 0 || items.has('unknown');
		if (maySendMore || results.some(isRefusedRequest)) return TO_SEND_THE_REST;
		return items.has('refused') ? TO_SEND_WRONG_ROWS : undefined;
	}
	return isOpen && !items.has('unknown') ? TO_SEND_THE_OTHERS : undefined;
}

/**
 * The indexes of the items, by what became of them.
 *
 * @param unhandled the word for items whose turn did not come
 */
function byWord(results: Results, unhandled: Word = 'not sent'): ReadonlyMap<Word, number[]> {
	const words = Array.from(results, (result) => (result ? wordFor(result) : unhandled));
	const indexesOf = (word: Word) => [...words.keys()].filter((index) => words[index] === word);
	return new Map(
		WORDS.map((word) => [word, indexesOf(word)] as const).filter(([, { length }]) => length > 0),
	);
}

/** The word for an item. An output without an outcome is that of an accepted item. */
function wordFor(result: Result): Word {
	if ('error' in result) return result.outcome ?? 'refused';
	const { outcome } = Array.isArray(result.output) ? {} : result.output;
	return WORDS.find((word) => word === outcome) ?? 'accepted';
}

function failureOf(result: Result | undefined): ItemFailure | undefined {
	return result && 'error' in result ? result : undefined;
}

/** Whether the service refused an item, or did not get it, so that it may well accept it later. */
function isRefusedRequest(result: Result | undefined): boolean {
	const failure = failureOf(result);
	return failure?.outcome === 'refused' && failure.error instanceof RequestFailure;
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
	const more = entries.length > MAX_ENTRIES ? ', …' : '';
	return entries.slice(0, MAX_ENTRIES).join(', ') + more;
}
