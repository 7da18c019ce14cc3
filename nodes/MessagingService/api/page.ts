import type { Client } from './client';
import { asObject, isObject, parseJson } from './json';
import type { ListEndpoint } from './listEndpoints';
import type { ApiResponse } from './request';
import { buildUrl, type QueryEntry, resolveLink } from './url';

/** The largest page that the service gives (interface, Limits). */
export const PAGE_SIZE = 50;

/**
 * Where a page of a list is: its number, as the service counts, or the link that leads there. With cursors, there are
 * only links: no page has a number, and only the page before it tells where it is.
 */
export type Place = number | URL;

/** One page of a list (interface, Pagination envelope), as far as it could be understood. */
export interface Page {
	/** In the order of the service, including entries that are not objects. */
	entries: readonly unknown[];
	/** Whether the answer says nothing at all: it has status 204, an empty body or `{}`. */
	isNothing: boolean;
	/** Number of all entries of the list. */
	total?: number;
	/** The next page, where the links name one. */
	next?: Place;
	/** Whether its links say that the list ends here. */
	isLast: boolean;
}

/**
 * Gets one page.
 *
 * @param place the service's first page when left out
 * @throws {RequestFailure} also when the service does not answer with a page, or links to another origin.
 */
export async function fetchPage(
	client: Client,
	{ request, limitParameter, pageParameter }: ListEndpoint,
	place?: Place,
): Promise<Page> {
	const query: QueryEntry[] = [...(request.query ?? []), [limitParameter, String(PAGE_SIZE)]];
	if (typeof place === 'number') query.push([pageParameter, String(place)]);
	const { links, ...page } =
		place instanceof URL
			? await client.follow(place, request, readEnvelope)
			: await client.send({ ...request, query }, readEnvelope);
	const link = resolveLink(links.next, buildUrl(client.account.baseUrl, request.path));
	return {
		...page,
		next: link && (readPageNumber(link, pageParameter) ?? link),
		isLast: !links.next && Boolean(links.self || links.prev),
	};
}

/** Reads the envelope of a page, as far as it could be understood; undefined for anything else. */
function readEnvelope({ text }: ApiResponse) {
	const envelope = text.trim() === '' ? {} : parseJson(text);
	if (!isObject(envelope)) return undefined;
	const isNothing = Object.keys(envelope).length === 0;
	const { data, links, error, success } = envelope;
	// Some services write numbers as texts.
	const total = Number(envelope.total ?? NaN);
	// Some services write an empty list as null, or leave it out.
	const entries: unknown = data === null || isNothing || total === 0 ? (data ?? []) : data;
	if (!Array.isArray(entries)) return undefined;
	// A failure that comes as a success is no empty list.
	if (entries.length === 0 && (error || success === false)) return undefined;
	const count = Number.isSafeInteger(total) && total >= 0 ? total : undefined;
	return { entries, isNothing, total: count, links: asObject(links) };
}

/** The number of the page that a link leads to; undefined when it has none. */
function readPageNumber({ searchParams }: URL, pageParameter: string): number | undefined {
	const value = searchParams.get(pageParameter) ?? '';
	const number = /^\d+$/.test(value) ? Number(value) : NaN;
	return Number.isSafeInteger(number) ? number : undefined;
}
