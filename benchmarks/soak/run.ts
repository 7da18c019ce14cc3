import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { CREDENTIAL_TYPE, createCredential } from '../../sandbox/n8n/credentials.ts';
import { startN8n, type N8n } from '../../sandbox/n8n/index.ts';
import { ROOT } from '../../sandbox/n8n/paths.ts';
import { findFreePort } from '../../sandbox/n8n/ports.ts';
import {
	activateWorkflow,
	createWorkflow,
	type StoredWorkflow,
} from '../../sandbox/n8n/workflows.ts';
import { seeded, startService, type Service } from '../../sandbox/service/service.ts';
import { memoryChart } from '../charts.ts';
import { runCommand } from '../commandLine.ts';
import { describeEnvironment } from '../environment.ts';
import { settle } from './accounts.ts';
import { Collector } from './collector.ts';
import { growth, type MemorySample, MemoryWatch } from './memory.ts';
import { soakWorkflows, TRIGGER_ID } from './workflows.ts';

/** So long a run is one to report on. */
const FULL_MINUTES = 30;

const USAGE = `Runs schedules, webhooks, events, faults and restarts at once for a long time, and counts.

Usage: npm run soak -- [options]

  --minutes <number>   how long (${FULL_MINUTES}); a shorter run writes no report
  --help               show this
`;

const SECRET = 'invented-secret-of-the-soak';
const LEAD_EVERY_MS = 1_000;
const MESSAGE_EVERY_MS = 4_000;
/** Leads stay on offer for some minutes, which is longer than n8n takes to restart. */
const OFFERED_LEADS = 240;
/** When n8n is restarted, as parts of the whole time: the last stretch is left for its memory. */
const RESTARTS = [0.08, 0.16, 0.24];
const SETTLE_LIMIT_MS = 180_000;
const MB = 1_000_000;

const WRITE = ['pipeline.invokeWebhook' as const];
const READ = ['message.getAll' as const];

/** Everything that goes wrong now and then. */
async function misbehave(service: Service, trigger: string): Promise<void> {
	await service.configure({
		faults: [
			{ kind: 'status', status: 503, operations: WRITE, requests: { probability: 0.01, seed: 1 } },
			{ kind: 'dropAfter', operations: WRITE, requests: { probability: 0.005, seed: 2 } },
			{
				kind: 'tooManyRequests',
				retryAfterMs: 400,
				operations: WRITE,
				requests: { probability: 0.02, seed: 3 },
			},
			{ kind: 'status', status: 503, operations: READ, requests: { probability: 0.05, seed: 4 } },
			{ kind: 'dropMidBody', operations: READ, requests: { probability: 0.02, seed: 5 } },
		],
		events: {
			subscriptions: [{ url: trigger }],
			signing: { kind: 'signature', secret: SECRET, signatureHeader: 'X-Signature' },
			delivery: { retries: 9, retryDelayMs: 300 },
			misbehaviour: { duplicates: 1 },
		},
	});
}

async function soak(minutes: number, signal: AbortSignal): Promise<boolean> {
	const userFolder = await mkdtemp(join(tmpdir(), 'soak-'));
	const service = await startService({ messages: 200 });
	const collector = new Collector(OFFERED_LEADS);
	const memory = new MemoryWatch();
	const port = await findFreePort();
	let n8n: N8n | undefined;
	const start = async () => {
		n8n = await startN8n({ userFolder, port, signal });
		await memory.begin();
		return n8n;
	};
	try {
		const address = await collector.listen();
		const { rest, url } = await start();
		const credential = await createCredential(rest, {
			name: 'Stand-in',
			type: CREDENTIAL_TYPE,
			data: { baseUrl: service.url, apiKey: seeded.demo.apiKey, webhookSecret: SECRET },
		});
		const workflows: StoredWorkflow[] = [];
		for (const definition of soakWorkflows(address, credential)) {
			const workflow = await createWorkflow(rest, definition);
			await activateWorkflow(rest, workflow);
			workflows.push(workflow);
		}
		await misbehave(service, `${url}/webhook/${TRIGGER_ID}/webhook`);

		const began = Date.now();
		const work = [
			setInterval(() => collector.addLead(), LEAD_EVERY_MS),
			setInterval(
				() => service.receiveMessage({ body: 'Is it still available?' }),
				MESSAGE_EVERY_MS,
			),
		];
		const end = began + minutes * 60_000;
		const restarts = RESTARTS.map((part) => began + part * minutes * 60_000);
		try {
			while (Date.now() < end) {
				await sleep(1_000, undefined, { signal });
				if (restarts[0] !== undefined && Date.now() > restarts[0]) {
					restarts.shift();
					memory.end();
					await n8n?.stop();
					await start();
				}
				tell(began, service, collector);
			}
		} finally {
			for (const each of work) clearInterval(each);
		}
		await finish(service, collector, signal);
		memory.end();
		const executions = await countExecutions(n8n, workflows.at(-1));
		return await report(service, collector, memory, executions, minutes);
	} finally {
		memory.end();
		await n8n?.stop();
		await collector.close();
		await service.close();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	}
}

