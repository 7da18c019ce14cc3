import type { Account } from './account';
import type { ApiRequest } from './request';

/** An endpoint that gives a list, and the names of its paging parameters. */
export interface ListEndpoint {
	/** What the entries are called in words for the user, in the plural. */
	entries: string;
	request: ApiRequest;
	limitParameter: string;
	pageParameter: string;
	/** Whether the names of the parameters are those of the credential, where the user can change them. */
	hasCustomNames: boolean;
}

/** The account's inboxes (interface, endpoint 6). The names of its parameters are documented, so they are fixed. */
export const INBOXES: ListEndpoint = {
	entries: 'inboxes',
	request: { method: 'GET', path: '/public/admin/inboxes', repeat: 'idempotent' },
	limitParameter: 'limit',
	pageParameter: 'page',
	hasCustomNames: false,
};

/** The messages of the team (interface, endpoint 4). */
export function messagesOf(account: Account): ListEndpoint {
	return endpointAt('/public/messages', 'messages', account);
}

/** The message templates of the team (interface, endpoint 5). */
export function templatesOf(account: Account): ListEndpoint {
	return endpointAt('/public/message-templates', 'message templates', account);
}

function endpointAt(path: string, entries: string, { names }: Account): ListEndpoint {
	const { limitParameter, pageParameter } = names;
	const request: ApiRequest = { method: 'GET', path, repeat: 'idempotent' };
	return { entries, request, limitParameter, pageParameter, hasCustomNames: true };
}
