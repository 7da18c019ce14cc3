import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import type { components, operations } from '../../nodes/MessagingService/api/api.types.ts';

type Schemas = components['schemas'];
type AnyObject = Record<string, unknown>;
type Part<Holder, Key extends string> = Holder extends { [K in Key]?: infer Value } ? Value : never;

/** openapi.yaml as text in JSON: a copy of its own is a parse away. */
export const contractJson = JSON.stringify(
	parse(readFileSync(join(import.meta.dirname, '../../openapi.yaml'), 'utf8')),
);

/** The operations of openapi.yaml, by operationId. */
export type OperationId = keyof operations;

/** The operations of the endpoint for subscriptions, which is beyond the documented interface. */
export type SubscriptionOperationId = `subscription.${'create' | 'delete'}`;

/** All operations that the stand-in serves. */
export type AnyOperationId = OperationId | SubscriptionOperationId;

/** The parameters and the body of a valid request. */
export type QueryOf<Id extends OperationId> = NonNullable<
	Part<operations[Id]['parameters'], 'query'>
>;
export type PathOf<Id extends OperationId> = NonNullable<
	Part<operations[Id]['parameters'], 'path'>
>;
export type BodyOf<Id extends OperationId> =
	Part<operations[Id], 'requestBody'> extends { content: { 'application/json': infer Body } }
		? Body
		: undefined;

export type Inbox = Schemas['Inbox'];
export type Message = Schemas['Message'];
export type MessageTemplate = Schemas['MessageTemplate'];
export type User = Schemas['User'];
export type WebhookBody = Schemas['WebhookBody'];

/** The contract does not show what the two objects contain, so anything goes. */
export type PipelineVersion = Omit<Schemas['PipelineVersion'], 'schema' | 'pipelineOptions'> & {
	schema: AnyObject;
	pipelineOptions?: AnyObject;
};
