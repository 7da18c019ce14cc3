import type { IDataObject } from 'n8n-workflow';
import type { Client } from './client';
import { identityOf, isObject } from './json';
import type { ListEndpoint } from './listEndpoints';
import {
	advance,
	mayBeBound,
	isWindow,
	type ListState,
	START,
	type Step,
	type Verdict,
	verdictOf,
} from './listProgress';
import { askForPage, type Page, type Place } from './page';

/** The most pages that are fetched at a time. */
const MAX_PAGES = 32;

/**
 * Reads a list of the service (interface, Pagination envelope) and yields, page by page, its entries that were not on a
 * page before. Several pages are fetched at a time where a total announces them, and others one after the other, by number
 * or by link. If entries moved between pages meanwhile, the list is read once more, and what is new then comes at the end.
 *
 * Nothing is under way while it waits for the reader, who may stop at any time, and then gets no verdict.
 *
 * @param limit how many entries the reader wants: only a hint, which says how much to fetch ahead
 * @returns How the reading has ended; it does not throw what goes wrong with a page.
 */
export async function* readPages(
	client: Client,
	endpoint: ListEndpoint,
	limit = Infinity,
): AsyncGenerator<IDataObject[], Verdict> {
	const first = yield* readOnce(client, endpoint, limit);
	if (!first.hasMoved || first.verdict.kind === 'error' || isWindow(first.verdict)) {
		return first.verdict;
	}
	const { verdict, hasMoved } = yield* readOnce(client, endpoint, limit, first.seen);
	// If the second reading failed, the first one still had most of the list.
	const isInDoubt = verdict.kind === 'error' || (hasMoved && !isWindow(verdict));
	return isInDoubt ? { kind: 'warning', reason: 'moved', read: first.seen.size } : verdict;
}

/** A list that was read once. */
interface ListReading {
	/** What identifies the entries that were read. */
	seen: ReadonlySet<string | number>;
	hasMoved: boolean;
	verdict: Verdict;
}

/**
 * Reads a list once, up to its end.
 *
 * @param earlier what an earlier reading had, during which entries moved: this one goes page by page, and yields the rest
 */
async function* readOnce(
	client: Client,
	endpoint: ListEndpoint,
	limit: number,
	earlier?: ListReading['seen'],
): AsyncGenerator<IDataObject[], ListReading> {
	const seen = new Set<string | number>();
	const visited = new Set<string>();
	let state = START;
	let place: Place | undefined;
	for (;;) {
		const places = placesFrom(place, earlier ? 1 : countAtOnce(state, limit));
		const pages = await Promise.all(
			places.map(async (each) => await askForPage(client, endpoint, each)),
		);
		for (const [index, page] of pages.entries()) {
			place = places[index];
			if (place instanceof URL) visited.add(place.href);
			const next = nextOf(page, place, visited);
			const fresh = page.entries.filter(isObject).filter((entry) => isNew(entry, seen));
			const step: Step = {
				...page,
				fresh: fresh.length,
				leadsOn: next !== undefined,
				isLinked: place instanceof URL,
				isParallel: places.length > 1,
			};
			state = advance(state, step);
			yield earlier ? fresh.filter((entry) => !earlier.has(identityOf(entry))) : fresh;
			const verdict = verdictOf(step, state);
			if (verdict) return { seen, hasMoved: state.hasMoved, verdict };
			// The interface does not show whether pages count from 0 or 1. Page 1 is right either way: it is the second page, or
			// the first again, whose entries are not taken twice.
			place = next ?? (typeof place === 'number' ? place : 0) + 1;
		}
	}
}

/** Where the links of a page lead, unless that is the page itself or one before it. */
function nextOf({ next }: Page, place: Place | undefined, visited: ReadonlySet<string>) {
	if (next instanceof URL) return visited.has(next.href) ? undefined : next;
	const leadsBack = typeof place === 'number' && next !== undefined && next <= place;
	return leadsBack ? undefined : next;
}

function isNew(entry: unknown, seen: Set<string | number>): boolean {
	const { size } = seen;
	return seen.add(identityOf(entry)).size > size;
}

/** A page and those behind it, which are known only where pages have numbers. */
function placesFrom(place: Place | undefined, count: number): Array<Place | undefined> {
	return typeof place === 'number' ? Array.from({ length: count }, (_, i) => place + i) : [place];
}

/**
 * How many pages to fetch at a time: no more than are announced, and than are likely to be wanted. If the reader goes on
 * although it has as many entries as it wants, it looks for a few among many: then half as many as were read so far.
 */
function countAtOnce(state: ListState, limit: number): number {
	const { read, page, total = 0 } = state;
	const wanted = Math.max(limit - read, read / 2);
	// Behind a total that may be a bound, one page more is looked for.
	const expected = total - read + (mayBeBound(total) ? 1 : 0);
	const announced = Math.ceil(Math.min(expected, wanted) / Math.max(page?.entries.length ?? 1, 1));
	return Math.max(Math.min(announced, MAX_PAGES), 1);
}
