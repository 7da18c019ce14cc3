import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { OperationId } from '../../sandbox/service/contract.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { demoTeam, onlyRequest, run, start } from './service.ts';
import { byId, known, lists } from './writes.ts';

interface Expected {
	operation: OperationId;
	parameters: INodeParameters;
	query?: string;
	body?: IDataObject;
	output: unknown;
}

const { agentId, versionId, versionIds } = known;
const schema = { nodes: [] };
const newVersion = {
	versionName: 'Friendlier greeting',
	parentVersionId: versionId,
	newBranch: true,
};
const ada = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };

// That each request has what openapi.yaml asks for is in test/contract.
const cases: Expected[] = [
	{
		operation: 'inbox.createExternal',
		parameters: { name: ' Website chat ' },
		body: { name: 'Website chat' },
		output: { id: expect.any(String), externalId: expect.any(String), name: 'Website chat' },
	},
	{
		operation: 'oneTimePassword.verify',
		parameters: { token: 'a&b=c d+é' },
		query: 'token=a%26b%3Dc%20d%2B%C3%A9',
		output: { result: 'invalid' },
	},
	{
		operation: 'agentVersion.create',
		parameters: {
			agentId,
			simple: false,
			schema: JSON.stringify(schema),
			additionalFields: newVersion,
		},
		body: { schema, ...newVersion },
		output: expect.objectContaining({
			id: expect.any(String),
			number: versionIds.length + 1,
			pipelineId: agentId,
			schema,
			name: newVersion.versionName,
			isLatestLive: false,
		}),
	},
	{
		operation: 'agentVersion.rename',
		parameters: { agentId, versionId, name: 'Autumn' },
		body: { name: 'Autumn' },
		// Each fact once: not also as versionId, versionName and versionNumber.
		output: {
			id: versionId,
			number: 1,
			name: 'Autumn',
			pipelineId: agentId,
			isLatestLive: expect.any(Boolean),
			madeLiveAt: null,
		},
	},
	{
		operation: 'user.create',
		parameters: ada,
		body: ada,
		output: { id: expect.any(String), role: 'member', ...ada },
	},
];

test.each(cases)(
	'$operation sends what was entered and gives what the interface promises',
	async ({ operation, parameters, query = '', body, output }) => {
		const service = await start();
		const result = await run(service, operation, parameters);

		expect(result.error).toBeUndefined();
		expect(result.outputs).toEqual([[{ json: output, pairedItem: { item: 0 } }]]);
		const request = onlyRequest(service);
		expect(request.query).toBe(query);
		expect(request.body).toEqual(body);
		// A password is verified without the key, which is not there under another name either.
		const hasKey = JSON.stringify(request).includes(seeded.demo.apiKey);
		expect(hasKey).toBe(operation !== 'oneTimePassword.verify');
	},
);

test('an empty payload reaches the service as an empty object, not as nothing', async () => {
	const service = await start();
	const options = { startWithoutContact: true };
	await run(service, 'agent.start', { webhook: byId(known.webhookId), options });
	expect(onlyRequest(service).body).toEqual({});
});

test.each(lists)(
	'$operation gives one item per object, as it came',
	async ({ operation, list, parameters }) => {
		const service = await start();
		const { json } = await run(service, operation, { ...parameters, simple: false });
		expect(json).toEqual(list(demoTeam(service)));
		expect(service.received()[0]?.query).toBe('limit=50');
	},
);
