/** n8n in queue mode: a main, two workers and a webhook processor over PostgreSQL and Redis. */
import { randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import type { Run } from '../../sandbox/n8n/flow.ts';
import type { N8n } from '../../sandbox/n8n/index.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { WORKER_CONCURRENCY } from '../../sandbox/queue/index.ts';
import { callTrigger, SECRET } from '../e2e/events.ts';
import {
	activateCalled,
	arrivedAt,
	expectCompleted,
	expectRetriesContinue,
	expectRetriesKnowEachOther,
	missingAt,
	newLeads,
	outcome,
	texting,
	textingOnce,
	type CalledFlow,
	type Lead,
} from '../e2e/texting.ts';
import { deploy, deployment, report, TIMEOUT_MS, workerOf } from './deployment.ts';
import './concurrent.ts';
import './polling.ts';

const RUN_TIMEOUT_MS = 150_000;

jest.setTimeout(TIMEOUT_MS);

const CONCURRENCY = 10;
/** So many that a run is broken off in the middle of them, after the first were claimed. */
const LEADS = 500;

deploy({
	messages: 0,
	agent: { enabled: false },
	rateLimit: { enabled: false },
});

beforeEach(async () => {
	await deployment.service.reset('log', 'settings');
	await deployment.n8n.startAll();
	report(expect.getState().currentTestName ?? '');
});

const activate = async (parameters: INodeParameters) =>
	await activateCalled(deployment, parameters, { timeoutMs: RUN_TIMEOUT_MS });

const activateOnce = async () => await activate(textingOnce({ concurrency: CONCURRENCY }));

const arrived = () => arrivedAt(deployment.service);
const missing = (leads: Lead[]) => missingAt(deployment.service, leads);

/** Starts a run, and does something when a quarter of the leads has arrived. */
async function interrupt(
	once: CalledFlow,
	leads: Lead[],
	how: (worker: N8n) => Promise<void>,
): Promise<{ id: string; worker: N8n }> {
	const [id = ''] = await once.start({ list: leads });
	await until('a quarter has arrived', () => arrived().length > leads.length / 4, { pollMs: 20 });
	const worker = workerOf({ id });
	await how(worker);
	return { id, worker };
}

const untilFinished = async (worker: N8n, id: string) =>
	await until(
		`execution ${id} is over`,
		() => worker.log().includes(`Worker finished execution ${id} `),
		{ timeoutMs: 90_000 },
	);

const workersOf = (runs: Run[]) => new Set(runs.map((run) => workerOf(run)));

// Neither worker knows of the other: what the service refuses is all that they learn.
test('400 items in eight executions on both workers share the limit: all are accepted, none twice', async () => {
	const { service, n8n } = deployment;
	const rateLimit = { enabled: true, requests: 100, windowMs: 2_000, window: 'sliding' as const };
	await service.configure({ rateLimit });
	const { flow, start } = await activate(texting({ concurrency: CONCURRENCY }));
	const lists = Array.from({ length: WORKER_CONCURRENCY + 3 }, () => newLeads(50));
	const ids = await start(...lists.map((list) => ({ list })));
	const runs = await Promise.all(ids.map((id) => flow.ended(id, RUN_TIMEOUT_MS)));

	expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'success'));
	expect(runs.flatMap(({ items }) => items().filter(({ json }) => json.accepted))).toHaveLength(
		400,
	);
	const accepted = service.accepted();
	expect(accepted).toHaveLength(400);
	expect(arrivedAt(service)).toEqual(expect.arrayContaining(lists.flat().map(({ lead }) => lead)));
	expect(workersOf(runs)).toEqual(new Set(n8n.workers));
	const took = (accepted.at(-1)?.time ?? NaN) - (accepted[0]?.time ?? NaN);
	const refused = service.counts().byStatus['429'] ?? 0;
	report(`${accepted.length} calls in ${took} ms; ${refused} were refused before`);
	expect(refused).toBeGreaterThan(0);
});

test('the Retry button continues where the execution stopped, on whichever worker', async () => {
	await expectRetriesContinue(deployment);
});

test('a second press of the Retry button knows of the first, on whichever worker', async () => {
	await expectRetriesKnowEachOther(deployment);
});

test('the database is restarted in the middle of a run: a later run completes what is left, and nothing is sent twice', async () => {
	const { service, n8n } = deployment;
	await service.configure({ latencyMs: 150 });
	const leads = newLeads(LEADS);
	const once = await activateOnce();
	const { id, worker } = await interrupt(once, leads, async () => {
		await n8n.postgres.stop();
		await n8n.postgres.start();
	});
	await service.configure({ latencyMs: 0 });
	await untilFinished(worker, id);
	report(`${missing(leads).length} leads are left`);
	await n8n.startAll();

	await expectCompleted(service, once, leads);
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

	const statusOf = async (send: () => unknown) => {
		const before = service.deliveries().length;
		send();
		await service.deliveriesSettled();
		return service
			.deliveries()
			.slice(before)
			.map(({ attempts }) => attempts.at(-1)?.status);
	};
	const wanted = await statusOf(() => service.receiveMessage({ body: 'Are you open?' }));
	expect(wanted).toEqual([200]);
	const filtered = await statusOf(() => service.emit({ data: { inbound: false } }));
	expect(filtered).toEqual([200]);
	expect((await callTrigger(flow)).status).toBe(401);
	const again = { body: { id: randomUUID(), data: { inbound: true, body: 'Hello?' } } };
	await service.configure({ events: { duplicates: 1 } });
	expect(await statusOf(() => service.emit(again))).toEqual([200, 200]);
	const runs = await flow.ran(2);
	expect(runs.map(({ status }) => status)).toEqual(['success', 'success']);
	const texts = runs.flatMap(({ items }) => items().map(({ json }) => Object(json.data).body));
	expect(texts.sort()).toEqual(['Are you open?', 'Hello?']);
});

// At the end, since the worker stays dead.
test('a worker is killed in the middle of a run: nothing is sent twice, and nothing is lost', async () => {
	const { service } = deployment;
	await service.configure({ latencyMs: 150 });
	const leads = newLeads(LEADS);
	const once = await activateOnce();
	const { id } = await interrupt(once, leads, (working) => working.kill());
	await service.configure({ latencyMs: 0 });
	expect(missing(leads)).not.toEqual([]);

	await expectCompleted(service, once, leads);
	const sent = arrived().length;

	// The other worker finds the execution that the dead one has left.
	const broken = await once.flow.ended(id, RUN_TIMEOUT_MS);
	report(`n8n says of the broken execution: ${broken.status}, ${broken.error?.message}`);
	const last = await once.run({ list: leads });
	expect(outcome(leads, last, 'skipped')).toHaveLength(leads.length);
	expect(arrived()).toHaveLength(sent);
});
