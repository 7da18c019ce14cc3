/** Every operation in workflows that a real n8n runs. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { type NodeSketch } from '../../sandbox/n8n/workflows.ts';
import {
	byId,
	known,
	nodeOperations,
	operationIds,
	type NodeOperation,
} from '../../sandbox/operations.ts';
import { seeded, type Fault } from '../../sandbox/service/service.ts';
import { invoking } from './texting.ts';

jest.setTimeout(START_TIMEOUT_MS);

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ codeNodes: true });
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

beforeEach(() => sandbox.service.reset('data', 'log'));

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const { webhookId, pipelineId, versionId } = known;
const [inboxId = ''] = seeded.demo.inboxIds;

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
		first: { id: inboxId, name: expect.any(String), phone: expect.any(String) },
	},
	'inbox.createExternal': {
		parameters: { name: 'Website chat' },
		first: { id: uuid, externalId: expect.any(String), name: 'Website chat' },
	},
	'message.getAll': {
		parameters: {
			limit: 60,
			simple: false,
			filters: { inboxIds: [byId(inboxId)] },
		},
		count: 60,
		first: {
			id: expect.any(Number),
			body: expect.any(String),
			inboxId: inboxId,
		},
	},
	'messageTemplate.getAll': {
		parameters: { limit: 7 },
		count: 7,
		first: { id: expect.any(Number), body: expect.any(String) },
	},
	'messageTemplate.render': {
		parameters: {
			templateId: byId('10001'),
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
			webhookId: byId(webhookId),
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
			pipelineId,
			schema: '{"nodes":[]}',
			additionalFields: { versionName: 'Friendlier greeting' },
		},
		first: { id: uuid, pipelineId, schema: { nodes: [] }, number: 6 },
	},
	'pipelineVersion.update': {
		parameters: { pipelineId, versionId, name: 'Shorter greeting' },
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
	await sandbox.service.reset('data');
	const node = sandbox.action('Action', { resource, operation, ...parameters });

	const { error, items } = await sandbox.run([node]);

	expect(error?.message).toBeUndefined();
	expect(items()).toHaveLength(count);
	expect(items()[0]).toEqual({
		json: expect.objectContaining(first),
		pairedItem: { item: 0 },
	});
});

it('a wait for replies gives what is written while the step waits', async () => {
	const phone = '+15555550157';
	const parameters = { resource: 'message', operation: 'waitForReply', phone, waitMinutes: 1 };
	const running = sandbox.run([sandbox.action('Wait', parameters)]);
	while (sandbox.service.received().length === 0) await sleep(100);
	await sleep(300);
	sandbox.service.receiveMessage({ phone, body: 'Yes, please' });

	const { error, items } = await running;
	expect(error?.message).toBeUndefined();
	expect(items()).toEqual([
		{
			json: expect.objectContaining({ replied: true, body: 'Yes, please' }),
			pairedItem: { item: 0 },
		},
	]);
});

const textsTo = (phones: string[]) =>
	sandbox.service
		.accepted()
		.map(({ body }) => String(body.phone))
		.filter((phone) => phones.includes(phone))
		.sort();

describe("with n8n's own Retry On Fail", () => {
	const invoke = (phone: string, more: Partial<NodeSketch> = {}) => {
		const options = { timeout: 2_000, maxRetries: 0 };
		return sandbox.action('Text', invoking({ phone, sendOnce: 'phone', options }), {
			retryOnFail: true,
			...more,
		});
	};

	it.each<[what: string, phone: string, fault: Fault, message: string]>([
		['breaks off', '+15555550130', { kind: 'dropAfter' }, 'broke off'],
		[
			'stays silent',
			'+15555550131',
			{ kind: 'neverAnswer', processed: true },
			'did not answer within 2 seconds',
		],
	])('a text is sent once when the service %s', async (_, phone, fault, message) => {
		await sandbox.service.configure({ faults: [fault] });
		const { error } = await sandbox.run([invoke(phone)]);
		await sandbox.service.configure({ faults: [] });

		expect(error).toMatchObject({
			message: expect.stringContaining('not sent again'),
			description: expect.stringContaining(message),
		});
		expect(textsTo([phone])).toHaveLength(1);
	});

	it('a service that cannot be reached is told, and that nothing was sent', async () => {
		const baseUrl = `http://${LOOPBACK}:${await findFreePort()}`;
		const credentials = await sandbox.addCredential({ baseUrl });

		const { error } = await sandbox.run([invoke('+15555550132', { credentials })]);

		expect(error).toMatchObject({
			message: expect.stringContaining('cannot be reached'),
			description: expect.stringContaining('nothing was sent'),
		});
	});
});
