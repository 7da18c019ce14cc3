/** Texting and reading in a real n8n: by hand, in production, retried, at the same time, and over a crash. */
import { randomUUID } from 'node:crypto';

import { NodeConnectionTypes, type INodeParameters } from 'n8n-workflow';

import type { Run } from '../../sandbox/n8n/flow.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { defaultVersion } from '../../sandbox/n8n/versions.ts';
import { chain, itemsNode, START, webhookNode } from '../../sandbox/n8n/workflows.ts';
import './polling.ts';
import { sandbox, shareSandbox } from './shared.ts';
import {
	activateCalled,
	arrivedAt,
	expectCompleted,
	expectRetriesContinue,
	expectRetriesKnowEachOther,
	invoking,
	missingAt,
	newLeads,
	outcome,
	texting,
	textingOnce,
	type Lead,
} from './texting.ts';

const PHONE = '+15555550100';

/** n8n stores the data of an execution after each node, and not only at its end. */
const SAVING_PROGRESS = { saveExecutionProgress: true };

const isN8n1 = defaultVersion() === '1';
/** What n8n has no part in that n8n 1.x does in another way. */
const testOnN8n2 = isN8n1 ? test.skip : test;
/** n8n 1.85, which does not tell what it retries: an error says so. */
const testUnlessLowest = process.env.SANDBOX_N8N_1_NODE ? test.skip : test;

shareSandbox({ service: { messages: 0, agent: { enabled: false } }, codeNodes: true });

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
		await service.configure({ faults: refused });
		const leads = newLeads(6);
		const loop = {
			name: 'Loop',
			type: 'n8n-nodes-base.splitInBatches',
			typeVersion: 3,
			parameters: { batchSize: 2, options: {} },
		};
		const text = sandbox.action('Action', texting({ concurrency: 1 }));
		const rounds = chain('Rounds', [START, itemsNode('Leads', leads), loop, text]);
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

	test.each([
		['', {}],
		[', with its progress saved', SAVING_PROGRESS],
	])('it sends nothing again of an execution that was stopped%s', async (_how, settings) => {
		const { service } = sandbox;
		await service.configure({ faults: [{ kind: 'neverAnswer', requests: { from: 8 } }] });
		const { flow, start } = await activateCalled(sandbox, texting({ concurrency: 1 }), {
			settings,
		});
		const [id = ''] = await start({ list: newLeads(12) });
		await until('the eighth call is under way', () => service.received().length === 8);
		await flow.stop(id);
		await service.configure({ faults: [] });
		for (const { error } of [await flow.retry(id), await flow.retry(id)]) {
			// After a stop, a retry in n8n 1 has nothing left to run.
			expect(error?.message.includes('not sent again') ?? false).toBe(!isN8n1);
		}
		expect(service.received()).toHaveLength(8);
	});

	test('it does not send what may have been accepted', async () => {
		const { service } = sandbox;
		await service.configure({
			faults: [{ kind: 'status', status: 503, processed: true, requests: { first: 1 } }],
		});
		const { flow, run } = await activateCalled(sandbox, texting());
		const failed = await run({ list: newLeads(1) });
		const retried = await flow.retry(failed.id);
		expect(retried.error?.message).toContain('not sent again');
		expect(arrivedAt(service)).toHaveLength(1);
	});
});

describe("n8n's own Retry On Fail", () => {
	testOnN8n2('sends a text once when the service breaks off', async () => {
		await sandbox.service.configure({ faults: [{ kind: 'dropAfter' }] });
		const text = sandbox.action('Text', invoking({ phone: PHONE }), { retryOnFail: true });
		const { error } = await sandbox.run([text]);

		expect(error).toMatchObject({
			message: expect.stringContaining('not sent again'),
			description: expect.stringContaining('broke off'),
		});
		expect(sandbox.service.accepted()).toHaveLength(1);
	});
});

