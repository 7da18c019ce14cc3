import type { OperationId } from '../contract.ts';
import type { Handler } from './handler.ts';
import * as agent from './agent.ts';
import * as agentVersion from './agentVersion.ts';
import * as inbox from './inbox.ts';
import * as message from './message.ts';
import * as messageTemplate from './messageTemplate.ts';
import * as oneTimePassword from './oneTimePassword.ts';
import * as user from './user.ts';

type ResourceOf<Id> = Id extends `${infer Resource}.${string}` ? Resource : never;

/** By resource, a handler for each of its operations in openapi.yaml, under the operation's name. */
type Resources = {
	[Resource in ResourceOf<OperationId>]: {
		[Id in OperationId as Id extends `${Resource}.${infer Name}` ? Name : never]: Handler<Id>;
	};
};

const resources: Resources = {
	agent,
	agentVersion,
	inbox,
	message,
	messageTemplate,
	oneTimePassword,
	user,
};

/** One handler for every operation of openapi.yaml, by its operationId. */
export const handlers = Object.fromEntries(
	Object.entries(resources).flatMap(([resource, operations]) =>
		Object.entries(operations).map(([name, handler]) => [`${resource}.${name}`, handler]),
	),
);
