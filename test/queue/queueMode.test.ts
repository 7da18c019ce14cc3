/** n8n in queue mode: a main, two workers and a webhook processor over PostgreSQL and Redis. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { PACKAGE_NAME } from '../../sandbox/n8n/paths.ts';
import { WORKER_CONCURRENCY } from '../../sandbox/queue/index.ts';
import type { Member } from '../../sandbox/queue/member.ts';
import {
	type CalledWorkflow,
	type Deployment,
	publish,
	publishCalled,
	report,
	type Run,
	SECRET,
	startDeployment,
	workerOf,
} from './deployment.ts';
import { arrivedAt, type Lead, newLeads, textingNode } from './leads.ts';
import { newMessagesNode } from './messages.ts';

const START_TIMEOUT_MS = 300_000;
const WAIT_MS = 90_000;
const MOST_TRIES = 10;

jest.setTimeout(START_TIMEOUT_MS);

const CONCURRENCY = 10;

let deployment: Deployment;

beforeAll(async () => {
	deployment = await startDeployment(
		{ messages: 60, agent: { enabled: false }, rateLimit: { enabled: false } },
		{
			// A worker that died is found out soon.
			QUEUE_WORKER_LOCK_DURATION: '15000',
			QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
			QUEUE_WORKER_STALLED_INTERVAL: '5000',
		},
	);
}, START_TIMEOUT_MS);

afterAll(() => deployment?.stop());

beforeEach(async () => {
	await deployment.service.reset('log', 'settings');
	await deployment.startAll();
	report(expect.getState().currentTestName ?? '');
});

/** A workflow that texts the leads of its list. */
const texting = async (options: INodeParameters) =>
	await publishCalled(
		deployment,
		textingNode(deployment, { concurrency: CONCURRENCY, ...options }),
	);

const textingOnce = async () =>
	await texting({
		onceKey: '={{ $json.lead }}',
		resendUncertain: "={{ $('Hook').first().json.body.resend === true }}",
	});

const arrived = () => arrivedAt(deployment);

/** The leads that did not arrive. */
function missing(leads: Lead[]): string[] {
	const there = new Set(arrived());
	return leads.map(({ lead }) => lead).filter((lead) => !there.has(lead));
}

/** The leads of a run that came out with the given word. */
const outcome = (leads: Lead[], { items }: Run, word: 'accepted' | 'skipped' | 'uncertain') =>
	leads.map(({ lead }) => lead).filter((_, index) => items[index]?.json[word] === true);

const expectNoDoubles = () => expect(arrived()).toHaveLength(new Set(arrived()).size);

async function until(condition: () => boolean): Promise<void> {
	for (const deadline = Date.now() + WAIT_MS; !condition(); await sleep(20)) {
		if (Date.now() > deadline) throw new Error(`Still not so: ${condition}`);
	}
}

/** Tries what depends on which worker takes an execution. */
async function tryUntil(success: () => Promise<boolean>): Promise<void> {
	for (let tries = 1; !(await success()); tries++) expect(tries).toBeLessThan(MOST_TRIES);
}

/** Completes what a broken run left: only what was under way is uncertain, and nothing is sent twice. */
async function complete(once: CalledWorkflow, leads: Lead[]): Promise<void> {
	const next = await once.run({ list: leads });
	expect(next.status).toBe('success');
	const uncertain = outcome(leads, next, 'uncertain');
	report(`${uncertain.length} are uncertain, ${missing(leads).length} of them did not arrive`);
	expectNoDoubles();
	expect(uncertain).toEqual(expect.arrayContaining(missing(leads)));
	expect(uncertain.length).toBeLessThanOrEqual(CONCURRENCY);

	const last = await once.run({ list: leads, resend: true });
	expect(outcome(leads, last, 'accepted')).toEqual(uncertain);
	expect(missing(leads)).toEqual([]);
}

const other = (worker: Member) => deployment.workers.find((one) => one !== worker);

test('2,000 items in eight executions on both workers share the limit: all are accepted, none twice', async () => {
	const { service } = deployment;
	await service.configure({ rateLimit: { enabled: true, requests: 500, windowMs: 6_000 } });
	const workflow = await texting({});
	const lists = Array.from({ length: WORKER_CONCURRENCY + 3 }, () => newLeads(250));
	const ids = await workflow.start(...lists.map((list) => ({ list })));
	const runs = await Promise.all(ids.map((id) => workflow.end(id)));

	expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'success'));
	const reported = runs.flatMap(({ items }) => items.filter(({ json }) => json.accepted));
	expect(reported).toHaveLength(2_000);
	const accepted = service.accepted();
	expect(accepted).toHaveLength(2_000);
	expect(new Set(accepted.map(({ body }) => body.lead))).toEqual(
		new Set(lists.flat().map(({ lead }) => lead)),
	);
	expect(new Set(runs.map(({ worker }) => worker))).toEqual(new Set(deployment.workers));
	const took = (accepted.at(-1)?.time ?? NaN) - (accepted[0]?.time ?? NaN);
	const refused = service.counts().byStatus['429'] ?? 0;
	report(`${accepted.length} calls in ${took} ms; ${refused} were refused before`);
	expect(refused).toBeGreaterThan(0);
});

