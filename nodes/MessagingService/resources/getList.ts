import type { IDataObject } from 'n8n-workflow';
import {
	IncompleteList,
	type ListGap,
	type ListProblem,
	type ListQuery,
	type ListResult,
} from '../api/list';
import { PAGE_SIZE } from '../api/pages';
import { readList } from '../api/readList';
import { Problem } from '../n8n/problem';
import { explainProblem, type ListWords } from './listWords';
import type { Item, Run } from './operation';

/** A list as it is returned for an item. */
export interface ItemList {
	items: IDataObject[];
	/** What is certainly missing, if anything. */
	gap?: ListGap;
}

/**
 * Reads a list for an item of the node.
 *
 * @param toOutput converts each entry to its output
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
 * Converts the entries of a list to output.
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

/** Adds notices about what the user should know of a list. */
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
		// A service without pages gives the same list for each page number, so a short list is probably complete.
		const isLikelyWhole = problem.kind === 'mayRepeat' && read < PAGE_SIZE;
		notices.add(explainProblem(problem, words), isLikelyWhole ? 'info' : 'warning');
	}
	return { items };
}

/** Drops problems with the end of a list, which do not matter to an item that has reached its limit. */
function withoutEnd({ problems, ...list }: ListResult): ListResult {
	const before = problems.filter(({ kind }) => kind === 'moved' || kind === 'emptyPages');
	return { ...list, gap: undefined, problems: before };
}

/** Problems that mean that items are certainly missing. The others mean that some may be. */
const FAILURES: ReadonlySet<ListProblem['kind']> = new Set(['tooLong', 'repeats', 'emptyPages']);

/** The part of a list that is certainly missing; undefined if none is. */
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
