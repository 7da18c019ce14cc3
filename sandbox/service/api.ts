import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { failure } from './answer.ts';
import { deliver, deliverFault, drop } from './deliver.ts';
import { subscriptionRoutes } from './events/subscriptionRoutes.ts';
import { isProcessed } from './faults.ts';
import { operationRoutes } from './operationRoutes.ts';
import type { ReceivedRequest } from './receiveLog.ts';
import { matchPath, type Route } from './route.ts';
import type { Runtime } from './runtime.ts';
import type { Team } from './store.ts';

/** Serves the interface of openapi.yaml, and the endpoint for subscriptions, in the dialect of the settings. */
export function createApi(runtime: Runtime): RequestListener {
	return (request, response) => {
		const entry = runtime.log.open(request);
		serve(runtime, entry, request, response).catch((error: unknown) => {
			deliver(response, entry, failure(500, String(error)));
		});
	};
}

async function serve(
	runtime: Runtime,
	entry: ReceivedRequest,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const found = findRoute(runtime, entry);
	if (!found) return deliver(response, entry, failure(404, 'Not found'));
	const { route, path } = found;
	const { settings } = runtime;
	entry.operationId = route.operationId;
	const fault = runtime.faults.next(route.operationId);
	const team = identifyTeam(runtime, entry);
	if (fault?.kind === 'dropBefore') return drop(response, entry);

	const bodyProblem = noteBody(entry, await text(request));
	const answer =
		fault === undefined || isProcessed(fault)
			? route.process({ entry, team, path, bodyProblem }, runtime)
			: failure(503, 'Not processed');
	const delayMs = settings.latencyMs + (fault?.kind === 'delay' ? fault.ms : 0);
	if (delayMs > 0) await sleep(delayMs);
	if (fault === undefined) deliver(response, entry, answer);
	else deliverFault(response, entry, answer, fault, settings.rateLimit);
}

function findRoute({ settings }: Runtime, { method, path }: ReceivedRequest) {
	const { dialect, events } = settings;
	const routes: Route[] = events.endpoint.enabled
		? [...operationRoutes, ...subscriptionRoutes]
		: operationRoutes;
	for (const route of routes) {
		const parameters = route.method === method && matchPath(route.template, path, dialect);
		if (parameters) return { route, path: parameters };
	}
	return undefined;
}

/** The team whose key a request carries, noted in the log's entry. */
function identifyTeam({ store }: Runtime, entry: ReceivedRequest): Team | undefined {
	const { apikey } = entry.headers;
	const team = typeof apikey === 'string' ? store.teams.get(apikey) : undefined;
	entry.team = team?.id;
	return team;
}

/** Notes a body in the log's entry, and says why it cannot be used, if so. */
function noteBody(entry: ReceivedRequest, body: string): string | undefined {
	if (body === '') return 'The request has no body';
	try {
		entry.body = JSON.parse(body);
	} catch {
		entry.body = body;
		return 'The body is not valid JSON';
	}
	const type = entry.headers['content-type'] ?? '';
	return /^application\/json\b/i.test(type) ? undefined : 'Content-Type must be application/json';
}
