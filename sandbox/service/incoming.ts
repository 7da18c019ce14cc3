import type { FastifyRequest } from 'fastify';

import type { Answer } from './answer.ts';
import type { AnyOperationId } from './contract.ts';
import type { ReceivedRequest } from './receiveLog.ts';
import type { Store, Team } from './store.ts';

/** A request whose path and method belong to an operation, read completely. */
export interface Incoming {
	/** The log's entry, which has the parsed body. */
	entry: ReceivedRequest;
	/** The team whose key was sent. */
	team: Team | undefined;
	/** Path with query as it came. */
	url: string;
	pathParameters: Record<string, string>;
	/** Why the body cannot be used; undefined when it is JSON. */
	bodyProblem: string | undefined;
}

/** Where an operation is served. */
export interface Route {
	operationId: AnyOperationId;
	method: string;
	/** Below the base path, with parameters such as `:id`. */
	path: string;
	/** Processes a request completely and says what to answer. */
	process(incoming: Incoming): Answer;
}

/** The team whose key a request carries, noted in the log's entry. */
export function identifyTeam({ teams }: Store, entry: ReceivedRequest): Team | undefined {
	const { apikey } = entry.headers;
	const team = typeof apikey === 'string' ? teams.get(apikey) : undefined;
	entry.team = team?.id;
	return team;
}

/** Origin under which the client reached the service. */
export function originOf({ headers }: ReceivedRequest): string {
	return `http://${headers.host ?? ''}`;
}

/** Reads a request and notes its body in the log's entry, even if it will not be processed. */
export function readIncoming(
	store: Store,
	entry: ReceivedRequest,
	{ url, params, body }: FastifyRequest,
): Incoming {
	return {
		entry,
		team: identifyTeam(store, entry),
		url,
		pathParameters: toStrings(params),
		bodyProblem: noteBody(entry, typeof body === 'string' ? body : ''),
	};
}

function noteBody(entry: ReceivedRequest, text: string): string | undefined {
	if (text === '') return 'The request has no body';
	try {
		entry.body = JSON.parse(text);
	} catch {
		entry.body = text;
		return 'The body is not valid JSON';
	}
	const type = entry.headers['content-type'] ?? '';
	return /^application\/json\b/i.test(type) ? undefined : 'Content-Type must be application/json';
}

function toStrings(params: unknown): Record<string, string> {
	if (typeof params !== 'object' || params === null) return {};
	return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
}
