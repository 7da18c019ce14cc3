/** Texting in a real n8n: by hand, in production, and retried. */
import { NodeConnectionTypes, type INodeParameters } from 'n8n-workflow';

import type { Run } from '../../sandbox/n8n/flow.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { isN8n1 } from '../../sandbox/n8n/versions.ts';
import { chain, START } from '../../sandbox/n8n/workflows.ts';
import { callTrigger } from './events.ts';
import { sandbox } from './shared.ts';
import {
	activateCalled,
	AT_ONCE,
	calledNodes,
	expectRetriesContinue,
	newLeads,
	outcome,
	refuse,
	SAVING_PROGRESS,
	starting,
	texting,
} from './texting.ts';

const PHONE = '+15555550100';

/** n8n 1.85, which does not tell what it retries: an error says so. */
const testUnlessLowest = process.env.SANDBOX_N8N_1_NODE ? test.skip : test;

describe('the Retry button', () => {
	test('it continues where the execution stopped, whichever execution is retried', async () => {
		await expectRetriesContinue(sandbox);
	});

	test('in a loop, each round is continued where it stopped, whichever retry has been there', async () => {
		const { service } = sandbox;
		await refuse(service, 4, 6);
		const loop = {
			name: 'Loop',
			type: 'n8n-nodes-base.splitInBatches',
			typeVersion: 3,
			parameters: { batchSize: 2, options: {} },
		};
		const text = sandbox.action('Action', texting());
		const rounds = chain('Rounds', [...calledNodes(), loop, text]);
		const to = (node: string) => [{ node, type: NodeConnectionTypes.Main, index: 0 }];
		const flow = await sandbox.store({
			...rounds,
			connections: {
				...rounds.connections,
				Loop: { main: [[], to('Action')] },
				Action: { main: [to('Loop')] },
			},
		});
		await flow.activate();
		const leads = newLeads(6);
		await flow.call({ list: leads });
		const [failed] = await flow.ran(1);
		const again = await flow.retry(failed?.id ?? '');
		expect([failed?.error, again.error]).toEqual([expect.anything(), expect.anything()]);
		const last = await flow.retry(failed?.id ?? '');
		expect(last.error?.message).toBeUndefined();
		expect(last.items('Action')).toHaveLength(leads.length);
		const accepted = service.accepted().map(({ body }) => String(body.lead));
		expect(accepted.sort()).toEqual(leads.map(({ lead }) => lead));
	});

	test.each([
		['', {}],
		[', with its progress saved', SAVING_PROGRESS],
	])('it sends nothing again of an execution that was stopped%s', async (_how, settings) => {
		const { service } = sandbox;
		const answered = 7;
		const silence = { kind: 'neverAnswer', requests: { from: answered + 1 } } as const;
		await service.configure({ faults: [silence] });
		const { flow, start } = await activateCalled(sandbox, texting(), settings);
		const arrived = answered + AT_ONCE;
		const [id = ''] = await start({ list: newLeads(arrived + 5) });
		await until('nothing goes on', () => service.received().length === arrived);
		await flow.stop(id);
		await service.configure({ faults: [] });
		for (const { error } of [await flow.retry(id), await flow.retry(id)]) {
			// After a stop, a retry in n8n 1 may have nothing left to run.
			if (error || !isN8n1) expect(error?.message).toContain('not sent again');
		}
		expect(service.received()).toHaveLength(arrived);
	});
});

describe('When Testing', () => {
	const PREVIEW: INodeParameters = { whenTesting: 'preview' };
	const previews = (run?: Run) =>
		run?.items().filter(({ json }) => json.outcome === 'preview').length;

	test('a workflow that is run by hand texts nobody, in production everybody', async () => {
		const { service } = sandbox;
		const { flow, run } = await activateCalled(sandbox, { ...texting(), ...PREVIEW });
		const list = newLeads(3);
		await flow.listen();
		await callTrigger(flow, { body: JSON.stringify({ list }), url: flow.testUrl });
		const [byHand] = await flow.ran(1);
		expect(byHand?.error?.message).toBeUndefined();
		expect(previews(byHand)).toBe(list.length);
		expect(service.received()).toEqual([]);

		const production = await run({ list });
		expect(outcome(list, production, 'accepted')).toHaveLength(list.length);
		expect(service.accepted()).toHaveLength(list.length);
	});

	testUnlessLowest(
		'a retry of a run by hand that failed before the step does not send anything either',
		async () => {
			const { service } = sandbox;
			await refuse(service, 1);
			const flow = await sandbox.store([
				START,
				sandbox.action('Inboxes', { resource: 'inbox', operation: 'getAll', limit: 2 }),
				sandbox.action('Text', starting({ phone: PHONE, ...PREVIEW })),
			]);
			const failed = await flow.run();
			expect(failed.error?.message).toBeDefined();
			await flow.started(1);
			const retried = await flow.retry(failed.id);
			expect(retried.error?.message).toBeUndefined();
			expect(previews(retried)).toBe(2);
			expect(service.accepted()).toEqual([]);
		},
	);
});
