import type { IDataObject } from 'n8n-workflow';
import type { Client } from './client';
import { isObject, parseJson } from './json';
import type { ApiRequest } from './request';
import { buildUrl, resolveLink } from './url';

/** The largest page that the service gives (interface, Limits). */
export const PAGE_SIZE = 50;

/** So many entries on a page are no answer to a request for 50, even of a service that knows no pages. */
const MOST_ENTRIES = 200_000;

/** One page of a list (interface, Pagination envelope), as far as it could be understood. */
export interface Page {
	/** In the order of the service; what is no object included. */
	entries: readonly unknown[];
	/** Characters of the answer. */
	size: number;
	total?: number;
	next?: URL;
	/** Whether its links say where the list goes on, or that it ends here. */
	hasLinks: boolean;
}

/**
 * Gets one page, by the address that the service linked to, or else by the query of the request.
 *
 * @throws {RequestFailure} also when the service does not answer with a page, or links to another origin.
 */
export async function fetchPage(client: Client, request: ApiRequest, link?: URL): Promise<Page> {
	const response = link ? await client.follow(link, request) : await client.send(request);
	const address = buildUrl(client.account.baseUrl, request.path);
	const page = readPage(parseJson(response.text), address);
	if (!page) throw client.unexpected(request, response);
	return { ...page, size: response.text.length };
}

/**
 * Reads the envelope of a list; undefined when it is none.
 *
 * @param address what its links are relative to
 */
function readPage(envelope: unknown, address: string): Omit<Page, 'size'> | undefined {
	if (!isObject(envelope)) return undefined;
	const total = readTotal(envelope.total);
	const entries = readEntries(envelope, total);
	if (!entries || entries.length > MOST_ENTRIES) return undefined;
	const links = isObject(envelope.links) ? envelope.links : {};
	const next = resolveLink(links.next, address);
	const endsHere = !links.next && Boolean(links.self || links.prev);
	return { entries, total, next, hasLinks: next !== undefined || endsHere };
}

/** The entries of a page. Some services leave an empty list out, or give null in its place. */
function readEntries(
	{ data, ...rest }: IDataObject,
	total: number | undefined,
): unknown[] | undefined {
	if (Array.isArray(data)) return data;
	const hasOtherList = Object.values(rest).some((value) => Array.isArray(value));
	return (data ?? undefined) === undefined && total !== undefined && !hasOtherList ? [] : undefined;
}

function readTotal(total: unknown): number | undefined {
	const count = typeof total === 'string' && total.trim() !== '' ? Number(total) : total;
	return Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : undefined;
}
