/** Every operation in workflows that a real n8n runs. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { itemsNode, type NodeSketch } from '../../sandbox/n8n/workflows.ts';
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
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

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

describe('a text to every lead', () => {
	const leads = [
		{ phone: '+15555550110', agent: webhookId },
		{ phone: '+15555550111', agent: webhookId },
		{ phone: '+15555550112', agent: UNKNOWN },
		{ phone: '+15555550113', agent: webhookId },
	];
	const phones = leads.map(({ phone }) => phone);
	const run = (onError?: NodeSketch['onError']) => {
		const parameters = invoking({
			webhookId: byId('={{ $json.agent }}'),
			phone: '={{ $json.phone }}',
		});
		return sandbox.run([
			itemsNode('Leads', leads),
			sandbox.action('Text', parameters, { onError }),
		]);
	};

	it('stops at the agent that does not exist, and names the item', async () => {
		const { status, error } = await run();

		expect(status).toBe('error');
		expect(error).toMatchObject({
			message: expect.stringContaining('webhook'),
			context: { itemIndex: 2 },
		});
	});

	it('goes on with "On Error: Continue", each item paired with its lead', async () => {
		const { status, items } = await run('continueRegularOutput');

		expect(status).toBe('success');
		expect(items().map(({ pairedItem }) => pairedItem)).toEqual(leads.map((_, item) => ({ item })));
		expect(items().map(({ json }) => json.accepted)).toEqual([true, true, undefined, true]);
		expect(items()[2]?.json.error).toEqual(expect.stringContaining('webhook'));
		expect(textsTo(phones)).toEqual(['+15555550110', '+15555550111', '+15555550113']);
	});

	it('hands failed leads to the error output', async () => {
		const { items } = await run('continueErrorOutput');

		expect(items().map(({ json }) => json.accepted)).toEqual([true, true, true]);
		expect(items('Text', 1)).toMatchObject([
			{ json: { error: expect.stringContaining('webhook') }, pairedItem: { item: 2 } },
		]);
		expect(textsTo(phones)).toHaveLength(3);
	});
});

describe.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'a lead that fails with On Error %s',
	(onError) => {
		const leads = [
			{ agent: webhookId, message: 'Hello', error: 'none' },
			{ agent: UNKNOWN, message: 'Your table is booked', details: { seats: 4 } },
			{ agent: UNKNOWN, message: 'See you', error: 'none', errorDescription: '' },
		];
		const words = { error: expect.stringContaining('webhook'), description: expect.any(String) };

		it('keeps all its fields, with what went wrong beside them', async () => {
			const parameters = invoking({ webhookId: byId('={{ $json.agent }}') });
			const more = { onError, retryOnFail: true };
			const { items } = await sandbox.run([
				itemsNode('Leads', leads),
				sandbox.action('Text', parameters, more),
			]);
			const failed = onError === 'continueErrorOutput' ? items('Text', 1) : items().slice(1);
			expect(items().map(({ json }) => json.accepted)).toEqual(
				onError === 'continueErrorOutput' ? [true] : [true, undefined, undefined],
			);
			expect(failed.map(({ json }) => json)).toEqual([
				{ ...leads[1], error: words.error, errorDescription: words.description },
				{ ...leads[2], error_1: words.error, errorDescription_1: words.description },
			]);
		});
	},
);

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
