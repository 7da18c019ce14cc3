import { readFileSync } from 'node:fs';

import { parse } from 'yaml';

/** A part of openapi.yaml, or of a preview. */
type Part = Record<string, unknown>;

/** Where n8n looks for the previews of a node of version 1. */
export const PREVIEWS = 'nodes/MessagingService/__schema__/v1.0.0';

const document = asPart(parse(readFileSync(new URL('../openapi.yaml', import.meta.url), 'utf8')));

/**
 * n8n's previews: the shape of what each operation puts out, by the name of its file below PREVIEWS.
 * They come from openapi.yaml: what is under `x-outputs`, or else the object in the service's answer.
 */
export function readPreviews(): Map<string, Part> {
	const outputs = { ...readAnswers(), ...asPart(document['x-outputs']) };
	return new Map(
		Object.entries(outputs).map(([operationId, schema]) => [
			`${operationId.replace('.', '/')}.json`,
			{ ...shapeOfItem(schema), version: 1 },
		]),
	);
}

/** The schema of each operation's answer. */
function readAnswers(): Part {
	const operations = Object.values(asPart(document.paths))
		.flatMap((item) => Object.values(asPart(item)))
		.map(asPart)
		.filter(({ operationId }) => operationId !== undefined);
	return Object.fromEntries(
		operations.map(({ operationId, responses }) => {
			const success = Object.entries(asPart(responses)).find(([status]) => status.startsWith('2'));
			const content = asPart(asPart(success?.[1]).content);
			return [operationId, asPart(content['application/json']).schema];
		}),
	);
}

/** The shape of an item: of the answer itself, or of what is in its `data`, once for each of a list. */
function shapeOfItem(schema: unknown): Part {
	const { data } = asPart(resolve(schema).properties);
	return shapeOf(data === undefined ? schema : (resolve(data).items ?? data));
}

/** What n8n understands of a schema: types, properties and items. */
function shapeOf(schema: unknown): Part {
	const { type, properties, items } = resolve(schema);
	const members = Object.entries(asPart(properties));
	return {
		type,
		...(members.length > 0 && {
			properties: Object.fromEntries(members.map(([name, member]) => [name, shapeOf(member)])),
		}),
		...(resolve(items).type !== undefined && { items: shapeOf(items) }),
	};
}

/** A schema with what it refers to and consists of put into one. */
function resolve(schema: unknown): Part {
	const { $ref, allOf = [], ...rest } = asPart(schema);
	const keys = typeof $ref === 'string' ? $ref.replace('#/', '').split('/') : [];
	const parts = [
		...(keys.length > 0
			? [resolve(keys.reduce<unknown>((part, key) => asPart(part)[key], document))]
			: []),
		...(Array.isArray(allOf) ? allOf.map(resolve) : []),
		rest,
	];
	const properties = Object.assign({}, ...parts.map((part) => part.properties));
	return Object.assign({}, ...parts, Object.keys(properties).length > 0 && { properties });
}

function asPart(value: unknown): Part {
	return typeof value === 'object' && value !== null
		? Object.fromEntries(Object.entries(value))
		: {};
}
