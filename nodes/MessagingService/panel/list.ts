import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Call } from '../resources/operation';
import type { Explanation } from '../transport/errors';
import { type ListRequest, type ListResult, PAGE_SIZE, readList } from '../transport/paginate';

/** "Return All" and "Limit", as every list of n8n has them. */
export const returnAllOrLimit: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		displayOptions: { show: { returnAll: [false] } },
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
	},
];

/** The option to begin a list elsewhere than at its beginning. */
export const startPage: INodeProperties = {
	displayName: 'Start Page',
	name: 'page',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 1,
	description: `Page to begin with, as the service counts: from 1 on, or from 0 in some deployments. A page has as many items as Limit says, ${PAGE_SIZE} at most.`,
};

/** A list of which some pages could not be read. */
export class IncompleteList extends Error {
	override name = 'IncompleteList';
	readonly items: IDataObject[];
	readonly failure: Error;

	constructor(items: IDataObject[], failure: Error) {
		super(failure.message);
		this.items = items;
		this.failure = failure;
	}
}

/** Reads how much of a list is wanted. */
export function readWanted({ parameters }: Call): Pick<ListRequest, 'limit' | 'startPage'> {
	const all = parameters.boolean('returnAll', { label: 'Return All' }) ?? false;
	return {
		limit: all ? Infinity : (parameters.integer('limit', 1, { label: 'Limit' }) ?? PAGE_SIZE),
		startPage: parameters.integer('options.page', 0, { label: startPage.displayName }),
	};
}

/** Words about a list for the user. */
export interface ListWords {
	/** What the items are called, in the plural. */
	items: string;
	/** What to do when the service ignored a filter. */
	ignoredFilter: string;
	/** What to do when the service ignored the page number. */
	ignoredPage: string;
	notFound?: Explanation;
}

/**
 * Reads a list for an item of the node.
 *
 * @throws {IncompleteList} when pages are missing, with the items that were read.
 */
export async function getList(
	call: Call,
	list: Omit<ListRequest, 'concurrency'>,
	words: ListWords,
): Promise<IDataObject[]> {
	const result = await readList(
		call.client,
		{ ...list, concurrency: call.concurrency },
		call.transport,
	);
	const failure = findFailure(call, result, words);
	if (failure) throw new IncompleteList(result.items, failure);
	notice(call, list, result, words);
	return result.items;
}

/** Changes the items of a list that is being read, also when it turns out to be incomplete. */
export async function mapList(
	list: Promise<IDataObject[]>,
	change: (item: IDataObject) => IDataObject,
): Promise<IDataObject[]> {
	const [read] = await Promise.allSettled([list]);
	if (read.status === 'fulfilled') return read.value.map(change);
	const error: unknown = read.reason;
	if (!(error instanceof IncompleteList)) throw error;
	throw new IncompleteList(error.items.map(change), error.failure);
}

function findFailure(call: Call, result: ListResult, words: ListWords): Error | undefined {
	if (result.failure)
		return call.client.missingPages(
			result.failure.cause,
			result.failure.pages,
			call.parameters.itemIndex,
		);
	const missing = result.missing ?? 0;
	if (!result.cameAgain || missing === 0) return undefined;
	return call.client.problem(
		`The list of ${words.items} is not complete`,
		`The service gave the same page again and again, with ${missing} of its ${words.items} missing. ${words.ignoredPage}`,
		call.parameters.itemIndex,
	);
}

function notice(
	call: Call,
	list: Omit<ListRequest, 'concurrency'>,
	result: ListResult,
	words: ListWords,
): void {
	if (result.foreign > 0) {
		call.notices.add(
			`The service gave ${words.items} that the filters exclude; they were taken out here. ${words.ignoredFilter}`,
		);
	}
	if (result.items.length === 0) {
		call.notices.add(`The account has no ${words.items} that match.`, 'info');
	}
	if (result.items.length >= list.limit) return;
	if (result.missing !== undefined && result.missing > 0) {
		call.notices.add(
			`The service announced ${result.missing} more ${words.items} than it gave, although all of its pages were read.`,
		);
	}
	if (result.cameAgain && result.missing === undefined) {
		call.notices.add(
			`The service gave the same page of ${words.items} again. If there should be more: ${words.ignoredPage}`,
		);
	}
}

/** What to do when a service seems to know the page number by another name. */
export function pageNameAdvice(pageParameter: string): string {
	return `The service may not know the parameter "${pageParameter}": in the credential, turn on "Custom Names" and set "Page Parameter".`;
}
