import { randomUUID } from 'node:crypto';

import { failure, json } from '../answer.ts';
import type { OperationId, User } from '../contract.ts';
import { listingOf, servePage } from '../paging.ts';
import { createVersion, renameVersion } from './agentVersion.ts';
import type { Handler } from './handler.ts';
import { getMessages } from './message.ts';

/** One handler for every operation of openapi.yaml. */
export const handlers: { [Id in OperationId]: Handler<Id> } = {
	/** A token that is not known is an answer, too, not an error. */
	'oneTimePassword.verify': ({ query }, { store }) =>
		json(200, store.validOtpTokens.has(query.token) ? 'verified' : 'invalid'),

	/** An address can be used once in a team. */
	'user.create': ({ body, team }) => {
		const { email, firstName, lastName } = body;
		if (!email?.includes('@')) return failure(400, 'email must be an e-mail address');
		const key = email.toLowerCase();
		if (team.users.has(key)) return failure(409, `A user with the email ${email} already exists`);
		const user: User = { id: randomUUID(), email, role: 'member', firstName, lastName };
		team.users.set(key, user);
		return json(201, user);
	},

	/** The new inbox is listed like the others, without a phone number. */
	'inbox.createExternal': ({ body, team }) => {
		const inbox = { id: randomUUID(), name: body.name ?? 'External inbox' };
		team.inboxes.push(inbox);
		return json(201, { data: { ...inbox, externalId: `ext-${randomUUID().slice(0, 8)}` } });
	},

	'message.getAll': getMessages,

	'messageTemplate.getAll': ({ query, team, entry }, { settings }) =>
		servePage(listingOf(team.templates), query, entry, settings.dialect),

	/** The names of its parameters are documented, so the dialect does not touch them. */
	'inbox.getAll': ({ query, team, entry }, { settings: { dialect } }) => {
		const { phone } = query;
		const inboxes = phone
			? team.inboxes.filter((inbox) => inbox.phone?.includes(phone.trim()))
			: team.inboxes;
		return servePage(listingOf(inboxes), query, entry, dialect, 'page');
	},

	'agentVersion.create': createVersion,
	'agentVersion.rename': renameVersion,

	/** Accepted at once with an empty body; the agent runs afterwards. */
	'agent.start': ({ path, body, team }, { agent, log }) => {
		if (!team.webhookIds.has(path.webhookId)) return failure(404, 'Webhook not found');
		log.accepted.push({ team: team.id, webhookId: path.webhookId, body });
		agent.run(team, body);
		return { status: 202 };
	},
};
