import type { Account, ApiNames, DateFormat, ListFormat } from './account';
import type { ApiRequest } from './request';
import type { QueryEntry } from './url';

/** A kind of list, for what is said of it. */
export interface ListKind {
	/** What the entries are called in words for the user, in the plural. */
	entries: string;
	/** Whether the service can be asked for a part of it, by date. */
	hasDates?: boolean;
}

/** An endpoint that gives a list, and the names of its paging parameters. */
export interface ListEndpoint extends ListKind {
	request: ApiRequest;
	limitParameter: string;
	pageParameter: string;
}

export const MESSAGES: ListKind = { entries: 'messages', hasDates: true };

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
	entries: 'inboxes',
	limitParameter: 'limit',
	pageParameter: 'page',
});

/** The messages of the team that match the filters (interface, endpoint 4). */
export function messagesOf({ names }: Account, filters: ServiceFilters): ListEndpoint {
	return listAt('/public/messages', { ...MESSAGES, ...names }, queryOf(filters, names));
}

/** The message templates of the team (interface, endpoint 5). */
export function templatesOf({ names }: Account): ListEndpoint {
	return listAt('/public/message-templates', { entries: 'message templates', ...names });
}

function listAt(
	path: string,
	{ entries, hasDates, limitParameter, pageParameter }: Omit<ListEndpoint, 'request'>,
	query?: QueryEntry[],
): ListEndpoint {
	const request: ApiRequest = { method: 'GET', path, repeat: 'idempotent', query };
	return { entries, hasDates, request, limitParameter, pageParameter };
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
