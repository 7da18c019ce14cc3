import type { Client } from './client';
import { type ListQuery, type ListResult, ListSoFar, pageSizeOf } from './list';
import { fetchPage, type Page, type Place } from './pages';

const DEFAULT_CONCURRENCY = 32;
/** The most characters in the pages that are fetched at a time. */
const MAX_CHARACTERS_AHEAD = 20_000_000;

type PageAt = (place?: Place) => Promise<Page>;

/**
 * Reads a list, several pages at a time where their numbers are known. If entries move between pages meanwhile, it is
 * read once more, one page after the other.
 *
 * @throws {RequestFailure} when not even the first page could be read.
 */
export async function readList(client: Client, query: ListQuery): Promise<ListResult> {
	const result = await readOnce(client, query);
	const kinds = new Set(result.problems.map(({ kind }) => kind));
	if (!kinds.has('moved') || kinds.has('tooLong') || result.gap) return result;
	query.filter?.restart?.();
	return await readOnce(client, { ...query, concurrency: 1 });
}

async function readOnce(client: Client, query: ListQuery): Promise<ListResult> {
	const { startPage } = query;
	const pageAt: PageAt = async (place) => await fetchPage(client, query, pageSizeOf(query), place);
	const first = await pageAt(startPage);
	const list = new ListSoFar(query, first);
	if (list.isOver) return list.result();

	// The interface does not show whether pages count from 0 or 1. Page 1 is right either way: it is the second page, or
	// the first again, whose entries are not taken twice.
	const second = first.next ?? (startPage ?? 0) + 1;
	const isLinked = second instanceof URL;
	const rest = isLinked
		? pagesByLinks(pageAt, second)
		: pagesByNumbers(pageAt, second, () => pagesAhead(list, first, query));
	let number = isLinked ? (startPage ?? 1) + 1 : second;
	try {
		for await (const page of rest) {
			list.take(page, number);
			if (list.isOver) break;
			number++;
		}
	} catch (cause) {
		if (!list.noteFailure(cause))
			return list.result({ cause, pages: `${number} and all after it` });
	}
	return list.result();
}

/** The pages from a link on, one after the other. */
async function* pagesByLinks(pageAt: PageAt, link: URL): AsyncGenerator<Page> {
	for (let place: Place | undefined = link; place !== undefined; ) {
		const page: Page = await pageAt(place);
		yield page;
		place = page.next;
	}
}

/** The pages from a number on, in order and without an end. `ahead` says how many to fetch at a time. */
async function* pagesByNumbers(
	pageAt: PageAt,
	number: number,
	ahead: () => number,
): AsyncGenerator<Page> {
	const underWay: Array<Promise<Page>> = [];
	try {
		for (;;) {
			while (underWay.length < ahead()) {
				const page = pageAt(number++);
				// A failure matters only when the page's turn comes; until then it must not be an unhandled rejection.
				page.catch(() => {});
				underWay.push(page);
			}
			const [page] = underWay.splice(0, 1);
			yield await page;
		}
	} finally {
		// Requests for pages ahead must not go on after the run has finished.
		await Promise.allSettled(underWay);
	}
}

/** How many pages to fetch at a time: no more than are announced, and than n8n can hold. */
function pagesAhead(
	{ remaining }: ListSoFar,
	{ entries, size }: Page,
	{ concurrency = DEFAULT_CONCURRENCY }: ListQuery,
): number {
	const announced = Math.ceil(remaining / Math.max(entries.length, 1));
	const room = Math.floor(MAX_CHARACTERS_AHEAD / Math.max(size, 1));
	return Math.max(Math.min(announced, room, concurrency), 1);
}
