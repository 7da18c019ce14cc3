import { readFileSync } from 'node:fs';

import { parse } from 'yaml';

/** A part of openapi.yaml, or of a preview. */
type Part = Record<string, unknown>;

/** Where n8n looks for the previews of a node of version 1. */
export const PREVIEWS = 'nodes/MessagingService/__schema__/v1.0.0';

/**
 * n8n's previews: the shape of what each operation puts out, by the name of its file below PREVIEWS.
 * They come from openapi.yaml: what is under `x-outputs`, or else the object in the service's answer.
 */
export function readPreviews(): Map<string, Part> {
	const file = new URL('../openapi.yaml', import.meta.url);
	const document = asPart(parse(readFileSync(file, 'utf8')));
	const shapes = new Shapes(document);
	const outputs = { ...answersIn(document), ...asPart(document['x-outputs']) };
	return new Map(
		Object.entries(outputs).map(([operationId, schema]) => [
			`${operationId.replace('.', '/')}.json`,
			{ ...shapes.ofItem(schema), version: 1 },
		]),
	);
}

/** The schema of each operation's answer. */
function answersIn(document: Part): Part {
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

/** What n8n understands of the schemas in a document: types, properties and items. */
class Shapes {
	private readonly document: Part;

	constructor(document: Part) {
		this.document = document;
	}

	/** The shape of an item: of the answer itself, or of what is in its `data`, once for each of a list. */
	ofItem(schema: unknown): Part {
		const { data } = asPart(this.resolve(schema).properties);
		return this.of(data === undefined ? schema : (this.resolve(data).items ?? data));
	}

	private of(schema: unknown): Part {
		const { type, properties, items } = this.resolve(schema);
		const members = Object.entries(asPart(properties));
		return {
			type,
			...(members.length > 0 && {
				properties: Object.fromEntries(members.map(([name, member]) => [name, this.of(member)])),
			}),
			...(this.resolve(items).type !== undefined && { items: this.of(items) }),
		};
	}

	private resolve(schema: unknown): Part {
		const { $ref, allOf = [], ...rest } = asPart(schema);
		const parts = [
			...(typeof $ref === 'string' ? [this.resolve(this.find($ref))] : []),
			...(Array.isArray(allOf) ? allOf.map((part) => this.resolve(part)) : []),
			rest,
		];
		const properties = Object.assign({}, ...parts.map((part) => part.properties));
		return Object.assign({}, ...parts, Object.keys(properties).length > 0 && { properties });
	}

	private find(reference: string): unknown {
		const keys = reference.replace('#/', '').split('/');
		return keys.reduce<unknown>((part, key) => asPart(part)[key], this.document);
	}
}

function asPart(value: unknown): Part {
	return typeof value === 'object' && value !== null
		? Object.fromEntries(Object.entries(value))
		: {};
}
