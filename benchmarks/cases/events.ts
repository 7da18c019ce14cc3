import { setTimeout as sleep } from 'node:timers/promises';

import type { ExecutionStatus } from 'n8n-workflow';

import { until } from '../../sandbox/n8n/until.ts';
import { LARGE_BODIES, receivedMessage } from '../bodies.ts';
import type { Contender, Contest, Figures } from '../contest.ts';
import { RECEIVERS, type Receiver } from '../receivers.ts';
import type { Rig } from '../rig.ts';

const CONNECTIONS = 20;
const TIMEOUT_MS = 60_000;
const POLL_MS = 100;

/** Ways to set n8n's expression engine. As n8n ships it, each call costs so much that there is time for fewer. */
const ENGINES = [
	{ name: 'n8n as it ships', n8n: {}, events: 250 },
	{
		name: 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE',
		n8n: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
		events: 2_000,
	},
];

/** Events taken in with this package's trigger and with n8n's Webhook node, and large bodies. */
export function eventContests(scaled: (size: number) => number): Contest[] {
	const small = ENGINES.map(({ name, n8n, events }) => {
		const count = scaled(events);
		const bodies = () => Array.from({ length: count }, (_, index) => receivedMessage(index));
		return {
			work: `${count} events, ${name}`,
			n8n,
			contenders: RECEIVERS.map((receiver) =>
				taker(receiver, async (take) => {
					const { ms, cpuMs } = await take(bodies().map((body) => JSON.stringify(body)));
					return { 'per second': (count / ms) * 1_000, 'CPU ms each': cpuMs / count };
				}),
			),
		};
	});
	const size = scaled(2_000_000);
	const large = {
		work: `A body of ${size / 1_000} kB by its kind: CPU ms`,
		contenders: RECEIVERS.slice(0, 2).map((receiver) =>
			taker(receiver, async (take) => {
				const figures: Figures = {};
				for (const { kind, type, make } of LARGE_BODIES) {
					// No two are alike.
					figures[kind] = (await take([make(size, Math.random())], type)).cpuMs;
				}
				return figures;
			}),
		),
	};
	return [...small, large];
}

/** Sends bodies to a receiver, and gives how long that took it, and how much processor time. */
type Take = (bodies: string[], type?: string) => Promise<{ ms: number; cpuMs: number }>;

function taker(receiver: Receiver, work: (take: Take) => Promise<Figures>): Contender {
	return {
		name: receiver.name,
		async prepare(rig) {
			const nothing = { name: 'Nothing', type: 'n8n-nodes-base.noOp' };
			const { url, workflow } = await rig.activate([await receiver.node(rig), nothing]);
			await until(`n8n listens at ${url}`, async () => {
				// Asked wrongly, n8n knows better.
				return (await (await fetch(url)).text()).includes('not registered for GET');
			});
			const take: Take = async (bodies, type = 'application/json') => {
				const waiting = bodies.values();
				const sendOneByOne = async () => {
					for (const body of waiting) {
						const headers = { 'content-type': type, ...receiver.proof(body) };
						const signal = AbortSignal.timeout(TIMEOUT_MS);
						const { status } = await fetch(url, { method: 'POST', headers, body, signal });
						if (status !== 200) throw new Error(`${receiver.name} answered with ${status}.`);
					}
				};
				const [start, cpuBefore] = [performance.now(), await rig.cpuMs()];
				await Promise.all(Array.from({ length: CONNECTIONS }, sendOneByOne));
				const ms = performance.now() - start;
				await untilExecuted(rig, workflow.id, bodies.length);
				const cpuMs = (await rig.cpuMs()) - cpuBefore;
				await rig.removeExecutions(workflow.id);
				return { ms, cpuMs };
			};
			return () => work(take);
		},
	};
}

/** Waits until all executions have ended, and makes sure that each event has had one that succeeded. */
async function untilExecuted({ n8n, signal }: Rig, workflowId: string, events: number) {
	const count = async (...status: ExecutionStatus[]) => {
		const query = new URLSearchParams({ filter: JSON.stringify({ workflowId, status }) });
		return (await n8n.rest.get<{ count: number }>(`/rest/executions?${query}&limit=1`)).count;
	};
	while ((await count('new', 'running')) > 0) await sleep(POLL_MS, undefined, { signal });
	const all = await count('success', 'error', 'crashed', 'canceled', 'unknown');
	const succeeded = await count('success');
	if (succeeded === events && all === events) return;
	throw new Error(`Of ${events} events, ${succeeded} of ${all} executions succeeded.`);
}
