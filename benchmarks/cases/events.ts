import { setTimeout as sleep } from 'node:timers/promises';

import type { ExecutionStatus } from 'n8n-workflow';

import { compare, type Row } from '../comparison.ts';
import { interleave, untilListening } from '../measure.ts';
import {
	eventCalls,
	listen,
	ODD_BODIES,
	oddCalls,
	TRIGGERS,
	WEBHOOK_NODE,
	type Listening,
} from '../receivers.ts';
import { cpuTime } from '../rig/procfs.ts';
import { withRig, type Rig } from '../rig/rig.ts';
import { sendAll, type Call } from '../rig/sender.ts';
import type { CaseContext } from './context.ts';

const CONNECTIONS = 20;
const POLL_MS = 100;
/** Each has so many events that it needs no more rounds than this. */
const MOST_ROUNDS = 4;

/** A way to set n8n's expression engine, and how many events are sent with it in each round. */
interface Engine {
	name: string;
	n8nSettings: Record<string, string>;
	events: number;
}

/** As n8n ships it, every call costs so much that there is time for fewer. */
const ENGINES: Engine[] = [
	{ name: 'n8n as it ships', n8nSettings: {}, events: 250 },
	{
		name: 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE',
		n8nSettings: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
		events: 2_000,
	},
];

/** What one round gave. */
interface Sample {
	perSecond: number;
	/** Processor time of n8n for each event, its execution included. */
	cpuMs: number;
}

/** Takes in events with this package's trigger and with n8n's Webhook node. */
export async function measureEvents(context: CaseContext): Promise<Row[]> {
	const rows: Row[] = [];
	for (const engine of ENGINES) rows.push(...(await measureWith(engine, context)));
	return [...rows, ...(await measureBodies(context))];
}

/** Bytes of an odd body, and how many calls have one in each round. */
const BODY_SIZE = 2_000_000;
const BODY_CALLS = 3;

/** Takes in bodies of odd kinds, one after the other. */
async function measureBodies({ rounds, scaled, signal, progress }: CaseContext): Promise<Row[]> {
	const receivers = [WEBHOOK_NODE, TRIGGERS[0]];
	return await withRig({ signal }, async (rig) => {
		const listening: Listening[] = [];
		for (const receiver of receivers) {
			const one = await listen(rig, receiver);
			await untilListening(one.url, signal);
			listening.push(one);
		}
		const rows: Row[] = [];
		for (const kind of ODD_BODIES) {
			const runs = listening.map((each) => async () => {
				const calls = oddCalls(each.receiver, kind, scaled(BODY_SIZE), BODY_CALLS);
				return await takeIn(rig, each, calls, 1);
			});
			const samples = await interleave(runs, rounds, (round) => progress(`${kind.name}: ${round}`));
			const [webhook, trigger] = samples.map((each, index) => ({
				name: receivers[index].name,
				rounds: each.map(({ cpuMs }) => cpuMs),
			}));
			rows.push(compare(`a body of ${kind.name}`, 'CPU ms per call', trigger, webhook));
		}
		return rows;
	});
}

/** Takes in events with one setting of the expression engine. */
async function measureWith(
	{ name: engine, n8nSettings, events }: Engine,
	{ rounds, scaled, signal, progress }: CaseContext,
): Promise<Row[]> {
	const count = scaled(events);
	const work = `${count} events, ${engine}`;
	const receivers = [WEBHOOK_NODE, ...TRIGGERS];
	const samples = await withRig({ n8nSettings, signal }, async (rig) => {
		const runs: Array<() => Promise<Sample>> = [];
		for (const receiver of receivers) {
			const listening = await listen(rig, receiver);
			await untilListening(listening.url, signal);
			const calls = () => eventCalls(receiver, count);
			runs.push(async () => await takeIn(rig, listening, calls(), CONNECTIONS));
		}
		// As often forth as back: whatever comes later in a round finds n8n slower or faster than what comes first.
		const evenRounds = 2 * Math.ceil(Math.min(rounds, MOST_ROUNDS) / 2);
		return await interleave(runs, evenRounds, (round) => progress(`${work}: ${round}`));
	});
	const figures = receivers.map(({ name }, index) => ({
		rate: { name, rounds: samples[index].map(({ perSecond }) => perSecond) },
		cpu: { name, rounds: samples[index].map(({ cpuMs }) => cpuMs) },
	}));
	const [webhook, ...triggers] = figures;
	return triggers.flatMap(({ rate, cpu }) => [
		compare(work, 'events per second', rate, webhook.rate),
		compare(work, 'CPU ms per event', cpu, webhook.cpu),
	]);
}

/** Sends events, and waits until each of them has been through its own execution. */
async function takeIn(
	rig: Rig,
	listening: Listening,
	calls: readonly Call[],
	connections: number,
): Promise<Sample> {
	const { receiver, url } = listening;
	const events = calls.length;
	rig.signal.throwIfAborted();
	const cpuBefore = await cpuTime(rig.pid);
	const { seconds, statuses } = await sendAll(url, calls, connections);
	const refused = statuses.filter((status) => status < 200 || status >= 300);
	if (refused.length > 0) {
		throw new Error(`${receiver.name} answered ${refused.length} calls with ${refused[0]}.`);
	}
	await untilExecuted(rig, listening, events);
	const cpuMs = ((await cpuTime(rig.pid)) - cpuBefore) / events;
	await removeExecutions(rig, listening);
	return { perSecond: events / seconds, cpuMs };
}

/** Waits until all executions have ended, and makes sure that there was one for each event. */
async function untilExecuted(
	{ n8n, signal }: Rig,
	{ receiver, workflowId }: Listening,
	expected: number,
): Promise<void> {
	const count = async (...status: ExecutionStatus[]) => {
		const query = new URLSearchParams({ filter: JSON.stringify({ workflowId, status }) });
		return (await n8n.rest.get<{ count: number }>(`/rest/executions?${query}&limit=1`)).count;
	};
	while ((await count('new', 'running')) > 0) {
		signal.throwIfAborted();
		await sleep(POLL_MS);
	}
	const succeeded = await count('success');
	const failed = await count('error', 'crashed', 'canceled', 'unknown');
	if (succeeded === expected && failed === 0) return;
	throw new Error(
		`Of ${expected} events, ${receiver.name} made ${succeeded} executions that succeeded and ${failed} that did not.`,
	);
}

/** With all executions kept, the later ones would take longer. */
async function removeExecutions({ n8n }: Rig, { workflowId }: Listening): Promise<void> {
	await n8n.rest.post('/rest/executions/delete', {
		deleteBefore: new Date().toISOString(),
		filters: { workflowId },
	});
}
