import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import type { components, operations } from '../../nodes/MessagingService/api/api.types.ts';

type Schemas = components['schemas'];
type AnyObject = Record<string, unknown>;
type Part<Holder, Key extends string> = Holder extends { [K in Key]?: infer Value } ? Value : never;

/** What a deployment may spell differently; the defaults are those of openapi.yaml. */
export interface ApiNames {
	connectorSegment: string;
	inboxIdsParameter: string;
	inboxIdsFormat: 'repeat' | 'brackets' | 'comma';
	afterParameter: string;
	beforeParameter: string;
	dateFormat: 'iso' | 'unixSeconds' | 'unixMilliseconds';
	limitParameter: string;
	pageParameter: string;
}

/** A parameter in openapi.yaml, as far as the stand-in reads it. */
export interface Parameter {
	name: string;
	in: 'query' | 'path';
	required?: boolean;
	schema: { type: string; format?: string };
	'x-override-name'?: keyof ApiNames;
}

/** An operation in openapi.yaml. */
export interface ContractOperation {
	operationId: OperationId;
	/** Empty where no key is needed. */
	security?: unknown[];
	parameters?: Array<Parameter | { $ref: string }>;
	requestBody?: { content: { 'application/json': { schema: { $ref: string } } } };
	/** By their status. */
	responses: Record<string, { content?: object }>;
}

interface Document {
	/** By path and method; extensions of a path are text. */
	paths: Record<string, Record<string, ContractOperation | string>>;
	components: {
		parameters: Record<string, Parameter>;
		schemas: Record<string, { properties?: object }>;
	};
}

/** openapi.yaml. */
export const contract: Document = parse(
	readFileSync(join(import.meta.dirname, '../../openapi.yaml'), 'utf8'),
);

/** The parameters of an operation, which may be described elsewhere. */
export function parametersOf({ parameters = [] }: Pick<ContractOperation, 'parameters'>) {
	return parameters.map((parameter) =>
		'$ref' in parameter
			? contract.components.parameters[parameter.$ref.split('/').at(-1) ?? '']
			: parameter,
	);
}

/** The operations of openapi.yaml, by operationId. */
export type OperationId = keyof operations;

/** All operations that the stand-in serves: the endpoint for subscriptions is beyond the documented interface. */
export type AnyOperationId = OperationId | `subscription.${'create' | 'delete'}`;

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
