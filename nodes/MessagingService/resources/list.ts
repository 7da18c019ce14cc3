import type { IDataObject } from 'n8n-workflow';
import { IncompleteList, type ListQuery, type ListResult, readList } from '../api/list';
import { Problem } from '../nodeError';
import type { Item, Notices, Run } from './operation';

/** Words about a list for the user. */
export interface ListWords {
	/** What the items are called, in the plural. */
	items: string;
	/** What to do when the service ignored a filter. */
	ignoredFilter: string;
	/** What to do when the service ignored the page number. */
	ignoredPage: string;
}

/**
 * Reads a list for an item of the node.
 *
 * @throws {IncompleteList} when pages are missing, with the items that were read.
 */
export async function getList(
	{ notices, concurrency }: Run,
	{ client }: Item,
	query: Omit<ListQuery, 'concurrency'>,
	words: ListWords,
): Promise<IDataObject[]> {
	const result = await readList(client, { ...query, concurrency });
	if (result.missing) throw new IncompleteList(result.items, result.missing);
	const { unaccounted = 0 } = result;
	if (result.repeats && unaccounted > 0) {
		const cause = new Problem(
			`The list of ${words.items} is not complete`,
			`The service gave the same page again and again, with ${unaccounted} of its ${words.items} missing. ${words.ignoredPage}`,
		);
		throw new IncompleteList(result.items, { cause });
	}
	remark(notices, query, result, words);
	return result.items;
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

function remark(
	notices: Notices,
	{ limit }: Pick<ListQuery, 'limit'>,
	{ items, foreign, unaccounted, repeats }: ListResult,
	words: ListWords,
): void {
	if (foreign > 0) {
		notices.add(
			`The service gave ${words.items} that the filters exclude; they were taken out here. ${words.ignoredFilter}`,
		);
	}
	if (items.length === 0) notices.add(`The account has no ${words.items} that match.`, 'info');
	if (items.length >= limit) return;
	if (unaccounted !== undefined && unaccounted > 0) {
		notices.add(
			`The service announced ${unaccounted} more ${words.items} than it gave, although all of its pages were read.`,
		);
	}
	if (repeats && unaccounted === undefined) {
		notices.add(
			`The service gave the same page of ${words.items} again. If there should be more: ${words.ignoredPage}`,
		);
	}
}

/** What to do when a service seems to know the page number by another name. */
export function pageNameAdvice(pageParameter: string): string {
	return `The service may not know the parameter "${pageParameter}": in the credential, turn on "Custom Names" and set "Page Parameter".`;
}
