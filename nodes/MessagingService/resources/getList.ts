import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../api/account';
import { IncompleteList, type ListProblem, type ListQuery, type ListResult } from '../api/list';
import { PAGE_SIZE } from '../api/pages';
import { readList } from '../api/readList';
import { Problem } from '../nodeError';
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
	{ notices }: Pick<Run, 'notices'>,
	{ limit }: Pick<ListQuery, 'limit'>,
	result: ListResult,
	words: ListWords,
): IDataObject[] {
	assertComplete(result, words, result.items);
	const { items, read, unmatched, problems } = result;
	if (unmatched > 0) {
		const removed = `The service returned ${words.items} that do not match the filters, so this node removed them.`;
		notices.add([removed, words.ignoredFilter].filter(Boolean).join(' '));
	}
	if (items.length === 0) notices.add(`The service returned no ${words.items} that match.`, 'info');
	for (const problem of problems) {
		const { notice } = judge(problem, words);
		// How the list ends is of no interest to an item that has enough of it.
		if (notice === undefined || (problem.kind !== 'moved' && items.length >= limit)) continue;
		// A short list that repeats may well be all there is, of a service that knows no pages.
		const isLikelyWhole = problem.kind === 'repeats' && read < PAGE_SIZE;
		notices.add(notice, isLikelyWhole ? 'info' : 'warning');
	}
	return items;
}

/**
 * Checks that nothing is certainly missing.
 *
 * @param items come out beside the error
 * @throws {IncompleteList} when something is missing.
 */
export function assertComplete(
	{ problems }: ListResult,
	words: ListWords,
	items: IDataObject[] = [],
): void {
	for (const problem of problems) {
		const { failure } = judge(problem, words);
		if (failure) throw new IncompleteList(items, failure);
	}
}

/** What a problem means: a failure where entries are certainly missing, a notice where they may be. */
interface Verdict {
	failure?: Pick<IncompleteList, 'cause' | 'pages'>;
	notice?: string;
}

function judge(problem: ListProblem, { items, ignoredPage, moving }: ListWords): Verdict {
	const incomplete = (why: string): Verdict => ({
		failure: { cause: new Problem(`The list of ${items} is not complete`, why) },
	});
	switch (problem.kind) {
		case 'unread':
			return { failure: problem };
		case 'tooLong':
			return incomplete(
				`The list goes on and on, so reading it was given up. Narrow down which ${items} are read, or ask the service whether its list is in order.`,
			);
		case 'emptyPages':
			return incomplete(
				`The service returned no ${items} on page ${problem.numbers.join(', ')}, although the list goes on after it. Run the node again; if it keeps happening, contact the service's support.`,
			);
		case 'repeats':
			if (problem.missing !== undefined) {
				return incomplete(
					`The service returned the same page again and again, so ${problem.missing} of its ${items} are missing. ${ignoredPage}`,
				);
			}
			return {
				notice: `The service returned the same page of ${items} twice. If you expect more: ${ignoredPage}`,
			};
		case 'short':
			return {
				notice: `The service reported ${problem.missing} more ${items} than it returned, although all of its pages were read.`,
			};
		case 'moved':
			return {
				notice: `The list of ${items} changed each time while it was read, so some may be missing. ${moving ?? 'Run the node again at a quieter time.'}`,
			};
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
		throw error instanceof IncompleteList ? error.map(change) : error;
	}
}
