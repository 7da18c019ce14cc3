import { randomUUID } from 'node:crypto';

import Ajv from 'ajv';
import addFormats from 'ajv-formats';

import { failure, json, unauthorized, type Answer } from '../answer.ts';
import type { SubscriptionOperationId } from '../contract.ts';
import { originOf, type Incoming, type Route } from '../incoming.ts';
import { listingOf, servePage } from '../paging.ts';
import type { Runtime } from '../runtime.ts';
import type { Dialect } from '../settings.ts';
import type { Subscription, Team } from '../store.ts';
import type { SubscriptionEndpoint } from './settings.ts';

type Serve = (team: Team, incoming: Incoming) => Answer;

/**
 * The endpoint for subscriptions to events. It is not part of the documented interface and so not in
 * openapi.yaml; names and behaviour are those of the settings at this moment.
 */
export function subscriptionRoutes({ settings }: Runtime): Route[] {
	const { endpoint } = settings.events;
	if (!endpoint.enabled) return [];
	const all = endpoint.path;
	const one = `${all}/:id`;
	return [
		route('subscription.create', 'POST', all, create(endpoint)),
		route('subscription.getAll', 'GET', all, getAll(endpoint, settings.dialect)),
		route('subscription.delete', 'DELETE', one, remove),
		route('subscription.update', 'PATCH', one, notAllowed),
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

function create(endpoint: SubscriptionEndpoint): Serve {
	let read: ReturnType<typeof createReader> | undefined;
	return (team, { entry, bodyProblem }) => {
		// Most services are never asked.
		read ??= createReader(endpoint);
		const wanted = bodyProblem ?? read(entry.body);
		if (typeof wanted === 'string') return failure(400, wanted);
		const subscription = { id: randomUUID(), ...wanted };
		team.subscriptions.set(subscription.id, subscription);
		return json(201, showOne(subscription, endpoint));
	};
}

function getAll(endpoint: SubscriptionEndpoint, dialect: Dialect): Serve {
	return ({ subscriptions }, { entry, url }) => {
		const shown = [...subscriptions.values()].map((subscription) => show(subscription, endpoint));
		switch (endpoint.list) {
			case 'notFound':
				return failure(404, 'Not found');
			case 'notAllowed':
				return methodNotAllowed();
			case 'array':
				return json(200, shown);
			case 'envelope':
				return servePage(listingOf(shown), {
					...readPaging(entry.query, dialect),
					dialect,
					url,
					origin: originOf(entry),
				});
		}
	};
}

const remove: Serve = ({ subscriptions }, { pathParameters }) =>
	subscriptions.delete(pathParameters.id ?? '') ? { status: 204 } : gone();

const methodNotAllowed = () => failure(405, 'Method not allowed');

const notAllowed: Serve = methodNotAllowed;

const gone = () => failure(404, 'Subscription not found');

function show({ id, url, events }: Subscription, endpoint: SubscriptionEndpoint) {
	return { [endpoint.idField]: id, [endpoint.urlField]: url, [endpoint.eventsField]: events };
}

function showOne(subscription: Subscription, endpoint: SubscriptionEndpoint) {
	const shown = show(subscription, endpoint);
	return endpoint.wrapped ? { data: shown } : shown;
}

/** Reads what a client asks for, or gives the reason why that is not possible. */
function createReader({ urlField, eventsField, secretField }: SubscriptionEndpoint) {
	const ajv = new Ajv();
	addFormats(ajv);
	const validate = ajv.compile<Record<string, unknown>>({
		type: 'object',
		required: [urlField],
		properties: {
			[urlField]: { type: 'string', format: 'uri', pattern: '^https?://' },
			[eventsField]: { type: 'array', items: { type: 'string' } },
			[secretField]: { type: 'string', minLength: 1 },
		},
	});
	return (body: unknown): Omit<Subscription, 'id'> | string => {
		if (!validate(body)) return ajv.errorsText(validate.errors, { dataVar: 'body' });
		const events = body[eventsField];
		const secret = body[secretField];
		return {
			url: String(body[urlField]),
			events: Array.isArray(events) ? events.map(String) : [],
			...(typeof secret === 'string' ? { secret } : {}),
		};
	};
}

function readPaging(query: string, { customNames }: Dialect): { limit?: number; page?: number } {
	const search = new URLSearchParams(query);
	const read = (name: string) => Number(search.get(name)) || undefined;
	return { limit: read(customNames.limitParameter), page: read(customNames.pageParameter) };
}
