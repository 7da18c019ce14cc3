import type { OpenAPIBackend, Operation } from 'openapi-backend';

import { failure, unauthorized, type Answer } from './answer.ts';
import type { OperationId, WebhookBody } from './contract.ts';
import type { Call, Handler } from './handlers/handler.ts';
import { handlers } from './handlers/index.ts';
import { createQueryReader } from './query.ts';
import { retryAfterHeaders } from './rateLimit.ts';
import { originOf, type Route } from './incoming.ts';
import type { ReceivedRequest } from './receiveLog.ts';
import type { Runtime } from './runtime.ts';
import type { CustomNames } from './settings.ts';
import type { Team } from './store.ts';

/** Builds the route of an operation of the contract: key, rate limit, validation and handler, in this order. */
export function createRoute(
	backend: OpenAPIBackend,
	operation: Operation,
	runtime: Runtime,
	names: CustomNames,
): Route {
	const { operationId } = operation;
	if (!isOperationId(operationId)) {
		throw new Error(`${operationId} has no handler in sandbox/service/handlers/index.ts`);
	}
	// The handlers' types differ by operation. What they are called with has been validated against
	// the document from which the types are generated.
	const handler = handlers[operationId] as Handler<OperationId>;
	const reader = createQueryReader(operation, names);
	const isWebhook = operationId === 'pipeline.invokeWebhook';
	const needsKey = (operation.security ?? []).length > 0;

	const process: Route['process'] = ({ entry, team, url, pathParameters, bodyProblem }) => {
		if (needsKey && team === undefined) return unauthorized();

		if (isWebhook && team !== undefined) {
			const refusal = limitRate(runtime, team, entry.time);
			if (refusal !== undefined) return refusal;
		}

		if (operation.requestBody !== undefined && bodyProblem !== undefined) {
			return failure(400, bodyProblem);
		}
		const { valid, errors, coerced } = backend.validateRequest(
			{
				method: entry.method,
				path: entry.path,
				headers: stringHeaders,
				query: reader.pick(entry.query),
				body: entry.body,
			},
			operation,
		);
		if (!valid) return failure(400, describe(errors ?? []));

		const call = {
			query: reader.translate(coerced?.query ?? {}),
			path: pathParameters,
			body: entry.body,
			team: needsKey ? team : undefined,
			url,
			origin: originOf(entry),
		} as Call<OperationId>;
		const { store, agent, settings } = runtime;
		const answer = handler(call, { store, agent, dialect: settings.dialect });
		if (isWebhook && answer.status === 202) acceptCall(runtime, entry, pathParameters.webhookId);
		return answer;
	};
	return {
		operationId,
		method: operation.method.toUpperCase(),
		path: operation.path.replace(/\{(\w+)\}/g, ':$1'),
		process,
	};
}

/** Only the content type matters to validation, and `readIncoming` has looked at the real one. */
const stringHeaders = { 'content-type': 'application/json' };

function isOperationId(id: string | undefined): id is OperationId {
	return id !== undefined && Object.hasOwn(handlers, id);
}

function limitRate(runtime: Runtime, team: Team, now: number): Answer | undefined {
	const waitMs = runtime.limiterOf(team).take(now);
	if (waitMs === 0) return undefined;
	const headers = retryAfterHeaders(runtime.settings.rateLimit.retryAfter, waitMs, now);
	return failure(429, 'Rate limit exceeded', headers);
}

interface ValidationError {
	instancePath: string;
	message?: string;
}

/** For example "phone must be string" or "query must have required property 'token'". */
function describe(errors: readonly ValidationError[]): string {
	return errors
		.map(({ instancePath, message }) => {
			const place = instancePath.replace(/^\/requestBody\/?/, '').replace(/^\//, '');
			return `${place === '' ? 'body' : place} ${message ?? 'is invalid'}`;
		})
		.join(', ');
}

function acceptCall({ log }: Runtime, entry: ReceivedRequest, webhookId = ''): void {
	const { time, team = '' } = entry;
	// Accepted, so it was valid.
	const body = entry.body as WebhookBody;
	log.accept({ time, team, webhookId, body });
}
