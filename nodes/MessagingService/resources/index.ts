import { type INodeProperties, updateDisplayOptions } from 'n8n-workflow';
import { toolDescriptionField } from '../panel/tool';
import * as inbox from './inbox';
import * as message from './message';
import * as messageTemplate from './messageTemplate';
import type { Operation, Resource } from './operation';
import * as otp from './otp';
import * as pipeline from './pipeline';
import * as pipelineVersion from './pipelineVersion';
import * as user from './user';

/** The registry: dropdowns, fields and routing all come from it. */
const resources: Record<string, Resource> = {
	pipeline: {
		name: 'Agent',
		description: 'Text a contact by starting an agent (pipeline)',
		operations: pipeline,
	},
	pipelineVersion: {
		name: 'Agent Version',
		description: 'Save and rename versions of an agent (pipeline)',
		operations: pipelineVersion,
	},
	inbox: {
		name: 'Inbox',
		description: 'The phone numbers and external channels of your account',
		operations: inbox,
	},
	message: {
		name: 'Message',
		description: 'Find messages that were sent and received, or wait for a reply',
		operations: message,
	},
	messageTemplate: {
		name: 'Message Template',
		description: 'Reusable texts with placeholders',
		operations: messageTemplate,
	},
	otp: {
		name: 'One-Time Password',
		description: 'Codes that prove that people are who they say they are',
		operations: otp,
	},
	user: {
		name: 'User',
		description: 'The people on your team',
		operations: user,
	},
};

/** Finds the operation that the parameters name; undefined when there is none. */
export function findOperation(resource: string, operation: string): Operation | undefined {
	const { operations = {} } = resources[resource] ?? {};
	return Object.values(operations).find(({ option }) => option.value === operation);
}

/** All operations, each with its resource. */
const offered = Object.entries(resources).flatMap(([resource, { name, operations }]) =>
	Object.values(operations).map((operation) => ({ resource, name, operation })),
);

/** The title of each operation, such as "Message: Get Many", by resource and operation. */
const titles = Object.fromEntries(
	offered.map(({ resource, name, operation: { option } }) => [
		`${resource}:${option.value}`,
		`${name}: ${option.name}`,
	]),
);

/** The expression for the subtitle beneath the node on the canvas: the title of the chosen operation. */
export const subtitle = `={{ (${JSON.stringify(titles)})[$parameter["resource"] + ":" + $parameter["operation"]] }}`;

export const properties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: Object.entries(resources).map(([value, { name, description }]) => ({
			name,
			value,
			description,
		})),
		default: 'pipeline',
	},
	...Object.entries(resources).map(([name, { operations }]) => operationField(name, operations)),
	...offered.flatMap(({ resource, operation }) =>
		updateDisplayOptions(
			{ show: { resource: [resource], operation: [String(operation.option.value)] } },
			[toolDescriptionField(operation.toolDescription), ...operation.fields],
		),
	),
];

/** The dropdown of a resource's operations. Its default is Get Many, if the resource has it. */
function operationField(resource: string, operations: Resource['operations']): INodeProperties {
	const options = Object.values(operations)
		.map(({ option }) => option)
		.sort((a, b) => a.name.localeCompare(b.name));
	const { value } = operations.getAll?.option ?? options[0];
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options,
		default: value,
	};
}
