import type { IDataObject } from 'n8n-workflow';
import type { Client } from './client';
import { isObject, parseJson } from './json';
import type { Response } from './outcome';
import type { ApiRequest } from './request';
import { resolveLink } from './url';

/** One page of a list (interface, Pagination envelope), as far as it could be understood. */
export interface Page {
	items: IDataObject[];
	/** Number of all items, if the service says it. */
	total?: number;
	/** The address of the next page, if the service links to one. */
	next?: URL;
	/** Whether the service links its pages at all. */
	hasLinks: boolean;
	/** The service's own time when it answered, if it says it. */
	answeredAt?: Date;
}

/**
 * Gets one page, by the address that the service linked to, or else by the query of the request.
 *
 * @throws {RequestFailure} also when the service does not answer with a page.
 */
export async function fetchPage(client: Client, request: ApiRequest, link?: URL): Promise<Page> {
	const response = link ? await client.follow(link, request) : await client.send(request);
	const page = readPage(parseJson(response.text), response, addressOf(client, request));
	if (!page) throw client.unexpected(request, response);
	return page;
}

/** Where links of a list are relative to. */
export function addressOf({ account }: Client, { path }: ApiRequest): string {
	return account.baseUrl.href + path;
}

/** Reads the envelope of a list; undefined when it is none. */
export function readPage(
	envelope: unknown,
	{ headers }: Response,
	address: string,
): Page | undefined {
	if (!isObject(envelope) || !Array.isArray(envelope.data)) return undefined;
	const items = envelope.data.filter(isObject);
	if (items.length !== envelope.data.length) return undefined;
	const links = isObject(envelope.links) ? envelope.links : {};
	return {
		items,
		total: readTotal(envelope.total),
		next: resolveLink(links.next, address),
		answeredAt: readDate(headers.date),
		hasLinks: [links.self, links.prev, links.next].some((link) => Boolean(link)),
	};
}

function readDate(header: string | undefined): Date | undefined {
	const date = new Date(header ?? NaN);
	return Number.isNaN(date.getTime()) ? undefined : date;
}

function readTotal(total: unknown): number | undefined {
	const count = typeof total === 'string' && total.trim() !== '' ? Number(total) : total;
	return typeof count === 'number' && count >= 0 ? count : undefined;
}
