import type { OperationId } from '../contract.ts';
import type { Handler } from './handler.ts';
import * as inbox from './inbox.ts';
import * as message from './message.ts';
import * as messageTemplate from './messageTemplate.ts';
import * as otp from './otp.ts';
import * as pipeline from './pipeline.ts';
import * as pipelineVersion from './pipelineVersion.ts';
import * as user from './user.ts';

/** One handler for every operation of openapi.yaml; the type makes sure of it. */
export const handlers: { [Id in OperationId]: Handler<Id> } = {
	'inbox.getAll': inbox.getAll,
	'inbox.createExternal': inbox.createExternal,
	'message.getAll': message.getAll,
	'messageTemplate.getAll': messageTemplate.getAll,
	'otp.verify': otp.verify,
	'pipeline.invokeWebhook': pipeline.invokeWebhook,
	'pipelineVersion.create': pipelineVersion.create,
	'pipelineVersion.update': pipelineVersion.update,
	'user.create': user.create,
};
