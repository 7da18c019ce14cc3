import type { Answer } from './answer.ts';
import type { AnyOperationId } from './contract.ts';
import type { ReceivedRequest } from './receiveLog.ts';
import type { Runtime } from './runtime.ts';
import type { Dialect } from './settings.ts';
import type { Team } from './store.ts';

/** A request to an operation, read completely. */
export interface Incoming {
	/** The log's entry, which has the parsed body. */
	entry: ReceivedRequest;
	/** The team whose key was sent. */
	team: Team | undefined;
	path: Record<string, string>;
	/** Why the body cannot be used; undefined when it is JSON. */
	bodyProblem: string | undefined;
}

/** An operation and where it is served. */
export interface Route {
	operationId: AnyOperationId;
	method: string;
	/** With parameters such as `{id}`. */
	template: string;
	/** Processes a request completely and says what to answer. */
	process(incoming: Incoming, runtime: Runtime): Answer;
}

/** The parameters in a path that belongs to a template in a dialect; undefined for another path. */
export function matchPath(
	template: string,
	path: string,
	{ basePath, overrideNames }: Dialect,
): Record<string, string> | undefined {
	const spelled = template.replace(/[^/]+(?=-connector\/)/, overrideNames.connectorSegment);
	const wanted = `${basePath}${spelled}`.split('/');
	const given = path.split('/');
	if (wanted.length !== given.length) return undefined;
	const parameters: Record<string, string> = {};
	for (const [index, name] of wanted.entries()) {
		const value = decodeURIComponent(given[index] ?? '');
		if (name.startsWith('{')) parameters[name.slice(1, -1)] = value;
		else if (name !== value) return undefined;
	}
	return parameters;
}
