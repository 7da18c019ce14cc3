import type { IDataObject } from 'n8n-workflow';
import type { Client } from './client';
import { type Doubt, IncompleteList } from './incompleteList';
import type { ListEndpoint } from './listEndpoints';
import { ListProgress } from './listProgress';
import { fetchPage, type ListRange, type Page, pageSizeOf, type Place } from './page';

/** The most pages that are fetched at a time. */
const MAX_PAGES = 32;
/** The most characters in them, if they are no larger than those before them. */
const MAX_CHARACTERS_AHEAD = 20_000_000;

type PageAt = (place?: Place) => Promise<Page>;

/**
 * Reads a list of the service (interface, Pagination envelope) and yields, page by page, its entries that were not on a
 * page before. Several pages are fetched at a time where a total announces them, and others one after the other, by number
 * or by link. If entries moved between pages meanwhile, the list is read once more, and what is new then comes at the end.
 *
 * Whoever breaks the iteration off ends the reading, and hears nothing of what may be missing. Until then the range is
 * only a hint: the limit says how much to fetch ahead.
 *
 * @returns Why entries may be missing; undefined when the list is whole.
 * @throws {RequestFailure} when not even the first page could be read.
 * @throws {IncompleteList} at the end, when entries are certainly missing.
 */
export async function* readPages(
	client: Client,
	endpoint: ListEndpoint,
	range: ListRange = { limit: Infinity },
): AsyncGenerator<IDataObject[], Doubt | undefined> {
	const first = yield* readOnce(client, endpoint, range);
	const last = first.isToRepeat ? yield* readOnce(client, endpoint, range, first) : first;
	return last.conclude();
}

/**
 * Reads a list once, up to its end.
 *
 * @param earlier a reading during which entries moved: this one goes page by page, and yields what that one had not
 */
async function* readOnce(
	client: Client,
	endpoint: ListEndpoint,
	range: ListRange,
	earlier?: ListProgress,
): AsyncGenerator<IDataObject[], ListProgress> {
	const { startPage } = range;
	const size = pageSizeOf(range);
	const pageAt: PageAt = async (place) => await fetchPage(client, endpoint, size, place);
	const progress = new ListProgress(endpoint, range);
	const newOn = (page: Page) => {
		const entries = progress.add(page);
		return earlier ? entries.filter((entry) => !earlier.has(entry)) : entries;
	};

	const first = await pageAt(startPage).catch((cause: unknown) => {
		// What was read before must not get lost.
		throw earlier ? new IncompleteList(endpoint, { cause }) : cause;
	});
	yield newOn(first);
	if (progress.isOver) return progress;

	// The interface does not show whether pages count from 0 or 1. Page 1 is right either way: it is the second page, or
	// the first again, whose entries are not taken twice.
	const second = first.next ?? (startPage ?? 0) + 1;
	const isLinked = second instanceof URL;
	progress.isParallel = !isLinked && !earlier && Boolean(progress.missing);
	const ahead = () => (progress.isParallel ? countAhead(progress, first, range) : 1);
	const pages = isLinked ? linkedPages(pageAt, second) : numberedPages(pageAt, second, ahead);
	// Names the page for the user, should it fail.
	let number = isLinked ? (startPage ?? 1) + 1 : second;
	let failure: { cause: unknown } | undefined;
	try {
		for await (const page of pages) {
			yield newOn(page);
			if (progress.isOver) break;
			number++;
		}
	} catch (cause) {
		failure = { cause };
		progress.noteFailure(cause);
	}
	if (failure && !progress.isOver) {
		// Page 1 is the first or the second one, and the first was read.
		const lost = number === 1 ? 'all after the first page' : `page ${number} and all after it`;
		// The earlier reading had most of them.
		throw new IncompleteList(endpoint, { ...failure, pages: earlier ? undefined : lost });
	}
	return progress;
}

/** The pages from a link on, one after the other. */
async function* linkedPages(pageAt: PageAt, link: URL): AsyncGenerator<Page> {
	for (let place: Place | undefined = link; place !== undefined; ) {
		const page: Page = await pageAt(place);
		yield page;
		place = page.next;
	}
}

/** The pages from a number on, in order and without an end. `ahead` says how many to fetch at a time. */
async function* numberedPages(
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

/**
 * How many pages to fetch at a time: no more than are announced, than n8n can hold, and than are likely to be wanted. If
 * the reader goes on although it has as many as it wants, it looks for a few among many: then half as many entries as
 * were read so far.
 */
function countAhead(
	{ missing = 0, seen, largestPage }: ListProgress,
	{ entries }: Page,
	{ limit }: ListRange,
): number {
	const wanted = Math.max(limit - seen.size, seen.size / 2);
	const announced = Math.ceil(Math.min(missing, wanted) / Math.max(entries.length, 1));
	const room = Math.floor(MAX_CHARACTERS_AHEAD / Math.max(largestPage, 1));
	return Math.max(Math.min(announced, room, MAX_PAGES), 1);
}
