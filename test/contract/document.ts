import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

import { isRecord } from '../../sandbox/json.ts';
import type { OperationId } from '../../sandbox/service/contract.ts';

export interface Parameter {
	name: string;
	in: 'query' | 'path' | 'header';
	required?: boolean;
	schema: Record<string, unknown>;
}

export interface Operation {
	operationId: OperationId;
	/** Where it is in the document. */
	path: string;
	method: string;
	parameters: Parameter[];
	responses: Record<string, unknown>;
	hasBody: boolean;
	needsKey: boolean;
	/** The schema in `components` of what it answers, of a list that of its entries; undefined for a bare value. */
	answer?: string;
}

interface Document {
	paths: Record<string, Record<string, unknown>>;
	security: unknown[];
	components: { parameters: Record<string, Parameter> };
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** openapi.yaml as it is. */
export const document: Document = parse(
	readFileSync(join(import.meta.dirname, '../../openapi.yaml'), 'utf8'),
);

/** All operations of openapi.yaml. */
export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
	METHODS.filter((method) => method in item).map((method) => readOperation(path, method, item)),
);

const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes: false });
addFormats(ajv);
ajv.addSchema({ $id: 'openapi', ...document });

/** Compiles the schema at a place in the document, named by its keys. */
export function validatorAt(...keys: string[]) {
	const pointer = keys
		.map((key) => encodeURIComponent(key.replace(/~/g, '~0').replace(/\//g, '~1')))
		.join('/');
	return ajv.compile({ $ref: `openapi#/${pointer}` });
}

/** Compiles a schema of its own. */
export function validatorOf(schema: Record<string, unknown>) {
	return ajv.compile(schema);
}

function readOperation(path: string, method: string, item: Record<string, unknown>): Operation {
	const operation = item[method];
	if (!isRecord(operation)) throw new Error(`${method} ${path} is no operation`);
	const {
		operationId,
		parameters = [],
		requestBody,
		responses,
		security = document.security,
	} = operation;
	return {
		operationId: operationId as OperationId,
		path,
		method,
		parameters: (parameters as Array<Parameter | { $ref: string }>).map(resolve),
		responses: isRecord(responses) ? responses : {},
		hasBody: requestBody !== undefined,
		needsKey: Array.isArray(security) && security.length > 0,
		answer: answerOf(responses),
	};
}

/** A list refers to the envelope first, and to its entries last. */
function answerOf(responses: unknown): string | undefined {
	const success = Object.entries(Object(responses)).find(([status]) => status.startsWith('2'));
	return findReferences(success).at(-1)?.replace('#/components/schemas/', '');
}

/** All references within a part of the document. */
function findReferences(part: unknown): string[] {
	if (Array.isArray(part)) return part.flatMap(findReferences);
	if (!isRecord(part)) return [];
	const { $ref, ...rest } = part;
	return [
		...(typeof $ref === 'string' ? [$ref] : []),
		...Object.values(rest).flatMap(findReferences),
	];
}

function resolve(parameter: Parameter | { $ref: string }): Parameter {
	if (!('$ref' in parameter)) return parameter;
	const name = parameter.$ref.replace('#/components/parameters/', '');
	const resolved = document.components.parameters[name];
	if (!resolved) throw new Error(`${parameter.$ref} is missing`);
	return resolved;
}
