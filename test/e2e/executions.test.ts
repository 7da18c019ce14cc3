/** Executions in a real n8n: tried out by hand, called in production, and retried when they failed. */
import { randomUUID } from 'node:crypto';

import { NodeConnectionTypes, type INodeParameters } from 'n8n-workflow';

import type { Flow, Run } from '../../sandbox/n8n/flow.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { chain, itemsNode, START, webhookNode } from '../../sandbox/n8n/workflows.ts';
import {
	arrivedAt,
	activateCalled,
	expectRetriesContinue,
	expectRetriesKnowEachOther,
	invoking,
	newLeads,
	texting,
	type Lead,
} from './texting.ts';

jest.setTimeout(2 * START_TIMEOUT_MS);

const TEST_NUMBER = '+15555550199';
const PHONE = '+15555550100';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ service: { agent: { enabled: false } }, codeNodes: true });
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

beforeEach(() => sandbox.service.reset('log', 'settings'));

describe('the Retry button', () => {
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
		const rounds = chain('Rounds', [
			...nodes,
			sandbox.action('Action', texting({ concurrency: 1 })),
		]);
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

	test('it passes over what fails again, as the error says, and sends the rest', async () => {
		const { service, n8n } = sandbox;
		const leads = newLeads(6).map((lead, index) => ({
			...lead,
			phone: index === 2 ? 'call me' : `+1555555010${index}`,
		}));
		const flow = await sandbox.store([
			START,
			itemsNode('Leads', leads),
			sandbox.action('Action', texting({ concurrency: 1 })),
		]);
		const failed = await flow.run();
		expect(failed.error?.description).toMatch(
			/Items: 2 accepted \(0-1\), 1 refused \(2\), .*click "Retry".*"Continue \(using error output\)"/,
		);
		await flow.started(1);
		const { id, nodes, connections, versionId } = flow.workflow;
		const changed = nodes.map((node) =>
			node.name === 'Action' ? { ...node, onError: 'continueErrorOutput' } : node,
		);
		await n8n.rest.patch(`/rest/workflows/${id}`, { nodes: changed, connections, versionId });
		const retried = await flow.retry(failed.id, 'saved');
		const leadsOf = (output: number) =>
			retried.items('Action', output).map(({ json }) => Object(json.webhookBody ?? json).lead);
		const [, , wrong, ...rest] = leads.map(({ lead }) => lead);
		expect([leadsOf(0), leadsOf(1)]).toEqual([
			[...leads.slice(0, 2).map(({ lead }) => lead), ...rest],
			[wrong],
		]);
		expect(service.accepted().map(({ body }) => body.lead)).toEqual(leadsOf(0));
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
});

describe('When Testing', () => {
	const trying = (testing: INodeParameters) =>
		sandbox.action(
			'Text',
			invoking({ phone: PHONE, payloadMode: 'input', options: { concurrency: 1 }, ...testing }),
		);

	const hintsOf = (run: Run) => run.runs.Text?.[0]?.hints?.map(({ message }) => message);
	const phones = () => sandbox.service.received().map(({ body }) => Object(body).phone);

	async function startedBoth(testing: INodeParameters): Promise<{ flow: Flow; leads: Lead[] }> {
		const leads = newLeads(3);
		const flow = await sandbox.activate([
			webhookNode(randomUUID()),
			itemsNode('Leads', leads),
			trying(testing),
		]);
		return { flow, leads };
	}

	test.each<[INodeParameters, string[]]>([
		[{ whenTesting: 'dryRun' }, []],
		[{ whenTesting: 'testNumber', testNumber: TEST_NUMBER }, [TEST_NUMBER]],
	])(
		'with %j, a workflow that is run by hand texts %j, in production everybody',
		async (...args) => {
			const [testing, expected] = args;
			const { flow, leads } = await startedBoth(testing);

			await flow.listen();
			await fetch(flow.testUrl, { method: 'POST' });
			const [byHand] = await flow.ran(1);
			expect(byHand?.error?.message).toBeUndefined();
			expect(phones()).toEqual(expected);
			const dry = byHand?.items().filter(({ json }) => json.dryRun === true);
			expect(dry).toHaveLength(leads.length - expected.length);
			expect(byHand?.items().map(({ json }) => Object(json.webhookBody).lead)).toEqual(
				leads.map(({ lead }) => lead),
			);
			expect(byHand && hintsOf(byHand)).toContainEqual(expect.stringContaining('Not sent'));

			sandbox.service.reset('log');
			await flow.call();
			const [production] = await flow.ran(1);
			expect(production?.items().map(({ json }) => json.accepted)).toEqual([true, true, true]);
			expect(production && hintsOf(production)).toEqual([]);
			expect(arrivedAt(sandbox.service)).toEqual(leads.map(({ lead }) => lead));
			expect(phones()).toEqual(leads.map(() => PHONE));
		},
	);

	test('by the button of the editor nothing is sent, and a lead that cannot be sent is shown with its error', async () => {
		const leads = [...newLeads(2), { lead: 'nobody', phone: 'call me' }];
		const flow = await sandbox.store([
			START,
			itemsNode('Leads', leads),
			trying({ whenTesting: 'dryRun' }),
		]);
		const run = await flow.run();
		expect(run.error?.message).toBeUndefined();
		expect(run.items().map(({ json }) => json.dryRun ?? json.error)).toEqual([
			true,
			true,
			expect.stringContaining('not a phone number'),
		]);
		expect(sandbox.service.received()).toEqual([]);
	});

	test('a retry of a run by hand that failed before the step does not send anything either', async () => {
		const leads = newLeads(2);
		const flow = await sandbox.store([
			START,
			itemsNode('Leads', leads),
			{
				name: 'Fails at First',
				type: 'n8n-nodes-base.code',
				typeVersion: 2,
				parameters: {
					jsCode:
						"if ($execution.mode === 'test') throw new Error('Not now'); return $input.all();",
				},
			},
			trying({ whenTesting: 'dryRun' }),
		]);
		const failed = await flow.run();
		expect(failed.error?.message).toContain('Not now');
		await flow.started(1);
		const retried = await flow.retry(failed.id);
		expect(retried.error?.message).toBeUndefined();
		expect(retried.items().map(({ json }) => json.dryRun)).toEqual([true, true]);
		expect(sandbox.service.received()).toEqual([]);
	});
});