describe('When Testing', () => {
	const trying = (testing: INodeParameters) =>
		sandbox.action(
			'Text',
			invoking({ phone: PHONE, payloadMode: 'input', options: { concurrency: 1 }, ...testing }),
		);
	const phones = () => sandbox.service.received().map(({ body }) => Object(body).phone);
	const previews = (run?: Run) =>
		run?.items().filter(({ json }) => json.outcome === 'preview').length;

	test('a workflow that is run by hand texts nobody, in production everybody', async () => {
		const leads = newLeads(3);
		const flow = await sandbox.activate([
			webhookNode(randomUUID()),
			itemsNode('Leads', leads),
			trying({ whenTesting: 'dryRun' }),
		]);

		await flow.listen();
		await fetch(flow.testUrl, { method: 'POST' });
		const [byHand] = await flow.ran(1);
		expect(byHand?.error?.message).toBeUndefined();
		expect(phones()).toEqual([]);
		expect(previews(byHand)).toBe(leads.length);

		await flow.call();
		const [production] = await flow.ran(1);
		expect(production?.items().map(({ json }) => json.accepted)).toEqual([true, true, true]);
		expect(phones()).toEqual(leads.map(() => PHONE));
	});

	testUnlessLowest(
		'a retry of a run by hand that failed before the step does not send anything either',
		async () => {
			const failsAtFirst = {
				name: 'Fails at First',
				type: 'n8n-nodes-base.code',
				typeVersion: 2,
				parameters: {
					jsCode:
						"if ($execution.mode === 'test') throw new Error('Not now'); return $input.all();",
				},
			};
			const flow = await sandbox.store([
				START,
				itemsNode('Leads', newLeads(2)),
				failsAtFirst,
				trying({ whenTesting: 'dryRun' }),
			]);
			const failed = await flow.run();
			expect(failed.error?.message).toContain('Not now');
			await flow.started(1);
			const retried = await flow.retry(failed.id);
			expect(retried.error?.message).toBeUndefined();
			expect(previews(retried)).toBe(2);
			expect(sandbox.service.received()).toEqual([]);
		},
	);
});

testOnN8n2(
	'executions that begin together wait for each other: no lead is uncertain, none is sent twice',
	async () => {
		await sandbox.service.configure({ latencyMs: 200 });
		const once = await activateCalled(sandbox, textingOnce());
		const leads = newLeads(30);
		const ids = await once.start({ list: leads }, { list: leads });
		const runs = await Promise.all(ids.map((id) => once.flow.ended(id)));
		const count = (word: Parameters<typeof outcome>[2]) =>
			runs.flatMap((run) => outcome(leads, run, word)).length;
		expect([count('accepted'), count('skipped'), count('uncertain')]).toEqual([30, 30, 0]);
		expect(sandbox.service.accepted()).toHaveLength(leads.length);
	},
);

testOnN8n2(
	'n8n is killed while it texts: no lead gets two texts, and with Send Once none is lost',
	async () => {
		const { n8n, service } = sandbox;
		const plain = await activateCalled(sandbox, texting({ concurrency: 1 }));
		const saving = await activateCalled(sandbox, texting({ concurrency: 1 }), {
			settings: SAVING_PROGRESS,
		});
		const once = await activateCalled(sandbox, textingOnce({ concurrency: 10 }));
		await service.configure({ latencyMs: 150 });
		const [plainLeads, savingLeads, leads] = [newLeads(100), newLeads(100), newLeads(200)];
		const [id = ''] = await plain.start({ list: plainLeads });
		const [savingId = ''] = await saving.start({ list: savingLeads });
		await once.start({ list: leads });
		const arrived = (of: Lead[]) => of.length - missingAt(service, of).length;
		await until(
			'all are under way',
			() => arrived(plainLeads) > 5 && arrived(savingLeads) > 5 && arrived(leads) > 20,
		);
		await n8n.kill();
		await n8n.start();
		await service.configure({ latencyMs: 0 });
		expect(missingAt(service, leads)).not.toEqual([]);
		await expectCompleted(service, once, leads);

		// Without Send Once, nothing tells what the broken execution sent.
		expect(arrived(plainLeads)).toBeLessThan(plainLeads.length);
		const sent = arrivedAt(service).length;
		await plain.flow.ended(id);
		await saving.flow.ended(savingId);
		const retries = [
			await plain.flow.retry(id),
			await plain.flow.retry(id),
			await saving.flow.retry(savingId),
		];
		for (const { error } of retries) expect(error?.message).toContain('not sent again');
		expect(arrivedAt(service)).toHaveLength(sent);
	},
);
