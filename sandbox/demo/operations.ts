import type { INode, INodeTypeDescription } from 'n8n-workflow';

import { PACKAGE_NAME } from '../n8n/paths.ts';

/** What a node of this package is set to do. */
export interface ChosenOperation {
	resource: string;
	operation: string;
}

/** Nothing is sent, changed or used up by these, so they may run on anyone's data. */
const READ_ONLY = new Set([
	'inbox:getAll',
	'message:getAll',
	'messageTemplate:getAll',
	'messageTemplate:render',
]);

/** Nodes of n8n that can reach somebody by themselves, without a credential. */
const REACHING_OUT = new Set(['n8n-nodes-base.httpRequest', 'n8n-nodes-base.graphql']);

export const operationKey = ({ resource, operation }: ChosenOperation) =>
	`${resource}:${operation}`;

export const isOwnNode = ({ type }: Pick<INode, 'type'>) => type.startsWith(`${PACKAGE_NAME}.`);

const isOwnAction = ({ name }: INodeTypeDescription) => name === `${PACKAGE_NAME}.messagingService`;

/** All pairs of resource and operation that the action node offers, from its description. */
export function offeredOperations(types: INodeTypeDescription[]): ChosenOperation[] {
	const properties = types.find(isOwnAction)?.properties ?? [];
	return properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options = [] }) =>
			(displayOptions?.show?.resource ?? []).flatMap((resource) =>
				options.flatMap((option) =>
					'value' in option
						? [{ resource: String(resource), operation: String(option.value) }]
						: [],
				),
			),
		);
}

/** What an action node does. n8n leaves a value out of an export where it is the default. */
export function chosenOperation(
	node: Pick<INode, 'type' | 'parameters'>,
	types: INodeTypeDescription[],
): ChosenOperation | undefined {
	// As a tool the node has a type of its own, with the same parameters.
	const type = types.find(({ name }) => name === node.type.replace(/Tool$/, ''));
	if (!type || !isOwnAction(type)) return undefined;
	const defaultOf = (name: string, resource?: string) =>
		type.properties.find(
			(property) =>
				property.name === name &&
				(resource === undefined || property.displayOptions?.show?.resource?.includes(resource)),
		)?.default;
	const resource = String(node.parameters.resource ?? defaultOf('resource'));
	const operation = String(node.parameters.operation ?? defaultOf('operation', resource));
	return { resource, operation };
}

/** Whether a workflow certainly sends and changes nothing. */
export function isReadOnly(nodes: INode[], types: INodeTypeDescription[]): boolean {
	return nodes.every((node) => {
		if (REACHING_OUT.has(node.type)) return false;
		if (!isOwnNode(node)) return true;
		const chosen = chosenOperation(node, types);
		// A node without operations is the trigger.
		return chosen === undefined || READ_ONLY.has(operationKey(chosen));
	});
}
