import type { IDataObject } from 'n8n-workflow';
import type { Client } from './client';
import { asObject, isObject, parseJson } from './json';
import type { ListEndpoint } from './listEndpoints';
import { type ApiResponse, RequestFailure } from './request';
import { buildUrl, type QueryEntry, resolveLink } from './url';

/** The largest page that the service gives (interface, Limits). */
export const PAGE_SIZE = 50;

/**
 * Where a page of a list is: its number, as the service counts, or the link that leads there. With cursors, there are
 * only links: no page has a number, and only the page before it tells where it is.
 */
export type Place = number | URL;

/** What came where a page of a list was asked for (interface, Pagination envelope), as far as it could be understood. */
export interface Page {
	/**
	 * A page, perhaps without entries; nothing at all, as with status 204, an empty body or `{}`; a status that says that
	 * there is no such page; a refusal of the request, which may have another cause; or another failure.
	 */
	came: 'page' | 'nothing' | 'noPage' | 'refusal' | 'failure';
	/** Why there is no page. */
	failure?: RequestFailure;
	/** In the order of the service, including entries that are not objects. */
	entries: readonly unknown[];
	/** Number of all entries of the list. */
	total?: number;
	/** The next page, where the links name one. */
	next?: Place;
	/** Whether its links say that the list ends here. */
	isLast: boolean;
}

/** What services answer behind the last page of a list, or behind the last one that they give. */
const ANSWERS_BEHIND_END: ReadonlyMap<number | undefined, Page['came']> = new Map([
	[400, 'refusal'],
	[404, 'noPage'],
	[416, 'noPage'],
	[422, 'noPage'],
]);

/**
 * Asks for a page. What goes wrong with it is an answer, also that the service does not answer with a page, or links to
 * another origin.
 *
 * @param place the service's first page when left out
 */
export async function askForPage(
	client: Client,
	endpoint: ListEndpoint,
	place?: Place,
): Promise<Page> {
	return await fetchPage(client, endpoint, place).catch((failure: unknown): Page => {
		if (!(failure instanceof RequestFailure)) throw failure;
		const came = ANSWERS_BEHIND_END.get(failure.status) ?? 'failure';
		return { came, failure, entries: [], isLast: false };
	});
}

/** @throws {RequestFailure} when there is no page. */
async function fetchPage(
	client: Client,
	{ request, limitParameter, pageParameter }: ListEndpoint,
	place?: Place,
): Promise<Page> {
	const query: QueryEntry[] = [...(request.query ?? []), [limitParameter, String(PAGE_SIZE)]];
	if (typeof place === 'number') query.push([pageParameter, String(place)]);
	const linked = place instanceof URL ? place : undefined;
	const { links, ...page } = await client.send({ ...request, query }, readEnvelope, linked);
	const link = resolveLink(links.next, buildUrl(client.account.baseUrl, request.path));
	return {
		...page,
		next: link && (readPageNumber(link, pageParameter) ?? link),
		isLast: !links.next && Boolean(links.self || links.prev),
	};
}

/** Reads the envelope of a page; undefined for anything else. */
function readEnvelope({ text }: ApiResponse) {
	const envelope = text.trim() === '' ? {} : parseJson(text);
	if (!isObject(envelope)) return undefined;
	const isNothing = Object.keys(envelope).length === 0;
	const { data, links } = envelope;
	// Some services write numbers as texts.
	const total = Number(envelope.total ?? NaN);
	// Some services write an empty list as null, or leave it out.
	const entries: unknown = data === null || isNothing || total === 0 ? (data ?? []) : data;
	if (!Array.isArray(entries) || saysFailure(envelope)) return undefined;
	const count = Number.isSafeInteger(total) && total >= 0 ? total : undefined;
	const came: Page['came'] = isNothing ? 'nothing' : 'page';
	return { came, entries, total: count, links: asObject(links) };
}

/** Whether a page says that the request has failed, at least in part, as some services do with a success. */
function saysFailure({ error, errors, success, status, code }: IDataObject): boolean {
	const hasFailed = /^(?:error|fail|[45]\d\d$)/i;
	const words = [status, code].map(String);
	return (
		success === false ||
		[error, errors].flat().some(Boolean) ||
		words.some((word) => hasFailed.test(word))
	);
}

/** The number of the page that a link leads to; undefined when it has none. */
function readPageNumber({ searchParams }: URL, pageParameter: string): number | undefined {
	const value = searchParams.get(pageParameter) ?? '';
	const number = /^\d+$/.test(value) ? Number(value) : NaN;
	return Number.isSafeInteger(number) ? number : undefined;
}
