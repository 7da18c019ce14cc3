import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

import { failure, unauthorized, type Answer } from './answer.ts';
import {
	contract,
	parametersOf,
	type ContractOperation,
	type ApiNames,
	type OperationId,
	type Parameter,
} from './contract.ts';
import type { Call, Handler } from './handlers/handler.ts';
import { handlers } from './handlers/index.ts';
import { retryAfterHeaders } from './rateLimit.ts';
import type { Route } from './route.ts';
import type { Runtime } from './runtime.ts';
import type { Team } from './store.ts';

/** Parameters come as text, so they are converted to the types of their schemas. */
const parameterSchemas = new Ajv2020({ strict: false, coerceTypes: true });
const bodySchemas = new Ajv2020({ strict: false });
for (const schemas of [parameterSchemas, bodySchemas]) addFormats.default(schemas);
bodySchemas.addSchema({ $id: 'contract', ...contract });

/** The routes of openapi.yaml: key, rate limit, validation and handler, in this order. */
export const operationRoutes: Route[] = Object.entries(contract.paths).flatMap(([path, item]) =>
	Object.entries(item).flatMap(([method, operation]) =>
		typeof operation === 'object' ? [createRoute(path, method, operation)] : [],
	),
);

function createRoute(template: string, method: string, operation: ContractOperation): Route {
	const { operationId, security, requestBody } = operation;
	const needsKey = security?.length !== 0;
	const isWebhook = operationId === 'agent.start';
	const parameters = parametersOf(operation);
	const areValidParameters = parameterSchemas.compile({
		type: 'object',
		properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
		required: parameters.filter(({ required }) => required).map(({ name }) => name),
	});
	const bodySchema = requestBody?.content['application/json'].schema.$ref;
	const isValidBody = bodySchema && bodySchemas.compile({ $ref: `contract${bodySchema}` });
	const handler = handlerOf(operationId);

	return {
		operationId,
		method: method.toUpperCase(),
		template,
		process({ entry, team, path, bodyProblem }, runtime) {
			if (needsKey && team === undefined) return unauthorized();
			const refusal = isWebhook && team && limitRate(runtime, team, entry.time);
			if (refusal) return refusal;

			const query = readQuery(parameters, entry.query, runtime.settings.dialect.overrideNames);
			const given = { ...query, ...path };
			if (!areValidParameters(given)) return invalid('query', areValidParameters.errors);
			if (isValidBody && bodyProblem !== undefined) return failure(400, bodyProblem);
			if (isValidBody && !isValidBody(entry.body)) return invalid('body', isValidBody.errors);

			const call = { query: given, path, body: entry.body, team, entry } as Call<OperationId>;
			return handler(call, runtime);
		},
	};
}

/**
 * The handlers' types differ by operation. What they are called with has been validated against the document from
 * which the types are generated.
 */
function handlerOf(operationId: OperationId): Handler<OperationId> {
	return handlers[operationId] as Handler<OperationId>;
}

/** The known parameters of a query string, in the names and formats of the contract. Others are ignored. */
function readQuery(parameters: Parameter[], queryString: string, names: ApiNames) {
	const search = new URLSearchParams(queryString);
	const { inboxIdsFormat, dateFormat } = names;
	const read: Record<string, unknown> = {};
	for (const { name, in: place, schema, 'x-override-name': customName } of parameters) {
		if (place !== 'query') continue;
		const spelled = customName ? names[customName] : name;
		const isList = schema.type === 'array';
		const values = search.getAll(
			isList && inboxIdsFormat === 'brackets' ? `${spelled}[]` : spelled,
		);
		const value = values.at(-1);
		if (value === undefined) continue;
		if (isList) read[name] = inboxIdsFormat === 'comma' ? value.split(',') : values;
		else read[name] = schema.format === 'date-time' ? toIso(value, dateFormat) : value;
	}
	return read;
}

function toIso(date: string, format: ApiNames['dateFormat']): string {
	const time = Number(date) * (format === 'unixSeconds' ? 1_000 : 1);
	return format === 'iso' || Number.isNaN(time) ? date : new Date(time).toISOString();
}

function limitRate(runtime: Runtime, team: Team, now: number): Answer | undefined {
	const waitMs = runtime.limiterOf(team).take(now);
	if (waitMs === 0) return undefined;
	const headers = retryAfterHeaders(runtime.settings.rateLimit.retryAfter, waitMs);
	return failure(429, 'Rate limit exceeded', headers);
}

/** For example "phone must be string" or "query must have required property 'token'". */
function invalid(part: 'query' | 'body', errors?: ErrorObject[] | null): Answer {
	const problems = (errors ?? []).map(
		({ instancePath, message }) => `${instancePath.slice(1) || part} ${message ?? 'is invalid'}`,
	);
	return failure(400, problems.join(', '));
}
