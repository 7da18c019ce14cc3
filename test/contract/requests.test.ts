import { nodeOperations } from '../../sandbox/operations.ts';
import { seeded, type ReceivedRequest } from '../../sandbox/service/service.ts';
import { run, start } from '../engine/service.ts';
import {
	operations,
	validatorAt,
	validatorOf,
	type Operation,
	type Parameter,
} from './document.ts';

// That the stand-in answers by openapi.yaml, and refuses what it does not have, is in test/service.

describe.each(operations)('$operationId sends only what openapi.yaml has', (operation) => {
	test.each(['minimal', 'full'] as const)('with %s parameters', async (extent) => {
		const service = await start();
		const { operationId } = operation;
		const result = await run(service, operationId, nodeOperations[operationId][extent]);
		expect(result.error).toBeUndefined();
		expect(service.received().length).toBeGreaterThan(0);
		for (const request of service.received()) expectValid(operation, request);
	});
});

test('all parameters that openapi.yaml has are sent by some run', async () => {
	for (const { operationId, parameters } of operations) {
		const service = await start({ messages: 1_000, inboxes: 120, templates: 120 });
		const { full } = nodeOperations[operationId];
		await run(service, operationId, full);
		const sent = service.received().flatMap(({ query }) => [...new URLSearchParams(query).keys()]);
		const declared = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
		expect([...new Set(sent)].sort()).toEqual(declared.sort());
	}
});

function expectValid(operation: Operation, request: ReceivedRequest): void {
	const { operationId, path, method, parameters, hasBody, needsKey } = operation;
	expect(request.operationId).toBe(operationId);
	expect(request.method).toBe(method.toUpperCase());
	expect(request.headers.apikey).toBe(needsKey ? seeded.demo.apiKey : undefined);

	const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
	const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`);
	const values = pattern.exec(request.path)?.slice(1) ?? [];
	expect(values).toHaveLength(names.length);
	const inPath = Object.fromEntries(names.map((name, index) => [name, values[index]]));

	const query = new URLSearchParams(request.query);
	const inQuery = parameters.filter((each) => each.in === 'query');
	expect(inQuery.map(({ name }) => name)).toEqual(expect.arrayContaining([...query.keys()]));
	for (const parameter of parameters) {
		const given = parameter.in === 'path' ? inPath[parameter.name] : valueOf(query, parameter);
		if (given === undefined) expect(parameter.required ?? false).toBe(false);
		else expectNoErrors(validatorOf(parameter.schema), given);
	}

	if (!hasBody) {
		expect(request.body).toBeUndefined();
		expect(request.headers['content-type']).toBeUndefined();
		return;
	}
	const type = 'application/json';
	expect(request.headers['content-type']).toBe(type);
	const schema = ['paths', path, method, 'requestBody', 'content', type, 'schema'];
	expectNoErrors(validatorAt(...schema), request.body);
}

/** A value of the query in the type that its schema has. */
function valueOf(query: URLSearchParams, { name, schema }: Parameter): unknown {
	if (!query.has(name)) return undefined;
	if (schema.type === 'array') return query.getAll(name);
	expect(query.getAll(name)).toHaveLength(1);
	return schema.type === 'number' ? Number(query.get(name)) : query.get(name);
}

function expectNoErrors(validate: ReturnType<typeof validatorOf>, value: unknown): void {
	validate(value);
	expect(validate.errors).toBeNull();
}
