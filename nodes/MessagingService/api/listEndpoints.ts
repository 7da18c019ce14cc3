import type { Account, ApiNames, DateFormat, ListFormat } from './account';
import type { ApiRequest } from './request';
import type { QueryEntry } from './url';

/** What the entries of a list are called in words for the user. */
export type ListNoun = 'inboxes' | 'messages' | 'message templates';

/** An endpoint that gives a list, and the names of its paging parameters. */
export interface ListEndpoint {
	noun: ListNoun;
	request: ApiRequest;
	limitParameter: string;
	pageParameter: string;
}

/** The filters that the service knows for messages. */
export interface ServiceFilters {
	/** All inboxes when empty. */
	inboxIds: string[];
	/** Only messages after this moment. */
	after?: Date;
	/** Only messages up to this moment. */
	before?: Date;
}

/** The account's inboxes (interface, endpoint 6). The names of its parameters are documented, so they are fixed. */
export const INBOXES = listAt('/public/admin/inboxes', {
	noun: 'inboxes',
	limitParameter: 'limit',
	pageParameter: 'page',
});

/** The messages of the team that match the filters (interface, endpoint 4). */
export function messagesOf({ names }: Account, filters: ServiceFilters): ListEndpoint {
	return listAt('/public/messages', { noun: 'messages', ...names }, queryOf(filters, names));
}

/** The message templates of the team (interface, endpoint 5). */
export function templatesOf({ names }: Account): ListEndpoint {
	return listAt('/public/message-templates', { noun: 'message templates', ...names });
}

function listAt(
	path: string,
	{ noun, limitParameter, pageParameter }: Omit<ListEndpoint, 'request'>,
	query?: QueryEntry[],
): ListEndpoint {
	const request: ApiRequest = { method: 'GET', path, repeat: 'idempotent', query };
	return { noun, request, limitParameter, pageParameter };
}

const INBOX_ID_WRITERS: Record<ListFormat, (name: string, ids: string[]) => QueryEntry[]> = {
	repeat: (name, ids) => ids.map((id) => [name, id]),
	brackets: (name, ids) => ids.map((id) => [`${name}[]`, id]),
	comma: (name, ids) => (ids.length > 0 ? [[name, ids.join(',')]] : []),
};

const DATE_WRITERS: Record<DateFormat, (date: Date, round: (value: number) => number) => string> = {
	iso: (date) => date.toISOString(),
	unixSeconds: (date, round) => String(round(date.getTime() / 1_000)),
	unixMilliseconds: (date) => String(date.getTime()),
};

/** Writes filters, named and formatted as the credential says. Whole seconds are rounded outwards. */
function queryOf({ inboxIds, after, before }: ServiceFilters, names: ApiNames): QueryEntry[] {
	const write = DATE_WRITERS[names.dateFormat];
	const query = INBOX_ID_WRITERS[names.inboxIdsFormat](names.inboxIdsParameter, inboxIds);
	if (after) query.push([names.afterParameter, write(after, Math.floor)]);
	if (before) query.push([names.beforeParameter, write(before, Math.ceil)]);
	return query;
}
