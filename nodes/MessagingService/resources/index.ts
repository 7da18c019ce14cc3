import { type INodeProperties, updateDisplayOptions } from 'n8n-workflow';
import * as inbox from './inbox';
import * as message from './message';
import * as messageTemplate from './messageTemplate';
import type { Operation, Resource } from './operation';
import * as otp from './otp';
import * as pipeline from './pipeline';
import * as pipelineVersion from './pipelineVersion';
import * as user from './user';

const DEFAULT_RESOURCE = 'pipeline';

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
	const operations = Object.values(resources[resource]?.operations ?? {});
	return operations.find(({ option }) => option.value === operation);
}

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
		default: DEFAULT_RESOURCE,
	},
	...Object.entries(resources).map(([name, resource]) => operationField(name, resource)),
	...Object.entries(resources).flatMap(([name, resource]) => operationFields(name, resource)),
];

/** Beneath the node on the canvas: what is chosen in the panel, such as "Message: Get Many". */
export const subtitle = `={{ (${JSON.stringify(titles())})[$parameter["resource"] + ":" + $parameter["operation"]] }}`;

function titles(): Record<string, string> {
	return Object.fromEntries(
		Object.entries(resources).flatMap(([value, { name, operations }]) =>
			Object.values(operations).map(({ option }) => [
				`${value}:${option.value}`,
				`${name}: ${option.name}`,
			]),
		),
	);
}

function operationField(name: string, resource: Resource): INodeProperties {
	const options = Object.values(resource.operations)
		.map(({ option }) => option)
		.sort((a, b) => a.name.localeCompare(b.name));
	const { getAll } = resource.operations;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [name] } },
		options,
		default: (getAll?.option ?? options[0]).value,
	};
}

function operationFields(name: string, resource: Resource): INodeProperties[] {
	return Object.values(resource.operations).flatMap((operation) =>
		updateDisplayOptions(
			{ show: { resource: [name], operation: [String(operation.option.value)] } },
			[toolDescriptionField(operation), ...operation.fields],
		),
	);
}

/** The field by which n8n tells an AI agent of its tools. Of its own n8n would only say the action. */
function toolDescriptionField({ toolDescription }: Operation): INodeProperties {
	return {
		displayName: 'Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 4 },
		displayOptions: { show: { '@tool': [true] } },
		default: toolDescription,
		description: 'What the AI model is told about this tool, so that it knows when to use it',
		hint: 'To have the model fill in a field below, select the stars at its right. It cannot change the others.',
	};
}
