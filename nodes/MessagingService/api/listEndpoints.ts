import type { Account } from './account';
import type { ApiRequest } from './request';

/** A list of the service, and the names of its paging parameters. */
export interface ListEndpoint {
	request: ApiRequest;
	limitParameter: string;
	pageParameter: string;
}

/** The account's inboxes (interface, endpoint 6). The names of its parameters are documented, so they are fixed. */
export const INBOXES: ListEndpoint = {
	request: { method: 'GET', path: '/public/admin/inboxes', repeat: 'idempotent' },
	limitParameter: 'limit',
	pageParameter: 'page',
};

/** The messages of the team (interface, endpoint 4). */
export function messagesOf(account: Account): ListEndpoint {
	return listOf('/public/messages', account);
}

/** The message templates of the team (interface, endpoint 5). */
export function templatesOf(account: Account): ListEndpoint {
	return listOf('/public/message-templates', account);
}

/** A list whose parameters have the custom names of the credential. */
function listOf(path: string, { names }: Account): ListEndpoint {
	const { limitParameter, pageParameter } = names;
	return { request: { method: 'GET', path, repeat: 'idempotent' }, limitParameter, pageParameter };
}
