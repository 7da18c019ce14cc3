import type { Document } from 'openapi-backend';
import { contractJson } from './contract.ts';
import type { CustomNames } from './settings.ts';

type Node = Record<string, unknown>;

/**
 * Reads openapi.yaml as a deployment with these names would have written it. Which names can change
 * says the document itself, in `x-custom-name`; a renamed parameter keeps its name of the contract in
 * `x-contract-name`, by which handlers know it.
 */
export function loadDocument(names: CustomNames): Document {
	return JSON.parse(contractJson, (key: string, value: unknown) => {
		if (!isNode(value)) return value;
		if (key === 'paths') return renamePaths(value, names);
		if (value.in === 'query') return renameParameter(value, names);
		return value;
	});
}

/** Reads an extension (`x-…`) of a part of the document. */
export function readExtension(part: object, name: `x-${string}`): string | undefined {
	const value: unknown = Reflect.get(part, name);
	return typeof value === 'string' ? value : undefined;
}

function isNode(value: unknown): value is Node {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function renamePaths(paths: Node, { connectorSegment }: CustomNames): Node {
	return Object.fromEntries(
		Object.entries(paths).map(([path, item]) => {
			const custom = isNode(item) && item['x-custom-name'] === 'connectorSegment';
			return [custom ? path.replace(/[^/]+(?=-connector\/)/, connectorSegment) : path, item];
		}),
	);
}

function renameParameter(parameter: Node, names: CustomNames): Node {
	const renamed: Node = { ...parameter, 'x-contract-name': parameter.name };
	switch (parameter['x-custom-name']) {
		case 'inboxIdsParameter':
			renamed.name = names.inboxIdsParameter + (names.inboxIdsFormat === 'brackets' ? '[]' : '');
			renamed.explode = names.inboxIdsFormat !== 'comma';
			return renamed;
		case 'afterParameter':
		case 'beforeParameter':
			renamed.name = names[parameter['x-custom-name']];
			if (names.dateFormat !== 'iso') renamed.schema = { type: 'number' };
			return renamed;
		case 'limitParameter':
		case 'pageParameter':
			renamed.name = names[parameter['x-custom-name']];
			return renamed;
		default:
			return renamed;
	}
}
