import { randomUUID } from 'node:crypto';

import { json } from '../answer.ts';
import { listingOf, servePage } from '../paging.ts';
import type { Handler } from './handler.ts';

/** Endpoint 6. The names of its parameters are documented, so the dialect does not touch them. */
export const getAll: Handler<'inbox.getAll'> = (
	{ query, team, entry },
	{ settings: { dialect } },
) => {
	const { phone } = query;
	const inboxes = phone
		? team.inboxes.filter((inbox) => inbox.phone?.includes(phone.trim()))
		: team.inboxes;
	const overrideNames = { ...dialect.overrideNames, pageParameter: 'page' };
	return servePage(listingOf(inboxes), query, entry, { ...dialect, overrideNames });
};

/** Endpoint 3. The new inbox is listed like the others, without a phone number. */
export const createExternal: Handler<'inbox.createExternal'> = ({ body, team }) => {
	const inbox = { id: randomUUID(), name: body.name ?? 'External inbox' };
	team.inboxes.push(inbox);
	return json(201, { data: { ...inbox, externalId: `ext-${randomUUID().slice(0, 8)}` } });
};
