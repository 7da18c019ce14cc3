import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest, Client, TransportOptions } from './client';
import type { Response } from './exchange';
import { isObject, parseJson } from './json';
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
 * @throws {NodeApiError} when the service does not answer with a page.
 */
export async function fetchPage(
	client: Client,
	request: ApiRequest,
	transport?: TransportOptions,
	address?: URL,
): Promise<Page> {
	const response = address
		? await client.follow(address, request, transport)
		: await client.send(request, transport);
	const page = readPage(response, client.account.baseUrl.href + request.path);
	if (!page) throw client.unexpected(request, response);
	return page;
}

function readPage(response: Response, address: string): Page | undefined {
	const envelope = parseJson(response.text);
	if (!isObject(envelope) || !Array.isArray(envelope.data)) return undefined;
	const items = envelope.data.filter(isObject);
	if (items.length !== envelope.data.length) return undefined;
	const links = isObject(envelope.links) ? envelope.links : {};
	return {
		items,
		total: readTotal(envelope.total),
		next: resolveLink(links.next, address),
		answeredAt: readDate(response.headers.date),
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
