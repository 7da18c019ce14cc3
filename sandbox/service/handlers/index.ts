import type { OperationId } from '../contract.ts';
import type { Handler } from './handler.ts';
import * as inbox from './inbox.ts';
import * as message from './message.ts';
import * as messageTemplate from './messageTemplate.ts';
import * as otp from './otp.ts';
import * as pipeline from './pipeline.ts';
import * as pipelineVersion from './pipelineVersion.ts';
import * as user from './user.ts';

type ResourceOf<Id> = Id extends `${infer Resource}.${string}` ? Resource : never;

/** By resource, a handler for each of its operations in openapi.yaml, under the operation's name. */
type Resources = {
	[Resource in ResourceOf<OperationId>]: {
		[Id in OperationId as Id extends `${Resource}.${infer Name}` ? Name : never]: Handler<Id>;
	};
};

const resources: Resources = {
	inbox,
	message,
	messageTemplate,
	otp,
	pipeline,
	pipelineVersion,
	user,
};

/** One handler for every operation of openapi.yaml, by its operationId. */
export const handlers = Object.fromEntries(
	Object.entries(resources).flatMap(([resource, operations]) =>
		Object.entries(operations).map(([name, handler]) => [`${resource}.${name}`, handler]),
	),
);