test('what one worker sent or returned, the other one does not send or return again', async () => {
	const leads = newLeads(60);
	const once = await textingOnce();
	const onlyNew = await publishCalled(deployment, newMessagesNode(deployment));
	const messages = ({ items }: Run) => items.map(({ json }) => json.id);

	const first = await once.run({ list: leads });
	expect(outcome(leads, first, 'accepted')).toHaveLength(leads.length);
	await tryUntil(async () => {
		const message = deployment.service.receiveMessage();
		const run = await onlyNew.run({ list: [{}] });
		expect(messages(run)).toContain(message?.id);
		return run.worker === first.worker;
	});

	await first.worker.stop();
	const second = await once.run({ list: leads });
	expect(second.worker).toBe(other(first.worker));
	expect(outcome(leads, second, 'skipped')).toHaveLength(leads.length);
	expect(missing(leads)).toEqual([]);
	expectNoDoubles();
	expect(messages(await onlyNew.run({ list: [{}] }))).toEqual([]);
	const message = deployment.service.receiveMessage();
	expect(messages(await onlyNew.run({ list: [{}] }))).toEqual([message?.id]);
	await first.worker.start();
});

test('a worker is killed in the middle of a run: nothing is sent twice, and nothing is lost', async () => {
	const { service, workers } = deployment;
	await service.configure({ latencyMs: 150 });
	const leads = newLeads(400);
	const once = await textingOnce();
	const [id = ''] = await once.start({ list: leads });
	await until(() => arrived().length > leads.length / 4);
	const worker = workerOf(workers, id);
	await worker?.kill();
	await service.configure({ latencyMs: 0 });
	expect(missing(leads)).not.toEqual([]);

	await complete(once, leads);
	const sent = arrived().length;

	await worker?.start();
	const broken = await once.end(id);
	report(`n8n says of the broken execution: ${broken.status}, ${broken.error?.message}`);
	const fourth = await once.run({ list: leads });
	expect(outcome(leads, fourth, 'skipped')).toHaveLength(leads.length);
	expect(arrived()).toHaveLength(sent);
});

test('Redis is restarted in the middle of a run: the run goes on, and all is sent once', async () => {
	await deployment.service.configure({ latencyMs: 300 });
	const leads = newLeads(400);
	const once = await textingOnce();
	const [id = ''] = await once.start({ list: leads });
	await until(() => arrived().length > leads.length / 4);
	await deployment.redis.stop();
	const before = arrived().length;
	await until(() => arrived().length > before + CONCURRENCY);
	await deployment.redis.start();
	expect(missing(leads)).not.toEqual([]);

	await deployment.service.configure({ latencyMs: 0 });
	const first = await once.end(id);
	await until(() => first.worker.log().includes(`Worker finished execution ${id} `));
	expect(missing(leads)).toEqual([]);
	report(`n8n says of the execution: ${first.status}, ${first.error?.message}`);
	const second = await once.run({ list: leads });
	expect(outcome(leads, second, 'skipped')).toHaveLength(leads.length);
	expectNoDoubles();
});

test('PostgreSQL is restarted in the middle of a run: a later run completes it, and nothing is sent twice', async () => {
	const { postgres, service, workers } = deployment;
	await service.configure({ latencyMs: 150 });
	const leads = newLeads(400);
	const once = await textingOnce();
	const [id = ''] = await once.start({ list: leads });
	await until(() => arrived().length > leads.length / 4);
	await postgres.stop();
	await postgres.start();
	await service.configure({ latencyMs: 0 });
	const worker = workerOf(workers, id);
	await until(() => worker?.log().includes(`Worker finished execution ${id} `) ?? true);
	report(`${missing(leads).length} leads are left`);
	await deployment.startAll();

	await complete(once, leads);
});

test('the trigger takes events at the webhook processor, and starts the workflow on a worker', async () => {
	const { service, webhook } = deployment;
	await service.configure({ events: { signing: { kind: 'hmac', secret: SECRET } } });
	const workflow = await publish(deployment, [
		{
			name: 'Trigger',
			type: `${PACKAGE_NAME}.messagingServiceTrigger`,
			typeVersion: 1.1,
			webhookId: randomUUID(),
			credentials: deployment.credentials,
			parameters: {
				registration: 'automatic',
				subscriptionPath: '/public/webhooks',
				verification: 'hmac',
				filters: { inboundOnly: true },
				options: { skipDuplicates: true },
			},
		},
	]);
	await until(() => service.subscriptions().length > 0);
	const [subscription] = service.subscriptions();
	expect(subscription?.url.startsWith(`${webhook.url}/webhook/`)).toBe(true);

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
	const refused = await statusOf(() => service.emit({ misbehaviour: { signature: 'wrong' } }));
	expect(refused).toEqual([401]);
	const again = { id: randomUUID(), data: { inbound: true, body: 'Hello?' } };
	const twice = await statusOf(() => service.emit({ ...again, misbehaviour: { duplicates: 1 } }));
	expect(twice).toEqual([200, 200]);
	await webhook.stop();
	await webhook.start();
	expect(await statusOf(() => service.emit(again))).toEqual([200]);

	const runs = await Promise.all((await workflow.executions()).map((id) => workflow.end(id)));
	expect(runs.map(({ status }) => status)).toEqual(['success', 'success']);
	const texts = runs.flatMap(({ items }) => items.map(({ json }) => Object(json.data).body));
	expect(texts.sort()).toEqual(['Are you open?', 'Hello?']);
});