let told = 0;

function tell(began: number, service: Service, collector: Collector): void {
	if (Date.now() - told < 30_000) return;
	told = Date.now();
	const minutes = ((Date.now() - began) / 60_000).toFixed(1);
	console.log(
		`${minutes} min: ${collector.leadsCreated} leads, ${service.accepted().length} accepted, ${collector.messages.size} messages, ${collector.events.size} events`,
	);
}

/** Waits until what is under way has come through. */
async function finish(service: Service, collector: Collector, signal: AbortSignal): Promise<void> {
	const limit = Date.now() + SETTLE_LIMIT_MS;
	const messages = () => service.teams()[0]?.messages.length ?? 0;
	const sent = () => new Set(service.deliveries().map(({ id }) => id)).size;
	await service.deliveriesSettled();
	while (
		Date.now() < limit &&
		!(collector.isDone && collector.messages.size === messages() && collector.events.size >= sent())
	) {
		await sleep(1_000, undefined, { signal });
	}
	// Whatever would still come twice has the time to.
	await sleep(20_000, undefined, { signal });
}

async function countExecutions(n8n?: N8n, workflow?: StoredWorkflow): Promise<number> {
	if (!n8n || !workflow) return 0;
	const filter = encodeURIComponent(JSON.stringify({ workflowId: workflow.id }));
	const { count } = await n8n.rest.get<{ count: number }>(
		`/rest/executions?filter=${filter}&limit=1`,
	);
	return count;
}

async function report(
	service: Service,
	collector: Collector,
	{ samples }: MemoryWatch,
	executions: number,
	minutes: number,
): Promise<boolean> {
	const { accounts, uncertain } = settle(service, collector, executions);
	const { middle, last } = growth(samples);
	const right = accounts.every(({ expected, found }) => expected === found);
	if (minutes >= FULL_MINUTES) {
		await writeReport(samples, {
			environment: await describeEnvironment(),
			minutes,
			restarts: RESTARTS.length,
			requests: service.counts().requests,
			answers: service.counts().byStatus,
			uncertain,
			accounts,
			memory: { middle, last, ratio: last / middle },
		});
	}
	console.log(`\n${minutes} minutes, ${RESTARTS.length} restarts, ${uncertain} leads uncertain\n`);
	for (const { what, expected, found } of accounts) {
		console.log(`${expected === found ? 'equal ' : 'DIFFER'}  ${what}: ${found} of ${expected}`);
	}
	console.log(
		`\nMemory in the middle and the last third of the longest life: ${Math.round(middle / MB)} and ${Math.round(last / MB)} MB (${(last / middle).toFixed(2)})`,
	);
	return right;
}

async function writeReport(samples: MemorySample[], figures: object): Promise<void> {
	const folder = join(ROOT, 'benchmarks');
	await writeFile(join(folder, 'soak.json'), `${JSON.stringify(figures, null, '\t')}\n`);
	await writeFile(join(folder, 'plots', 'soak.svg'), await memoryChart(samples));
}

function parse(): { help: boolean; minutes: number } {
	const { help, minutes } = parseArgs({
		options: {
			minutes: { type: 'string', default: String(FULL_MINUTES) },
			help: { type: 'boolean', default: false },
		},
	}).values;
	if (!(Number(minutes) >= 2)) throw new Error('--minutes takes a number of at least 2.');
	return { help, minutes: Number(minutes) };
}

process.exitCode = await runCommand(USAGE, parse, ({ minutes }, signal) => soak(minutes, signal));
