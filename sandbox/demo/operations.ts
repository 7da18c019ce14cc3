import type { INode, INodeTypeDescription } from 'n8n-workflow';

import { ACTION_TYPE } from '../n8n/nodeTypes.ts';
import { PACKAGE_NAME } from '../n8n/paths.ts';
import { isNodeOperation, nodeOperations } from '../operations.ts';

/** Nodes of n8n that can reach somebody by themselves, without a credential. */
const REACHING_OUT = new Set(['n8n-nodes-base.httpRequest', 'n8n-nodes-base.graphql']);

export const isOwnNode = ({ type }: Pick<INode, 'type'>) => type.startsWith(`${PACKAGE_NAME}.`);

const isOwnAction = ({ name }: INodeTypeDescription) => name === ACTION_TYPE;

/** All operations that the action node offers by its description, as `resource.operation`. */
export function operationsOf({ properties }: Pick<INodeTypeDescription, 'properties'>): string[] {
	const fields = properties.filter(({ name }) => name === 'operation');
	return fields.flatMap(({ displayOptions, options = [] }) =>
		(displayOptions?.show?.resource ?? []).flatMap((resource) =>
			options.flatMap((option) => ('value' in option ? [`${resource}.${option.value}`] : [])),
		),
	);
}

/** What an action node does, as `resource.operation`. n8n leaves a value out of an export where it is the default. */
export function chosenOperation(
	node: Pick<INode, 'type' | 'parameters'>,
	types: INodeTypeDescription[],
): string | undefined {
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
	return `${resource}.${operation}`;
}

/** Whether a workflow certainly sends and changes nothing. */
export function isReadOnly(nodes: INode[], types: INodeTypeDescription[]): boolean {
	return nodes.every((node) => {
		if (REACHING_OUT.has(node.type)) return false;
		if (!isOwnNode(node)) return true;
		const chosen = chosenOperation(node, types);
		// A node without operations is the trigger.
		if (chosen === undefined) return true;
		return isNodeOperation(chosen) && nodeOperations[chosen].effect === 'reads';
	});
}
