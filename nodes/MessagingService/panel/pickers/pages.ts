import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import { isObject, parseJson } from '../../api/json';
import type { ListSource } from '../../api/list';
import { fetchPage, type Page } from '../../api/page';
import { PAGE_SIZE } from '../../api/pages';
import { RequestFailure } from '../../api/requestFailure';
import { parseUrl, type QueryEntry, readNumber } from '../../api/url';

/** Where a list goes on. n8n's editor keeps it, as text, until somebody scrolls that far. */
export interface Place {
	/** The number of the page, as the service counts; the service's first page when there is neither this nor a link. */
	page?: number;
	link?: string;
	/** How many entries came before. */
	read: number;
	/** The ID of the first entry of the page before. */
	before?: string;
}

const BEGINNING: Place = { read: 0 };

/** Reads what n8n's editor was given as its token; the beginning of the list when it is something else. */
export function toPlace(token: unknown): Place {
	const place = parseJson(String(token));
	if (!isObject(place) || typeof place.read !== 'number') return BEGINNING;
	const { page, link, read, before } = place;
	return {
		page: typeof page === 'number' ? page : undefined,
		link: typeof link === 'string' ? link : undefined,
		read,
		before: typeof before === 'string' ? before : undefined,
	};
}

/**
 * Reads the page of a list at a place.
 *
 * @returns Its items, and where the list goes on; `next` is undefined at its end.
 */
export async function readPage(
	client: Client,
	source: ListSource,
	place: Place,
): Promise<{ items: IDataObject[]; next?: Place }> {
	const { request, limitParameter, pageParameter } = source;
	const paging: QueryEntry[] = [[limitParameter, String(PAGE_SIZE)]];
	if (place.page !== undefined) paging.push([pageParameter, String(place.page)]);
	const asked = { ...request, query: paging };
	const page = await fetchPage(client, asked, parseUrl(place.link ?? '')).catch(
		(failure: unknown) => {
			if (place.read > 0 && failure instanceof RequestFailure && failure.status === 404)
				return undefined;
			throw failure;
		},
	);
	const items = page?.entries.filter(isObject) ?? [];
	if (!page || items.length === 0) return { items };
	const first = String(items[0].id);
	if (first !== place.before)
		return { items, next: placeAfter(client, place, page, { before: first, pageParameter }) };
	// The same page again: either the service counts from 1, so that this was its first, or it has no more.
	return place.page === 1 ? await readPage(client, source, { ...place, page: 2 }) : { items: [] };
}

/** Where a list goes on: where the service links to, or else at the next number while its total is not reached. */
function placeAfter(
	client: Client,
	place: Place,
	{ entries, total, next, hasLinks }: Page,
	{ before, pageParameter }: { before: string; pageParameter: string },
): Place | undefined {
	const read = place.read + entries.length;
	const linked = next && readNumber(next, pageParameter);
	if (next && linked === undefined) {
		// The editor gets to see it, so it may neither lead elsewhere nor contain a secret.
		const isSafe = client.isOwn(next) && client.redactor.hide(next.href) === next.href;
		return isSafe ? { link: next.href, read, before } : undefined;
	}
	const seemsFull = entries.length >= PAGE_SIZE && !hasLinks;
	const goesOn = next !== undefined || (total === undefined ? seemsFull : read < total);
	return goesOn ? { page: linked ?? (place.page ?? 0) + 1, read, before } : undefined;
}
