import { type INodeProperties, updateDisplayOptions } from 'n8n-workflow';
import { dropdown, type Field } from '../panel/field';
import { createExternal } from './inbox/createExternal';
import { getAll as getInboxes } from './inbox/getAll';
import { getAll as getMessages } from './message/getAll';
import { waitForReply } from './message/waitForReply';
import { getAll as getTemplates } from './messageTemplate/getAll';
import { fillIn } from './messageTemplate/fillIn';
import type { Operation } from './operation';
import { verify } from './oneTimePassword/verify';
import { start } from './agent/start';
import { create as createVersion } from './agentVersion/create';
import { rename as renameVersion } from './agentVersion/rename';
import { create as createUser } from './user/create';

/** A resource of the action node, with its operations: the first is the default. */
interface Resource {
	name: string;
	description: string;
	operations: readonly [Operation, ...Operation[]];
}

/** The registry: dropdowns, fields and routing all come from it. */
const resources: Record<string, Resource> = {
	agent: {
		name: 'Agent',
		description: 'Text a contact by starting an agent',
		operations: [start],
	},
	agentVersion: {
		name: 'Agent Version',
		description: 'Save and rename versions of an agent',
		operations: [createVersion, renameVersion],
	},
	inbox: {
		name: 'Inbox',
		description: 'The phone numbers and channels of your account',
		operations: [getInboxes, createExternal],
	},
	message: {
		name: 'Message',
		description: 'Find messages, or wait for a reply',
		operations: [getMessages, waitForReply],
	},
	messageTemplate: {
		name: 'Message Template',
		description: 'Reusable texts with placeholders',
		operations: [getTemplates, fillIn],
	},
	oneTimePassword: {
		name: 'One-Time Password',
		description: 'Codes that prove who somebody is',
		operations: [verify],
	},
	user: {
		name: 'User',
		description: 'The people on your team',
		operations: [createUser],
	},
};

/** Finds the operation that the parameters name; undefined when there is none. */
export function findOperation(resource: string, operation: string): Operation | undefined {
	return resources[resource]?.operations.find(({ option }) => option.value === operation);
}

/** The title of each operation, such as "Message: Get Many", by resource and operation. */
const titles = Object.fromEntries(
	Object.entries(resources).flatMap(([resource, { name, operations }]) =>
		operations.map(({ option }) => [`${resource}:${option.value}`, `${name}: ${option.name}`]),
	),
);

/** The expression for the subtitle beneath the node on the canvas: the title of the chosen operation. */
export const subtitle = `={{ (${JSON.stringify(titles)})[$parameter["resource"] + ":" + $parameter["operation"]] }}`;

/** The panel of the action node: the choice of resource and operation, and the fields of each operation. */
export const properties: INodeProperties[] = [
	dropdown({
		displayName: 'Resource',
		name: 'resource',
		noDataExpression: true,
		options: Object.entries(resources).map(([value, { name, description }]) => ({
			name,
			value,
			description,
		})),
		default: 'agent',
	}),
	...Object.entries(resources).flatMap(([resource, { operations }]) => [
		dropdown({
			displayName: 'Operation',
			name: 'operation',
			noDataExpression: true,
			displayOptions: { show: { resource: [resource] } },
			options: operations.map(({ option }) => option).sort((a, b) => a.name.localeCompare(b.name)),
			default: operations[0].option.value,
		}),
		...operations.flatMap(({ option, toolDescription, fields }) =>
			updateDisplayOptions({ show: { resource: [resource], operation: [option.value] } }, [
				toolDescriptionField(toolDescription),
				...fields,
			]),
		),
	]),
];

/** The field that describes the tool to an AI agent. Without it, n8n would give only the action. */
function toolDescriptionField(toolDescription: string): Field {
	return {
		displayName: 'Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 6 },
		displayOptions: { show: { '@tool': [true] } },
		default: toolDescription,
		description: 'What the AI model is told about this tool',
		hint: 'To let the model fill in a field below, select the stars to its right. It cannot change the others.',
	};
}
