import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import addFormats from 'ajv-formats';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { OpenAPIBackend } from 'openapi-backend';

import { failure } from './answer.ts';
import { deliver, deliverFault, drop } from './deliver.ts';
import { loadDocument } from './document.ts';
import { subscriptionRoutes } from './events/subscriptionRoutes.ts';
import { isProcessed, type Fault } from './faults.ts';
import { identifyTeam, readIncoming, type Route } from './incoming.ts';
import { createRoute } from './operation.ts';
import type { ReceivedRequest } from './receiveLog.ts';
import type { Runtime } from './runtime.ts';
import type { CustomNames } from './settings.ts';

/** Serves the interface in one dialect. */
export interface Api {
	handle(request: IncomingMessage, response: ServerResponse): void;
}

interface Exchange {
	entry: ReceivedRequest;
	fault?: Fault;
}

/**
 * Builds the interface from openapi.yaml in the dialect of the runtime's settings, and the endpoint for
 * subscriptions. Paths and names are fixed then; others need another Api.
 */
export async function createApi(runtime: Runtime): Promise<Api> {
	const { customNames, basePath } = runtime.settings.dialect;
	const backend = await backendFor(customNames, basePath);

	const app = Fastify({ bodyLimit: 10 * 1024 * 1024, exposeHeadRoutes: false });
	const exchanges = new WeakMap<IncomingMessage, Exchange>();
	const exchangeOf = ({ raw }: FastifyRequest): Exchange => {
		const exchange = exchanges.get(raw) ?? { entry: runtime.log.open(raw) };
		exchanges.set(raw, exchange);
		return exchange;
	};

	// The text is parsed later, so that a bad key or a fault comes before a bad body.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
	app.setNotFoundHandler((request, reply) =>
		deliver(reply, exchangeOf(request).entry, failure(404, 'Not found')),
	);
	app.setErrorHandler((error: { statusCode?: number; message: string }, request, reply) => {
		const { entry } = exchangeOf(request);
		deliver(reply, entry, failure(error.statusCode ?? 500, error.message));
	});

	const routes = [
		...backend
			.getOperations()
			.map((operation) => createRoute(backend, operation, runtime, customNames)),
		...subscriptionRoutes(runtime),
	];
	for (const { operationId, method, path, process } of routes) {
		app.route({
			method,
			url: basePath + path,
			onRequest(request, reply, done) {
				const exchange = exchangeOf(request);
				exchange.entry.operationId = operationId;
				exchange.fault = runtime.faults.next(operationId);
				if (exchange.fault?.kind !== 'dropBefore') return done();
				identifyTeam(runtime.store, exchange.entry);
				drop(reply, exchange.entry);
			},
			handler: (request, reply) => serve(runtime, process, exchangeOf(request), request, reply),
		});
	}
	await app.ready();
	return { handle: (request, response) => route(app, runtime, exchanges, request, response) };
}

const backends = new Map<string, Promise<OpenAPIBackend>>();

/** What validates requests. To compile it takes longer than all else, so each is kept. */
async function backendFor(names: CustomNames, basePath: string): Promise<OpenAPIBackend> {
	const key = JSON.stringify([names, basePath]);
	const backend = backends.get(key) ?? createBackend(names, basePath);
	backends.set(key, backend);
	return await backend;
}

async function createBackend(names: CustomNames, basePath: string): Promise<OpenAPIBackend> {
	const backend = new OpenAPIBackend({
		definition: loadDocument(names),
		apiRoot: basePath === '' ? '/' : basePath,
		// Its check of the document itself knows OpenAPI 3.0 only; the contract is 3.1.
		quick: true,
		coerceTypes: true,
		customizeAjv: (ajv) => addFormats(ajv),
	});
	return await backend.init();
}

function route(
	app: FastifyInstance,
	{ log }: Runtime,
	exchanges: WeakMap<IncomingMessage, Exchange>,
	request: IncomingMessage,
	response: ServerResponse,
): void {
	exchanges.set(request, { entry: log.open(request) });
	app.routing(request, response);
}

function serve(
	{ settings, store }: Runtime,
	process: Route['process'],
	{ entry, fault }: Exchange,
	request: FastifyRequest,
	reply: FastifyReply,
): void {
	const incoming = readIncoming(store, entry, request);
	const answer =
		fault === undefined || isProcessed(fault) ? process(incoming) : failure(503, 'Not processed');
	const finish = () => {
		if (fault === undefined) deliver(reply, entry, answer);
		else deliverFault(reply, entry, answer, fault, settings.rateLimit);
	};
	const delayMs = settings.latencyMs + (fault?.kind === 'delay' ? fault.ms : 0);
	if (delayMs === 0) finish();
	else void sleep(delayMs).then(finish);
}
