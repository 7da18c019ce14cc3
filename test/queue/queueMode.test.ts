/** n8n in queue mode: a main, two workers and a webhook processor over PostgreSQL and Redis. They share one start. */
import type { Run } from '../../sandbox/n8n/flow.ts';
import type { N8n } from '../../sandbox/n8n/index.ts';
import { startConnected, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { startQueueMode, WORKER_CONCURRENCY, type QueueMode } from '../../sandbox/queue/index.ts';
import { startService } from '../../sandbox/service/service.ts';
import { callTrigger, SECRET } from '../e2e/events.ts';
import { pollAgain, pollingNodes, textsOf } from '../e2e/pollingFlow.ts';
import {
	activateCalled,
	arrivedAt,
	expectCompleted,
	expectRetriesContinue,
	missingAt,
	newLeads,
	outcome,
	RUN_TIMEOUT_MS,
	texting,
	textingOnce,
	type CalledFlow,
	type Lead,
} from '../e2e/texting.ts';
import { SETTINGS } from './settings.ts';

jest.setTimeout(2 * RUN_TIMEOUT_MS);

/** So many that a run is broken off in the middle of them, after the first were claimed. */
const LEADS = 500;

let deployment: Sandbox<QueueMode>;

beforeAll(async () => {
	const service = { messages: 0, agent: { enabled: false }, rateLimit: { enabled: false } };
	deployment = await startConnected(
		() => startService(service),
		() => startQueueMode(SETTINGS),
		{ data: { webhookSecret: SECRET } },
	);
});

afterAll(() => deployment?.stop());

beforeEach(() => deployment.service.reset('log', 'settings'));

const activateOnce = async () => await activateCalled(deployment, textingOnce());

const arrived = () => arrivedAt(deployment.service);
const namesOf = (leads: Lead[]) => leads.map(({ lead }) => lead).sort();

/** Which of the workers has started an execution. */
function workerOf({ id }: Pick<Run, 'id'>): N8n {
	const words = `Worker started execution ${id} `;
	const found = deployment.n8n.workers.find((worker) => worker.log().includes(words));
	if (!found) throw new Error(`No worker started execution ${id}.`);
	return found;
}

const workersOf = (runs: Run[]) => new Set(runs.map(workerOf));

/** Starts an execution with each list, all at the same moment, until they were on both workers. */
async function runOnBoth(workflow: CalledFlow, listsOf: () => Lead[][]) {
	return await until('both workers had a part', async () => {
		await deployment.service.reset('log');
		const lists = listsOf();
		const ids = await workflow.start(...lists.map((list) => ({ list })));
		const runs = await Promise.all(ids.map((id) => workflow.flow.ended(id, RUN_TIMEOUT_MS)));
		expect(runs.map(({ status, error }) => error?.message ?? status)).toEqual(
			runs.map(() => 'success'),
		);
		return workersOf(runs).size > 1 && { leads: lists.flat(), runs };
	});
}

// Neither worker knows of the other: what the service refuses is all that they learn.
test('eight executions on both workers share the limit: all is accepted, and nothing twice', async () => {
	const { service } = deployment;
	const rateLimit = { enabled: true, requests: 50, windowMs: 2_000 };
	await service.configure({ rateLimit });
	const lists = Array.from({ length: WORKER_CONCURRENCY + 3 }, () => newLeads(25));
	const workflow = await activateCalled(deployment, texting());
	const { runs } = await runOnBoth(workflow, () => lists);

	const outcomes = runs.flatMap(({ items }) => items().map(({ json }) => json.outcome));
	expect(outcomes).toEqual(lists.flat().map(() => 'accepted'));
	const accepted = service.accepted().map(({ body }) => String(body.lead));
	expect(accepted.sort()).toEqual(namesOf(lists.flat()));
	expect(service.counts().byStatus['429']).toBeGreaterThan(0);
});

test('the Retry button continues where the execution stopped, on whichever worker, also when pressed again', async () => {
	await expectRetriesContinue(deployment);
});

describe('Send Once', () => {
	test('sends no lead twice in runs one after the other, whichever worker they are on', async () => {
		const workflow = await activateOnce();
		const leads = newLeads(50);
		const runs: Run[] = [];
		while (runs.length < 2 || workersOf(runs).size < 2) {
			runs.push(await workflow.run({ list: leads }));
		}
		expect(arrived().sort()).toEqual(namesOf(leads));
	});

	// No lock reaches over both workers, so that both may send one: see docs/operators.md.
	test('sends what both get at the same moment, or calls it unknown', async () => {
		const { leads, runs } = await runOnBoth(await activateOnce(), () => {
			const same = newLeads(100);
			return [same, same];
		});
		const half = leads.slice(0, leads.length / 2);
		const isUnknown = (index: number) =>
			runs.every(({ items }) => items()[index]?.json.outcome === 'unknown');
		const lost = half.filter(({ lead }, index) => !arrived().includes(lead) && !isUnknown(index));
		expect(lost).toEqual([]);
	});

	test('sends each lead of other lists at the same moment once', async () => {
		const { leads } = await runOnBoth(await activateOnce(), () => [newLeads(200), newLeads(200)]);
		expect(arrived().sort()).toEqual(namesOf(leads));
	});
});

test('the trigger takes events at the webhook processor, and starts the workflow on a worker', async () => {
	const { service } = deployment;
	await service.configure({ events: { signing: { kind: 'signature', secret: SECRET } } });
	const flow = await deployment.activate([
		deployment.trigger({
			registration: 'automatic',
			subscriptionPath: '/public/webhooks',
			verification: 'signature',
		}),
	]);
	await until('it is subscribed', () => service.subscriptions().length > 0);
	expect(service.subscriptions()).toMatchObject([{ url: flow.url }]);

	expect((await callTrigger(flow)).status).toBe(401);
	// Each event is delivered twice.
	await service.configure({ events: { duplicates: 1 } });
	service.receiveMessage({ body: 'Are you open?' });
	await service.deliveriesSettled();
	const answers = service.deliveries().map(({ attempts }) => attempts.at(-1));
	expect(answers).toEqual([{ status: 200 }, { status: 200 }]);
	const [run] = await flow.ran(1);
	expect(run?.status).toBe('success');
	expect(run?.items()).toMatchObject([{ json: { data: { body: 'Are you open?' } } }]);
});

test('the main polls, and a worker runs what a message starts, once', async () => {
	const flow = await deployment.activate(pollingNodes(deployment));
	deployment.service.receiveMessage({ phone: '+15555550142', body: 'Hello' });
	await pollAgain(flow);
	expect(await textsOf(flow, 1)).toEqual([['Hello']]);
	await pollAgain(flow);
	const executions = await flow.executions();
	expect(executions).toHaveLength(1);
	expect(workerOf({ id: executions[0]?.id ?? '' })).toBeDefined();
	await flow.deactivate();
});

// At the end, since the worker stays dead.
test('a worker is killed in the middle of a run: nothing is sent twice, and nothing is lost', async () => {
	const { service } = deployment;
	const begun = LEADS / 4;
	await service.configure({ faults: [{ kind: 'neverAnswer', requests: { from: begun + 1 } }] });
	const leads = newLeads(LEADS);
	const once = await activateOnce();
	const [id = ''] = await once.start({ list: leads });
	await until('the service is silent', () => arrived().length > begun);
	await workerOf({ id }).kill();
	await service.configure({ faults: [] });
	expect(missingAt(service, leads)).not.toEqual([]);

	await expectCompleted(service, once, leads);
	const sent = arrived().length;

	// The other worker finds the execution that the dead one has left.
	await once.flow.ended(id, RUN_TIMEOUT_MS);
	const last = await once.run({ list: leads });
	expect(outcome(leads, last, 'skipped')).toHaveLength(leads.length);
	expect(arrived()).toHaveLength(sent);
});
