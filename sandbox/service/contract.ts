import type { components, operations } from '../../nodes/MessagingService/api/api.types.ts';

type Schemas = components['schemas'];
type AnyObject = Record<string, unknown>;

/** The nine operations of openapi.yaml, by operationId. */
export type OperationId = keyof operations;

export type Inbox = Schemas['Inbox'];
export type ExternalInbox = Schemas['ExternalInbox'];
export type Message = Schemas['Message'];
export type MessageTemplate = Schemas['MessageTemplate'];
export type User = Schemas['User'];
export type WebhookBody = Schemas['WebhookBody'];

/** The contract does not show what the two objects contain, so anything goes. */
export type PipelineVersion = Omit<Schemas['PipelineVersion'], 'schema' | 'pipelineOptions'> & {
	schema: AnyObject;
	pipelineOptions?: AnyObject;
};
