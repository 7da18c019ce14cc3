import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { nodeOperations, operationIds } from '../../sandbox/operations.ts';
import { seeded } from '../../sandbox/service/service.ts';
import type { OperationId } from '../../sandbox/service/contract.ts';
import { demoTeam, onlyRequest, run, start } from './service.ts';
import { byId, known, lists, numbered } from './writes.ts';

const KEY = seeded.demo.apiKey;

interface Expected {
	operation: OperationId;
	parameters: INodeParameters;
	query?: string;
	body?: IDataObject;
	output: unknown;
}

const cases: Expected[] = [
	{
		operation: 'inbox.createExternal',
		parameters: { name: ' Website chat ' },
		body: { name: 'Website chat' },
		output: { id: expect.any(String), externalId: expect.any(String), name: 'Website chat' },
	},
	{
		operation: 'otp.verify',
		parameters: { token: 'a&b=c d+é' },
		query: 'token=a%26b%3Dc%20d%2B%C3%A9',
		output: { result: 'invalid' },
	},
	{
		operation: 'pipelineVersion.create',
		parameters: {
			pipelineId: known.pipelineId,
			simple: false,
			schema: '{ "nodes": [] }',
			additionalFields: {
				versionName: 'Friendlier greeting',
				parentVersionId: known.versionId,
				newBranch: true,
			},
		},
		body: {
			schema: { nodes: [] },
			versionName: 'Friendlier greeting',
			parentVersionId: known.versionId,
			newBranch: true,
		},
		output: expect.objectContaining({
			id: expect.any(String),
			number: known.versionIds.length + 1,
			pipelineId: known.pipelineId,
			schema: { nodes: [] },
			name: 'Friendlier greeting',
			isLatestLive: false,
		}),
	},
	{
		operation: 'pipelineVersion.update',
		parameters: { pipelineId: known.pipelineId, versionId: known.versionId, name: 'Autumn' },
		body: { name: 'Autumn' },
		// Each fact once: not also as versionId, versionName and versionNumber.
		output: {
			id: known.versionId,
			number: 1,
			name: 'Autumn',
			pipelineId: known.pipelineId,
			isLatestLive: expect.any(Boolean),
			madeLiveAt: null,
		},
	},
	{
		operation: 'user.create',
		parameters: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' },
		body: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' },
		output: {
			id: expect.any(String),
			email: 'ada@example.com',
			role: 'member',
			firstName: 'Ada',
			lastName: 'Lovelace',
		},
	},
];

test.each(cases)(
	'$operation sends what the interface says and gives what it promises ($parameters)',
	async ({ operation, parameters, query = '', body, output }) => {
		const service = await start();
		const result = await run(service, operation, parameters);

		expect(result.error).toBeUndefined();
		expect(result.outputs).toEqual([[{ json: output, pairedItem: { item: 0 } }]]);
		const request = onlyRequest(service);
		// The stand-in knows an operation by its method and path in openapi.yaml.
		expect(request).toMatchObject({ operationId: operation, query });
		expect(request.body).toEqual(body);
		if (operation !== 'otp.verify') expect(request.headers.apikey).toBe(KEY);
		// Not even under another name.
		else expect(JSON.stringify(request)).not.toContain(KEY);
		expect(request.headers['content-type']).toBe(body && 'application/json');
	},
);

test('an empty payload reaches the service as an empty object, not as nothing', async () => {
	const service = await start();
	const options = { startWithoutContact: true };
	await run(service, 'pipeline.invokeWebhook', { webhookId: byId(known.webhookId), options });
	expect(onlyRequest(service).body).toEqual({});
});

test.each(lists)(
	'$operation gives one item per object, as it came',
	async ({ operation, list, parameters }) => {
		const service = await start();
		const { json } = await run(service, operation, { ...parameters, simple: false });
		const [request] = service.received();
		expect(json).toEqual(list(demoTeam(service)));
		expect(request).toMatchObject({ operationId: operation, method: 'GET', query: 'limit=50' });
		expect(request?.headers).toMatchObject({ apikey: KEY });
		expect(request?.headers).not.toHaveProperty('content-type');
	},
);

test.each(operationIds)('%s pairs every output item with its input item', async (id) => {
	const { list, minimal, perItem } = nodeOperations[id];
	const service = await start();
	const parameters = list ? { ...minimal, limit: 2 } : perItem;
	const result = await run(service, id, parameters, { input: numbered(3) });
	expect(result.error).toBeUndefined();
	expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
		[0, 1, 2].flatMap((item) => Array.from({ length: list ? 2 : 1 }, () => ({ item }))),
	);
});
