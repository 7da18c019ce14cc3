import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../api/account';
import {
	IncompleteList,
	type ListGap,
	type ListProblem,
	type ListQuery,
	type ListResult,
} from '../api/list';
import { PAGE_SIZE } from '../api/pages';
import { readList } from '../api/readList';
import { Problem } from '../problem';
import type { Item, Run } from './operation';

/** Words about a list for the user. */
export interface ListWords {
	/** What the items are called, in the plural. */
	items: string;
	/** What to do when the service ignored the page number. */
	ignoredPage: string;
	/** What to do when the service ignored a filter. */
	ignoredFilter?: string;
	/** What to do when the list keeps moving. */
	moving?: string;
}

/** The words about a list whose parameters have the custom names of the credential. */
export function listWords(items: string, { names }: Account): ListWords {
	const ignoredPage = `The service may not know the parameter "${names.pageParameter}": in the credential, turn on "Override API Names" and set "Page Parameter".`;
	return { items, ignoredPage };
}

/** A list as an item gets it. */
export interface ItemList {
	items: IDataObject[];
	/** What is certainly missing, if anything. */
	gap?: ListGap;
}

/**
 * Reads a list for an item of the node.
 *
 * @param toOutput makes of each entry what comes out
 * @throws {IncompleteList} when something is missing, with what was read.
 */
export async function getList(
	run: Run,
	{ client }: Item,
	query: ListQuery,
	words: ListWords,
	toOutput?: (entry: IDataObject) => IDataObject,
): Promise<IDataObject[]> {
	return listOutput(reportList(run, query, await readList(client, query), words), toOutput);
}

/**
 * What comes out of a list.
 *
 * @throws {IncompleteList} when something is missing, with what was read.
 */
export function listOutput(
	{ items, gap }: ItemList,
	toOutput = (entry: IDataObject) => entry,
): IDataObject[] {
	const output = items.map((entry) => toOutput(entry));
	if (gap) throw new IncompleteList(output, gap);
	return output;
}

/** Notes what the user should know of a list that was read. */
export function reportList(
	{ notices }: Run,
	{ limit }: Pick<ListQuery, 'limit'>,
	list: ListResult,
	words: ListWords,
): ItemList {
	const { items, read, unmatched } = list;
	const result = items.length >= limit ? withoutEnd(list) : list;
	const gap = gapOf(result, words);
	if (gap) return { items, gap };
	if (unmatched > 0) {
		const removed = `The service returned ${words.items} that do not match the filters, so this node removed them.`;
		notices.add([removed, words.ignoredFilter].filter(Boolean).join(' '));
	}
	if (items.length === 0) notices.add(`The service returned no ${words.items} that match.`, 'info');
	for (const problem of result.problems) {
		// A short list may well be all there is, of a service that knows no pages.
		const isLikelyWhole = problem.kind === 'mayRepeat' && read < PAGE_SIZE;
		notices.add(explainProblem(problem, words), isLikelyWhole ? 'info' : 'warning');
	}
	return { items };
}

/** A list for an item that has enough of it: how it ends is of no interest then. */
function withoutEnd({ problems, ...list }: ListResult): ListResult {
	const before = problems.filter(({ kind }) => kind === 'moved' || kind === 'emptyPages');
	return { ...list, gap: undefined, problems: before };
}

/** Problems with which items are certainly missing. With the others, they may be. */
const FAILURES: ReadonlySet<ListProblem['kind']> = new Set(['tooLong', 'repeats', 'emptyPages']);

/** What is certainly missing of a list. */
function gapOf({ gap, problems }: ListResult, words: ListWords): ListGap | undefined {
	const problem = problems.find(({ kind }) => FAILURES.has(kind));
	if (gap || !problem) return gap;
	const message = `The list of ${words.items} is not complete`;
	return { cause: new Problem(message, explainProblem(problem, words)) };
}

/** @throws {IncompleteList} when something is certainly missing of a list that was read. */
export function assertComplete(list: ListResult, words: ListWords): void {
	const gap = gapOf(list, words);
	if (gap) throw new IncompleteList([], gap);
}

function explainProblem(problem: ListProblem, { items, ignoredPage, moving }: ListWords): string {
	switch (problem.kind) {
		case 'tooLong':
			return `The list goes on and on, so reading it was given up. Narrow down which ${items} are read, or ask the service whether its list is in order.`;
		case 'repeats':
			return `The service returned the same page again and again, so ${problem.missing} of its ${items} are missing. ${ignoredPage}`;
		case 'mayRepeat':
			return `The service returned the same page of ${items} twice. If you expect more: ${ignoredPage}`;
		case 'short':
			return `The service reported ${problem.missing} more ${items} than it returned, although all of its pages were read.`;
		case 'emptyPages':
			return `The service returned no ${items} on page ${problem.numbers.join(', ')}, although the list goes on after it. Run the node again; if it keeps happening, contact the service's support.`;
		case 'moved':
			return `The list of ${items} changed each time while it was read, so some may be missing. ${moving ?? 'Run the node again at a quieter time.'}`;
	}
}
