import type { IDataObject } from 'n8n-workflow';
import type { Client } from './client';
import { type Doubt, IncompleteList } from './incompleteList';
import { identityOf } from './json';
import type { ListEndpoint } from './listEndpoints';
import { ListProgress } from './listProgress';
import { fetchPage, type Page, type Place } from './page';

/** The most pages that are fetched at a time. */
const MAX_PAGES = 32;

/**
 * Reads a list of the service (interface, Pagination envelope) and yields, page by page, its entries that were not on a
 * page before. Several pages are fetched at a time where a total announces them, and others one after the other, by number
 * or by link. If entries moved between pages meanwhile, the list is read once more, and what is new then comes at the end.
 *
 * Nothing is under way while it waits for the reader, who may stop at any time, and then hears nothing of what may be
 * missing.
 *
 * @param limit how many entries the reader wants: only a hint, which says how much to fetch ahead
 * @returns Why entries may be missing; undefined when the list is whole.
 * @throws {RequestFailure} when not even the first page could be read.
 * @throws {IncompleteList} at the end, when entries are certainly missing.
 */
export async function* readPages(
	client: Client,
	endpoint: ListEndpoint,
	limit = Infinity,
): AsyncGenerator<IDataObject[], Doubt | undefined> {
	const first = yield* readOnce(client, endpoint, limit);
	const last = first.hasMoved ? yield* readOnce(client, endpoint, limit, first) : first;
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
	limit: number,
	earlier?: ListProgress,
): AsyncGenerator<IDataObject[], ListProgress> {
	const progress = new ListProgress(endpoint);
	let place: Place | undefined;
	let pageLength = 0;
	do {
		const count = earlier ? 1 : countAtOnce(progress, limit, pageLength);
		const places = placesFrom(place, count);
		const pages = await Promise.allSettled(
			places.map(async (each) => await fetchPage(client, endpoint, each)),
		);
		for (const [index, page] of pages.entries()) {
			if (page.status === 'rejected') {
				if (progress.isOverAt(page.reason)) return progress;
				if (!earlier) throw toFailure(page.reason, progress, endpoint);
				// The earlier reading had most of the list.
				progress.hasMoved = true;
				return progress;
			}
			const entries = progress.add(page.value, places.length > 1);
			yield earlier ? entries.filter((entry) => !earlier.seen.has(identityOf(entry))) : entries;
			if (progress.isOver) return progress;
			place = placeAfter(places[index], page.value);
			pageLength ||= page.value.entries.length;
		}
	} while (place !== undefined);
	return progress;
}

/** A page and those behind it, which are known only where pages have numbers. */
function placesFrom(place: Place | undefined, count: number): Array<Place | undefined> {
	return typeof place === 'number' ? Array.from({ length: count }, (_, i) => place + i) : [place];
}

/** Where the page after a page is; undefined when links have led there, and lead no further. */
function placeAfter(place: Place | undefined, { next }: Page): Place | undefined {
	if (place instanceof URL) return next;
	// The interface does not show whether pages count from 0 or 1. Page 1 is right either way: it is the second page, or
	// the first again, whose entries are not taken twice.
	return next ?? (place ?? 0) + 1;
}

/** What to throw when a page failed, so that what was read before is not lost. */
function toFailure(cause: unknown, progress: ListProgress, endpoint: ListEndpoint): unknown {
	const { hasBegun, seen } = progress;
	return hasBegun ? new IncompleteList(endpoint, { failed: { cause, after: seen.size } }) : cause;
}

/**
 * How many pages to fetch at a time: no more than are announced, and than are likely to be wanted. If the reader goes on
 * although it has as many entries as it wants, it looks for a few among many: then half as many as were read so far.
 */
function countAtOnce(
	{ missing = 0, seen }: ListProgress,
	limit: number,
	pageLength: number,
): number {
	const wanted = Math.max(limit - seen.size, seen.size / 2);
	const announced = Math.ceil(Math.min(missing, wanted) / Math.max(pageLength, 1));
	return Math.max(Math.min(announced, MAX_PAGES), 1);
}
