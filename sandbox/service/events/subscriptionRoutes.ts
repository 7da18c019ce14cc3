import { randomUUID } from 'node:crypto';

import { isRecord } from '../../json.ts';
import { failure, json, unauthorized, type Answer } from '../answer.ts';
import type { SubscriptionOperationId } from '../contract.ts';
import type { Incoming, Route } from '../incoming.ts';
import type { Runtime } from '../runtime.ts';
import type { Subscription, Team } from '../store.ts';

const PATH = '/public/webhooks';

type Serve = (team: Team, incoming: Incoming) => Answer;

/**
 * The endpoint for subscriptions to events. It is not part of the documented interface and so not in
 * openapi.yaml.
 */
export function subscriptionRoutes({ settings }: Runtime): Route[] {
	if (!settings.events.endpoint.enabled) return [];
	return [
		route('subscription.create', 'POST', PATH, create),
		route('subscription.delete', 'DELETE', `${PATH}/:id`, remove),
	];
}

function route(
	operationId: SubscriptionOperationId,
	method: string,
	path: string,
	serve: Serve,
): Route {
	const process = (incoming: Incoming) =>
		incoming.team === undefined ? unauthorized() : serve(incoming.team, incoming);
	return { operationId, method, path, process };
}

const create: Serve = (team, { entry: { body }, bodyProblem }) => {
	if (bodyProblem !== undefined) return failure(400, bodyProblem);
	const { url, events, secret } = isRecord(body) ? body : {};
	if (typeof url !== 'string' || !/^https?:/.test(url)) return failure(400, 'No valid url');
	const subscription: Subscription = {
		id: randomUUID(),
		url,
		events: Array.isArray(events) ? events.map(String) : [],
		secret: typeof secret === 'string' ? secret : undefined,
	};
	team.subscriptions.set(subscription.id, subscription);
	return json(201, show(subscription));
};

const remove: Serve = ({ subscriptions }, { pathParameters }) =>
	subscriptions.delete(pathParameters.id ?? '')
		? { status: 204 }
		: failure(404, 'Subscription not found');

/** The secret is the subscriber's own business. */
function show({ id, url, events }: Subscription) {
	return { id, url, events };
}
