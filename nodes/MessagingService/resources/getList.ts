import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../api/account';
import { IncompleteList, type ListProblem, type ListQuery, type ListResult } from '../api/list';
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

/**
 * Reads a list for an item of the node.
 *
 * @throws {IncompleteList} when something is missing, with the items that were read.
 */
export async function getList(
	run: Run,
	{ client }: Item,
	query: ListQuery,
	words: ListWords,
): Promise<IDataObject[]> {
	return reportList(run, query, await readList(client, query), words);
}

/**
 * Gives the items of a list, and notes what the user should know of it.
 *
 * @throws {IncompleteList} when something is missing, with the items that were read.
 */
export function reportList(
	{ notices }: Run,
	{ limit }: Pick<ListQuery, 'limit'>,
	list: ListResult,
	words: ListWords,
): IDataObject[] {
	const { items, read, unmatched } = list;
	const result = items.length >= limit ? withoutEnd(list) : list;
	assertComplete(result, words, items);
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
	return items;
}

/** A list for an item that has enough of it: how it ends is of no interest then. */
function withoutEnd({ problems, ...list }: ListResult): ListResult {
	const before = problems.filter(({ kind }) => kind === 'moved' || kind === 'emptyPages');
	return { ...list, unread: undefined, problems: before };
}

/** Problems with which items are certainly missing. With the others, they may be. */
const FAILURES: ReadonlySet<ListProblem['kind']> = new Set(['tooLong', 'repeats', 'emptyPages']);

/**
 * Checks that nothing is certainly missing.
 *
 * @param items come out beside the error
 * @throws {IncompleteList} when something is missing.
 */
export function assertComplete(
	{ unread, problems }: ListResult,
	words: ListWords,
	items: IDataObject[] = [],
): void {
	if (unread) throw new IncompleteList(items, unread);
	const problem = problems.find(({ kind }) => FAILURES.has(kind));
	if (!problem) return;
	const message = `The list of ${words.items} is not complete`;
	throw new IncompleteList(items, { cause: new Problem(message, explainProblem(problem, words)) });
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

/** Changes the items of a list that is being read, also when it turns out to be incomplete. */
export async function mapList(
	list: Promise<IDataObject[]>,
	change: (item: IDataObject) => IDataObject,
): Promise<IDataObject[]> {
	try {
		return (await list).map(change);
	} catch (error) {
		const isList = error instanceof IncompleteList;
		throw isList ? new IncompleteList(error.items.map(change), error) : error;
	}
}
