import type { INodeParameters } from 'n8n-workflow';

import type { OperationId } from '../../sandbox/service/contract.ts';
import { inboxId, seeded } from '../../sandbox/service/seed.ts';
import type { ReceivedRequest } from '../../sandbox/service/service.ts';
import { run, start } from '../engine/service.ts';
import { byId, known } from '../engine/writes.ts';
import { operations, validatorAt, validatorOf } from './document.ts';
import type { Operation, Parameter } from './document.ts';

// That the stand-in answers by openapi.yaml, and refuses what it does not have, is in test/service.

const PAGED: INodeParameters = { returnAll: true, options: { page: 1, timeout: 5_000 } };
const VERSION = { pipelineId: known.pipelineId, versionId: known.versionId };

const runs: Record<OperationId, { minimal: INodeParameters; all: INodeParameters }> = {
	'inbox.createExternal': { minimal: { name: 'A' }, all: { name: 'Website chat' } },
	'inbox.getAll': { minimal: {}, all: { ...PAGED, filters: { phone: '+15555550107' } } },
	'message.getAll': {
		minimal: {},
		all: {
			...PAGED,
			simple: false,
			filters: {
				inboxIds: [0, 1, 2, 3, 4, 5, 6, 7].map((index) => byId(inboxId(1, index))),
				after: '2000-01-01T08:00:00',
				before: '2100-01-01',
			},
		},
	},
	'messageTemplate.getAll': { minimal: { limit: 1 }, all: PAGED },
	'otp.verify': { minimal: { token: 'a' }, all: { token: 'otp-demo-111111 & more' } },
	'pipeline.invokeWebhook': {
		minimal: { webhookId: byId(known.webhookId) },
		all: {
			webhookId: byId(known.webhookId),
			phone: '+1 (555) 555-0142',
			payloadMode: 'json',
			payloadJson: '{ "lead": { "id": 7, "tags": ["new"] } }',
			options: { outboundDial: true, requestsPerMinute: 500, retryOnServerError: true },
		},
	},
	'pipelineVersion.create': {
		minimal: { pipelineId: known.pipelineId, schema: '{}' },
		all: {
			pipelineId: known.pipelineId,
			schema: '{ "nodes": [] }',
			additionalFields: {
				versionName: 'Autumn',
				parentVersionId: known.versionId,
				newBranch: true,
			},
		},
	},
	'pipelineVersion.update': {
		minimal: { ...VERSION, name: 'A' },
		all: { ...VERSION, name: 'Autumn' },
	},
	'user.create': {
		minimal: { email: 'ada@example.com' },
		all: { email: 'grace@example.com', firstName: 'Grace', lastName: 'Hopper' },
	},
};

describe.each(operations)('$operationId sends only what openapi.yaml has', (operation) => {
	test.each(['minimal', 'all'] as const)('with %s parameters', async (extent) => {
		const service = await start();
		const { operationId } = operation;
		const result = await run(service, operationId, runs[operationId][extent]);
		expect(result.error).toBeUndefined();
		expect(service.received().length).toBeGreaterThan(0);
		for (const request of service.received()) expectValid(operation, request);
	});
});

test('all parameters that openapi.yaml has are sent by some run', async () => {
	for (const { operationId, parameters } of operations) {
		const service = await start({ messages: 1_000, inboxes: 120, templates: 120 });
		const all = runs[operationId].all;
		const { filters, ...unfiltered } = all;
		await run(service, operationId, { ...all, options: {} });
		if (filters) await run(service, operationId, { ...unfiltered, options: {} });
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
