/** n8n is killed in the middle of a bulk run. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { outputOf, runManually, startManually } from '../../sandbox/n8n/executions.ts';
import {
	chain,
	createWorkflow,
	type StoredWorkflow,
	type WorkflowDefinition,
} from '../../sandbox/n8n/workflows.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { type LastingSandbox, startLastingSandbox } from './lastingSandbox.ts';
import { itemsNode, START_TIMEOUT_MS } from './sandbox.ts';

jest.setTimeout(3 * START_TIMEOUT_MS);

const COUNT = 1_000;
const CONCURRENCY = 10;
const [webhookId = ''] = seeded.demo.webhookIds;
const leads = Array.from({ length: COUNT }, (_, lead) => ({ lead }));

let sandbox: LastingSandbox;

beforeAll(async () => {
	sandbox = await startLastingSandbox({
		messages: 0,
		agent: { enabled: false },
		rateLimit: { enabled: false },
		latencyMs: 150,
	});
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

/** A workflow that texts every lead, each once. */
function texting(more: INodeParameters = {}): WorkflowDefinition {
	const text = sandbox.action('Text', {
		resource: 'pipeline',
		operation: 'invokeWebhook',
		webhookId: { __rl: true, mode: 'id', value: webhookId },
		payloadMode: 'input',
		options: {
			onceKey: '={{ $json.lead }}',
			concurrency: CONCURRENCY,
			requestsPerMinute: 100_000,
			...more,
		},
	});
	const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
	return chain('Text every lead', [start, itemsNode('Leads', leads), text]);
}

/** Runs the workflow and gives the leads by what became of them. */
async function textAll(workflow: StoredWorkflow): Promise<Record<string, number[]>> {
	const execution = await runManually(sandbox.n8n().rest, workflow, 'Start', START_TIMEOUT_MS);
	expect(execution.error?.message).toBeUndefined();
	const items = outputOf(execution, 'Text');
	expect(items).toHaveLength(COUNT);
	const found: Record<string, number[]> = { accepted: [], skipped: [], uncertain: [] };
	for (const [lead, { json }] of items.entries()) {
		for (const [word, those] of Object.entries(found)) if (json[word]) those.push(lead);
	}
	return found;
}

/** The leads that arrived at the service, as often as they did. */
const arrived = () => sandbox.service.received().map(({ body }) => Number(Object(body).lead));

const missing = () => {
	const there = new Set(arrived());
	return leads.map(({ lead }) => lead).filter((lead) => !there.has(lead));
};

test('n8n is killed while it texts 1,000 leads: no lead gets two texts, and none is lost', async () => {
	const workflow = await createWorkflow(sandbox.n8n().rest, texting());
	await startManually(sandbox.n8n().rest, workflow, 'Start');
	while (arrived().length < COUNT / 3) await sleep(20);
	await sandbox.crash();
	await sandbox.service.configure({ latencyMs: 0 });
	const before = arrived().length;
	expect(before).toBeLessThan(COUNT);

	const second = await textAll(workflow);
	const uncertain = second.uncertain ?? [];
	console.log(`${before} of ${COUNT} arrived before the end, ${uncertain.length} are uncertain`);
	expect(arrived()).toHaveLength(new Set(arrived()).size);
	expect(uncertain).toEqual(expect.arrayContaining(missing()));
	expect(uncertain.length).toBeGreaterThan(0);
	expect(uncertain.length).toBeLessThanOrEqual(CONCURRENCY);

	const { rest } = sandbox.n8n();
	await rest.patch(`/rest/workflows/${workflow.id}`, {
		...texting({ resendUncertain: true }),
		versionId: workflow.versionId,
	});
	const third = await textAll(workflow);
	expect(third.accepted).toEqual(uncertain);
	expect(third.skipped).toHaveLength(COUNT - uncertain.length);
	expect(missing()).toEqual([]);
	expect((await textAll(workflow)).skipped).toHaveLength(COUNT);
});
