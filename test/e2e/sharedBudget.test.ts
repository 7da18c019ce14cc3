/** Two n8n, of which neither knows of the other, share what one team may call. */
import type { INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../sandbox/demo/runExamples.ts';
import { createCredential } from '../../sandbox/n8n/credentials.ts';
import { outputOf, runManually } from '../../sandbox/n8n/executions.ts';
import { startN8n, type N8n } from '../../sandbox/n8n/index.ts';
import { chain, createWorkflow } from '../../sandbox/n8n/workflows.ts';
import { seeded, startService, type Service } from '../../sandbox/service/service.ts';
import { ACTION_TYPE, itemsNode, START_TIMEOUT_MS } from './sandbox.ts';

const WINDOW_MS = 3_000;
const REQUESTS = 100;
const EACH = 250;
const LEAST_MS = (Math.ceil((2 * EACH) / REQUESTS) - 1) * WINDOW_MS;
const [webhookId = ''] = seeded.demo.webhookIds;

let service: Service;
const instances: N8n[] = [];

beforeAll(async () => {
	service = await startService({ messages: 0, agent: { enabled: false } });
	for (let count = 0; count < 2; count++) instances.push(await startN8n());
}, 2 * START_TIMEOUT_MS);

afterAll(async () => {
	await Promise.all(instances.map((n8n) => n8n.stop()));
	await service?.close();
});

/** Has an n8n call the webhook for leads of its own, and gives the leads that it reports as accepted. */
async function callAll({ rest }: N8n, owner: number): Promise<unknown[]> {
	const credential = await createCredential(rest, {
		name: 'Stand-in',
		type: CREDENTIAL_TYPE,
		data: { baseUrl: service.url, apiKey: seeded.demo.apiKey },
	});
	const parameters: INodeParameters = {
		resource: 'pipeline',
		operation: 'invokeWebhook',
		webhookId: { __rl: true, mode: 'id', value: webhookId },
		payloadMode: 'input',
		// No pace of its own: what the service refuses is all that an n8n learns of the other one.
		options: { requestsPerMinute: 100_000 },
	};
	const leads = Array.from({ length: EACH }, (_, index) => ({ lead: `${owner}-${index}` }));
	const workflow = await createWorkflow(
		rest,
		chain('Shared budget', [
			{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
			itemsNode('Leads', leads),
			{
				name: 'Call',
				type: ACTION_TYPE,
				parameters,
				credentials: { [CREDENTIAL_TYPE]: { ...credential } },
			},
		]),
	);
	const execution = await runManually(rest, workflow, 'Start');
	expect(execution.error?.message).toBeUndefined();
	const accepted = outputOf(execution, 'Call').filter(({ json }) => json.accepted);
	return accepted.map(({ json }) => Object(json.webhookBody).lead);
}

test.each(['fixed', 'sliding'] as const)(
	'all calls of both are accepted, none twice, in a %s window',
	async (window) => {
		await service.reset('log');
		await service.configure({ rateLimit: { requests: REQUESTS, windowMs: WINDOW_MS, window } });

		const reported = (await Promise.all(instances.map(callAll))).flat();

		const accepted = service.accepted();
		expect(accepted).toHaveLength(2 * EACH);
		expect(new Set(accepted.map(({ body }) => body.lead))).toEqual(new Set(reported));
		expect(new Set(reported).size).toBe(2 * EACH);
		const { byStatus } = service.counts();
		const took = (accepted.at(-1)?.time ?? NaN) - (accepted[0]?.time ?? NaN);
		console.log(
			`${window} window: ${took} ms, ${LEAST_MS} ms at least; ${byStatus['429'] ?? 0} calls refused`,
		);
		expect(byStatus['429']).toBeGreaterThan(0);
		expect(took).toBeGreaterThanOrEqual(LEAST_MS - WINDOW_MS);
		expect(took).toBeLessThan(2 * LEAST_MS + 5_000);
	},
	60_000,
);
