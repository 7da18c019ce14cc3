import { randomUUID } from 'node:crypto';

import { isRecord } from '../../json.ts';
import { failure, json, unauthorized } from '../answer.ts';
import type { Route } from '../route.ts';

const PATH = '/public/webhooks';

/**
 * The endpoint for subscriptions to events. It is not part of the documented interface and so not in
 * openapi.yaml.
 */
export const subscriptionRoutes: Route[] = [
	{
		operationId: 'subscription.create',
		method: 'POST',
		template: PATH,
		process({ team, entry, bodyProblem }) {
			if (!team) return unauthorized();
			if (bodyProblem !== undefined) return failure(400, bodyProblem);
			const { url, events: names, secret } = isRecord(entry.body) ? entry.body : {};
			if (typeof url !== 'string' || !/^https?:/.test(url)) return failure(400, 'No valid url');
			const id = randomUUID();
			const events = Array.isArray(names) ? names.map(String) : [];
			const ownSecret = typeof secret === 'string' ? secret : undefined;
			team.subscriptions.set(id, { id, url, events, secret: ownSecret });
			// The secret is the subscriber's own business.
			return json(201, { id, url, events });
		},
	},
	{
		operationId: 'subscription.delete',
		method: 'DELETE',
		template: `${PATH}/{id}`,
		process({ team, path }) {
			if (!team) return unauthorized();
			const isGone = team.subscriptions.delete(path.id ?? '');
			return isGone ? { status: 204 } : failure(404, 'Subscription not found');
		},
	},
];
