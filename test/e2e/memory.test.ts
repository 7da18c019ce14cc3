/** What the node remembers, in a real n8n: over executions, and over a restart. */
import { setTimeout as sleep } from 'node:timers/promises';

import {
	listExecutions,
	outputOf,
	runManually,
	waitForExecution,
} from '../../sandbox/n8n/executions.ts';
import {
	activateWorkflow,
	chain,
	createWorkflow,
	type StoredWorkflow,
} from '../../sandbox/n8n/workflows.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { type LastingSandbox, startLastingSandbox } from './lastingSandbox.ts';
import { itemsNode, START_TIMEOUT_MS } from './sandbox.ts';

jest.setTimeout(2 * START_TIMEOUT_MS);

const MESSAGES = 120;
const HOUR = 3_600_000;
const [webhookId = ''] = seeded.demo.webhookIds;
const leads = Array.from({ length: 12 }, (_, lead) => ({ lead }));

let sandbox: LastingSandbox;

beforeAll(async () => {
	sandbox = await startLastingSandbox({ messages: MESSAGES, agent: { enabled: false } });
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

describe('Once per Key', () => {
	let workflow: StoredWorkflow;

	/** Runs the workflow and gives what became of the leads, each kind once. */
	async function outcomes(): Promise<string[]> {
		const execution = await runManually(sandbox.n8n().rest, workflow, 'Start');
		const items = outputOf(execution, 'Text');
		expect(items).toHaveLength(leads.length);
		return [...new Set(items.flatMap(({ json }) => Object.keys(json)))];
	}

	beforeAll(async () => {
		const parameters = {
			resource: 'pipeline',
			operation: 'invokeWebhook',
			webhookId: { __rl: true, mode: 'id', value: webhookId },
			payloadMode: 'input',
			options: { onceKey: '={{ $json.lead }}' },
		};
		workflow = await createWorkflow(
			sandbox.n8n().rest,
			chain('Once per key', [
				{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
				itemsNode('Leads', leads),
				sandbox.action('Text', parameters),
			]),
		);
	});

	test('sends each lead in the first execution and none in the second', async () => {
		expect(await outcomes()).toContain('accepted');
		expect(await outcomes()).toEqual(['skipped']);
		expect(sandbox.service.accepted()).toHaveLength(leads.length);
	});

	test('sends none after a restart', async () => {
		await sandbox.restart();
		expect(await outcomes()).toEqual(['skipped']);
		expect(sandbox.service.accepted()).toHaveLength(leads.length);
	});
});

describe('Only New, in a workflow that runs by itself', () => {
	let workflow: StoredWorkflow;

	/** Has the workflow run, and gives the messages that came out. */
	async function newMessages(): Promise<unknown[]> {
		const { rest, url } = sandbox.n8n();
		const before = new Set((await listExecutions(rest, workflow)).map(({ id }) => id));
		// For a moment after an activation, n8n does not know the webhook yet.
		while (!(await fetch(`${url}/webhook/new-messages`, { method: 'POST' })).ok) await sleep(100);
		for (;;) {
			const executions = await listExecutions(rest, workflow);
			const started = executions.find(({ id }) => !before.has(id));
			if (started) {
				expect(started.mode).toBe('webhook');
				const execution = await waitForExecution(rest, started.id);
				expect(execution.error?.message).toBeUndefined();
				return outputOf(execution, 'Messages').map(({ json }) => json.id);
			}
			await sleep(100);
		}
	}

	/** How far back the requests since the last reset of the log read. */
	const lowerBounds = () =>
		sandbox.service
			.received()
			.map(({ query }) => Date.parse(new URLSearchParams(query).get('startDate') ?? ''));

	beforeAll(async () => {
		const { rest } = sandbox.n8n();
		const parameters = {
			resource: 'message',
			operation: 'getAll',
			returnAll: true,
			options: { onlyNew: true },
		};
		workflow = await createWorkflow(
			rest,
			chain('Only new', [
				{
					name: 'Hook',
					type: 'n8n-nodes-base.webhook',
					typeVersion: 2,
					webhookId: 'new-messages',
					parameters: { httpMethod: 'POST', path: 'new-messages' },
				},
				sandbox.action('Messages', parameters),
			]),
		);
		await activateWorkflow(rest, workflow);
	});

	beforeEach(() => sandbox.service.reset('log'));

	test('returns all messages in the first execution', async () => {
		expect(await newMessages()).toHaveLength(MESSAGES);
	});

	test('returns in later executions what came in, and reads no more than a day back', async () => {
		expect(await newMessages()).toEqual([]);
		const message = sandbox.service.receiveMessage();
		expect(await newMessages()).toEqual([message?.id]);
		for (const moment of lowerBounds()) expect(moment).toBeGreaterThan(Date.now() - 25 * HOUR);
	});

	test('returns after a restart what came in meanwhile, and reads no more than a day back', async () => {
		const [message] = await Promise.all([sandbox.service.receiveMessage(), sandbox.restart()]);
		expect(await newMessages()).toEqual([message?.id]);
		expect(await newMessages()).toEqual([]);
		for (const moment of lowerBounds()) expect(moment).toBeGreaterThan(Date.now() - 25 * HOUR);
	});
});
