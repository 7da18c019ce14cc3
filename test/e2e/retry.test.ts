/** The Retry button of a failed execution, in a real n8n. */
import { NodeConnectionTypes } from 'n8n-workflow';

import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { chain, itemsNode, START } from '../../sandbox/n8n/workflows.ts';
import {
	arrivedAt,
	activateCalled,
	expectRetriesContinue,
	expectRetriesKnowEachOther,
	newLeads,
	texting,
} from './texting.ts';

jest.setTimeout(2 * START_TIMEOUT_MS);

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ service: { agent: { enabled: false } }, codeNodes: true });
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

beforeEach(() => sandbox.service.reset('log', 'settings'));

test('it continues where the execution stopped, also with the workflow as it is saved now', async () => {
	await expectRetriesContinue(sandbox);
});

test('a second retry of the same execution sends nothing that the first has sent', async () => {
	await expectRetriesKnowEachOther(sandbox);
});

test('in a loop, each round is continued where it stopped, whichever retry has been there', async () => {
	const { service } = sandbox;
	const refused = [4, 6].map((exactly) => {
		return { kind: 'status', status: 400, requests: { exactly } } as const;
	});
	await service.configure({ agent: { enabled: false }, faults: refused });
	const leads = newLeads(6);
	const loop = {
		name: 'Loop',
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { batchSize: 2, options: {} },
	};
	const nodes = [START, itemsNode('Leads', leads), loop];
	const rounds = chain('Rounds', [...nodes, sandbox.action('Action', texting({ concurrency: 1 }))]);
	const to = (node: string) => [{ node, type: NodeConnectionTypes.Main, index: 0 }];
	const flow = await sandbox.store({
		...rounds,
		connections: {
			...rounds.connections,
			Loop: { main: [[], to('Action')] },
			Action: { main: [to('Loop')] },
		},
	});
	const failed = await flow.run();
	await flow.started(1);
	const again = await flow.retry(failed.id);
	expect([failed.error, again.error]).toEqual([expect.anything(), expect.anything()]);
	const last = await flow.retry(failed.id);
	expect(last.error?.message).toBeUndefined();
	expect(last.items('Action')).toHaveLength(leads.length);
	const accepted = service.accepted().map(({ body }) => String(body.lead));
	expect(accepted).toEqual(leads.map(({ lead }) => lead));
});

test('it does not send what may have been accepted', async () => {
	const { service } = sandbox;
	await service.configure({
		agent: { enabled: false },
		faults: [{ kind: 'status', status: 503, processed: true, requests: { first: 1 } }],
	});
	const { flow, run } = await activateCalled(sandbox, texting());
	const failed = await run({ list: newLeads(1) });
	const retried = await flow.retry(failed.id);
	expect(retried.error?.message).toContain('not sent again');
	expect(arrivedAt(service)).toHaveLength(1);
});
