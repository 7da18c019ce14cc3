/** Every operation in workflows that a real n8n runs. */
import type { INodeParameters } from 'n8n-workflow';

import { nodeOperations, operationIds, type NodeOperation } from '../../sandbox/operations.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { itemsNode, START_TIMEOUT_MS, startSandbox, type Sandbox } from './sandbox.ts';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox();
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const [webhookId = ''] = seeded.demo.webhookIds;
const [pipeline = { id: '', versionIds: [] }] = seeded.demo.pipelines;
const [versionId = ''] = pipeline.versionIds;
const webhook = { __rl: true, mode: 'id', value: webhookId };

interface Case {
	parameters: INodeParameters;
	/** How many items come out, 1 unless given. */
	count?: number;
	/** What the first item has. */
	first: object;
}

/** What comes out of operations that are looked at more closely than in sandbox/operations.ts. */
const CASES: Partial<Record<NodeOperation, Case>> = {
	'inbox.getAll': {
		parameters: { returnAll: true },
		count: seeded.demo.inboxIds.length,
		first: { id: seeded.demo.inboxIds[0], name: expect.any(String), phone: expect.any(String) },
	},
	'inbox.createExternal': {
		parameters: { name: 'Website chat' },
		first: { id: uuid, externalId: expect.any(String), name: 'Website chat' },
	},
	'message.getAll': {
		parameters: {
			limit: 60,
			simple: false,
			filters: { inboxIds: [{ __rl: true, mode: 'id', value: seeded.demo.inboxIds[0] ?? '' }] },
		},
		count: 60,
		first: {
			id: expect.any(Number),
			body: expect.any(String),
			inboxId: seeded.demo.inboxIds[0],
		},
	},
	'messageTemplate.getAll': {
		parameters: { limit: 7 },
		count: 7,
		first: { id: expect.any(Number), body: expect.any(String) },
	},
	'messageTemplate.render': {
		parameters: {
			templateId: { __rl: true, mode: 'id', value: '10001' },
			options: { missingValues: 'leave' },
		},
		first: { templateId: 10_001, text: expect.any(String) },
	},
	'otp.verify': {
		parameters: { token: seeded.otpTokens.valid[0] ?? '' },
		first: { result: expect.any(String) },
	},
	'pipeline.invokeWebhook': {
		parameters: {
			webhookId: webhook,
			phone: '+15555550142',
			payloadMode: 'json',
			payloadJson: '{"firstName":"Ada"}',
		},
		first: {
			accepted: true,
			statusCode: 202,
			webhookId,
			webhookBody: { phone: '+15555550142', firstName: 'Ada' },
		},
	},
	'pipelineVersion.create': {
		parameters: {
			pipelineId: pipeline.id,
			schema: '{"nodes":[]}',
			additionalFields: { versionName: 'Friendlier greeting' },
		},
		first: { id: uuid, pipelineId: pipeline.id, schema: { nodes: [] }, number: 6 },
	},
	'pipelineVersion.update': {
		parameters: { pipelineId: pipeline.id, versionId, name: 'Shorter greeting' },
		first: { id: versionId, name: 'Shorter greeting' },
	},
	'user.create': {
		parameters: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' },
		first: { id: expect.any(String), email: 'ada@example.com', firstName: 'Ada' },
	},
};

it.each(operationIds)('%s', async (id) => {
	const { minimal, list } = nodeOperations[id];
	const usual: Case = { parameters: list ? { limit: 1 } : minimal, first: {} };
	const { parameters, count = 1, first } = CASES[id] ?? usual;
	const [resource = '', operation = ''] = id.split('.');
	const node = sandbox.action('Action', { resource, operation, ...parameters });

	const { execution, items } = await sandbox.runWorkflow([node]);

	expect(execution.error?.message).toBeUndefined();
	expect(items('Action')).toHaveLength(count);
	expect(items('Action')[0]).toEqual({
		json: expect.objectContaining(first),
		pairedItem: { item: 0 },
	});
});

describe('a text to every lead', () => {
	const unknown = '00000000-0000-4000-8000-000000000000';
	const leads = [
		{ phone: '+15555550110', agent: webhookId },
		{ phone: '+15555550111', agent: webhookId },
		{ phone: '+15555550112', agent: unknown },
		{ phone: '+15555550113', agent: webhookId },
	];
	const texted = ['+15555550110', '+15555550111', '+15555550113'];
	const invoke = (onError?: 'continueRegularOutput' | 'continueErrorOutput') =>
		sandbox.action(
			'Text',
			{
				resource: 'pipeline',
				operation: 'invokeWebhook',
				webhookId: { __rl: true, mode: 'id', value: '={{ $json.agent }}' },
				phone: '={{ $json.phone }}',
			},
			{ onError },
		);
	const phonesOf = (calls: ReadonlyArray<{ body: { phone?: unknown } }>) =>
		calls.map(({ body }) => body.phone).sort();

	beforeEach(() => sandbox.service.reset('log'));

	it('stops at the agent that does not exist, and names the item', async () => {
		const { execution } = await sandbox.runWorkflow([itemsNode('Leads', leads), invoke()]);

		expect(execution.status).toBe('error');
		expect(execution.error).toMatchObject({
			message: expect.stringContaining('webhook'),
			context: { itemIndex: 2 },
		});
	});

	it('goes on with "On Error: Continue", each item paired with its lead', async () => {
		const { execution, items } = await sandbox.runWorkflow([
			itemsNode('Leads', leads),
			invoke('continueRegularOutput'),
		]);

		expect(execution.status).toBe('success');
		expect(items('Text').map(({ pairedItem }) => pairedItem)).toEqual(
			leads.map((_, item) => ({ item })),
		);
		expect(items('Text').map(({ json }) => json.accepted)).toEqual([true, true, undefined, true]);
		expect(items('Text')[2]?.json.error).toEqual(expect.stringContaining('webhook'));
		expect(phonesOf(sandbox.service.accepted())).toEqual(texted);
	});

	it('hands failed leads to the error output', async () => {
		const { items } = await sandbox.runWorkflow([
			itemsNode('Leads', leads),
			invoke('continueErrorOutput'),
		]);

		expect(items('Text').map(({ json }) => json.accepted)).toEqual([true, true, true]);
		expect(items('Text', 1)).toMatchObject([
			{
				json: expect.objectContaining({ error: expect.stringContaining('webhook') }),
				pairedItem: { item: 2 },
			},
		]);
		expect(phonesOf(sandbox.service.accepted())).toEqual(texted);
	});
});
