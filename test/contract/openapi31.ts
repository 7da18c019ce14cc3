/**
 * The structure of an OpenAPI 3.1 document as a JSON Schema, closed, for the parts of the standard that
 * openapi.yaml uses. Schema Objects are JSON Schemas and checked as such, see `isSchema`.
 */
const object = (
	properties: Record<string, unknown>,
	required: string[] = [],
	more: Record<string, unknown> = {},
) => ({
	type: 'object',
	properties,
	required,
	patternProperties: { '^x-[a-z-]+$': true },
	additionalProperties: false,
	...more,
});
const map = (values: unknown, names?: string) => ({
	type: 'object',
	additionalProperties: values,
	...(names === undefined ? {} : { propertyNames: { pattern: names } }),
});
const list = (items: unknown) => ({ type: 'array', items });
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const text = { type: 'string', minLength: 1 };
const schema = { type: 'object' };
const NAME = '^[a-zA-Z0-9._-]+$';

const reference = object({ $ref: { type: 'string', pattern: '^#/components/' } }, ['$ref']);
const orReference = (name: string) => ({
	if: { required: ['$ref'] },
	then: reference,
	else: ref(name),
});

export const openapi31 = {
	...object(
		{
			openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
			info: object(
				{
					title: text,
					version: text,
					description: text,
					license: object({ name: text, identifier: text }, ['name']),
				},
				['title', 'version'],
			),
			servers: list(object({ url: { type: 'string', format: 'uri' }, description: text }, ['url'])),
			security: list(ref('security')),
			tags: list(object({ name: text, description: text }, ['name'])),
			paths: {
				type: 'object',
				patternProperties: { '^/': ref('pathItem') },
				additionalProperties: false,
			},
			components: object({
				schemas: map(schema, NAME),
				parameters: map(ref('parameter'), NAME),
				responses: map(ref('response'), NAME),
				securitySchemes: map(ref('securityScheme'), NAME),
			}),
		},
		['openapi', 'info', 'paths'],
	),
	$defs: {
		security: map(list(text)),
		pathItem: object({
			summary: text,
			description: text,
			parameters: list(orReference('parameter')),
			...Object.fromEntries(
				['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'].map((method) => [
					method,
					ref('operation'),
				]),
			),
		}),
		operation: object(
			{
				operationId: text,
				tags: list(text),
				summary: text,
				description: text,
				deprecated: { type: 'boolean' },
				security: list(ref('security')),
				parameters: { ...list(orReference('parameter')), uniqueItems: true },
				requestBody: object(
					{ description: text, required: { type: 'boolean' }, content: ref('content') },
					['content'],
				),
				responses: {
					type: 'object',
					minProperties: 1,
					patternProperties: { '^([1-5](\\d\\d|XX)|default)$': orReference('response') },
					additionalProperties: false,
				},
			},
			['operationId', 'responses'],
		),
		parameter: object(
			{
				name: text,
				in: { enum: ['query', 'path', 'header', 'cookie'] },
				description: text,
				required: { type: 'boolean' },
				deprecated: { type: 'boolean' },
				style: { enum: ['form', 'simple', 'spaceDelimited', 'pipeDelimited', 'deepObject'] },
				explode: { type: 'boolean' },
				schema,
			},
			['name', 'in', 'schema'],
			{
				if: { properties: { in: { const: 'path' } } },
				then: { properties: { required: { const: true } }, required: ['required'] },
			},
		),
		response: object({ description: text, headers: map(true), content: ref('content') }, [
			'description',
		]),
		content: map(object({ schema, example: true }), '^[a-z]+/[a-z0-9.+*-]+$'),
		securityScheme: object(
			{
				type: { const: 'apiKey' },
				in: { enum: ['header', 'query', 'cookie'] },
				name: text,
				description: text,
			},
			['type', 'in', 'name'],
		),
	},
};
