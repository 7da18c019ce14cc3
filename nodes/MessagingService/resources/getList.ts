import type { IDataObject } from 'n8n-workflow';
import { IncompleteList, type ListQuery, type ListResult, readList } from '../api/list';
import { PAGE_SIZE } from '../api/pages';
import { Problem } from '../nodeError';
import type { Item, Run } from './operation';

/** The most pages of a list that are fetched at a time. */
export const PAGES_AT_ONCE = 64;

/** Words about a list for the user. */
export interface ListWords {
	/** What the items are called, in the plural. */
	items: string;
	/** What to do when the service ignored a filter; left out where there is none. */
	ignoredFilter?: string;
	/** What to do when the service ignored the page number. */
	ignoredPage: string;
	/** What to do when the list keeps moving. */
	moving?: string;
}

/**
 * Reads a list for an item of the node.
 *
 * @throws {IncompleteList} when something is missing, with the items that were read.
 */
export async function getList(
	run: Run,
	item: Item,
	query: Omit<ListQuery, 'concurrency'>,
	words: ListWords,
): Promise<IDataObject[]> {
	const result = await readList(item.client, { ...query, concurrency: PAGES_AT_ONCE });
	return reportList(run, query, result, words);
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
	assertWhole(result, words);
	const { items, read, unmatched, mayMissItems, unaccounted, repeats } = result;
	if (unmatched > 0) {
		notices.add(
			`The service returned ${words.items} that do not match the filters, so this node removed them. ${words.ignoredFilter ?? ''}`,
		);
	}
	if (mayMissItems) {
		notices.add(
			`The list of ${words.items} changed each time while it was read, so some may be missing. ${words.moving ?? 'Run the node again at a quieter time.'}`,
		);
	}
	if (items.length === 0) notices.add(`The service returned no ${words.items} that match.`, 'info');
	if (items.length >= limit) return items;
	if (unaccounted !== undefined && unaccounted > 0) {
		notices.add(
			`The service reported ${unaccounted} more ${words.items} than it returned, although all of its pages were read.`,
		);
	}
	if (repeats && unaccounted === undefined) {
		notices.add(
			`The service returned the same page of ${words.items} twice. If you expect more: ${words.ignoredPage}`,
			// A short list may well be all there is, of a service that knows no pages.
			read < PAGE_SIZE ? 'info' : 'warning',
		);
	}
	return items;
}

/** Whether a list certainly has all that the service has. */
export function isWhole({ mayMissItems, unaccounted, repeats }: ListResult): boolean {
	return !mayMissItems && (unaccounted === undefined ? !repeats : unaccounted === 0);
}

/**
 * Checks that everything came.
 *
 * @throws {IncompleteList} when something is missing, with the items that were read.
 */
export function assertWhole(
	{ items, missing, gaps, isEndless, repeats, unaccounted = 0 }: ListResult,
	words: Pick<ListWords, 'items' | 'ignoredPage'>,
): void {
	if (missing) throw new IncompleteList(items, missing);
	const reasons = [
		isEndless &&
			`The list goes on and on, so reading it was given up. Narrow down which ${words.items} are read, or ask the service whether its list is in order.`,
		repeats &&
			unaccounted > 0 &&
			`The service returned the same page again and again, so ${unaccounted} of its ${words.items} are missing. ${words.ignoredPage}`,
		gaps.length > 0 &&
			`The service returned no ${words.items} on page ${gaps.join(', ')}, although the list goes on after it. Run the node again; if it keeps happening, contact the service's support.`,
	];
	const why = reasons.find((reason) => typeof reason === 'string');
	if (why === undefined) return;
	const cause = new Problem(`The list of ${words.items} is not complete`, why);
	throw new IncompleteList(items, { cause });
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

/** What to do when a service seems to know the page number by another name. */
export function pageNameAdvice(pageParameter: string): string {
	return `The service may not know the parameter "${pageParameter}": in the credential, turn on "Override API Names" and set "Page Parameter".`;
}
