import { setTimeout as sleep } from 'node:timers/promises';

import {
	isUnfinished,
	listExecutions,
	outputOf,
	readExecution,
	type ExecutionSummary,
} from '../sandbox/n8n/executions.ts';
import { RestError } from '../sandbox/n8n/rest.ts';
import { until } from '../sandbox/n8n/until.ts';
import {
	activateWorkflow,
	chain,
	createWorkflow,
	webhookNode,
	type StoredWorkflow,
} from '../sandbox/n8n/workflows.ts';
import type { BenchNode, Contender } from './contenders.ts';
import { cpuTime } from './rig/procfs.ts';
import type { Rig } from './rig/rig.ts';

/** A contender's workflow in n8n, listening. */
interface Deployed {
	contender: Contender;
	workflow: StoredWorkflow;
	url: string;
}

/** One run of a workflow. Times are in milliseconds. */
interface Sample {
	/** Time of the contender's nodes, as n8n took it. */
	nodeMs: number;
	/** Time from the call to its answer. */
	wallMs: number;
	/** Processor time of n8n from the call until the execution was stored. */
	cpuMs: number;
	/** Items that came out. */
	items: number;
	/** Why the execution failed, if it did. */
	error?: string;
}

const POLL_MS = 25;

let deployments = 0;

const ITEMS: BenchNode = {
	name: 'Items',
	type: 'n8n-nodes-base.splitOut',
	parameters: { fieldToSplitOut: 'body.items', options: {} },
};

/** A short answer, so that what the contender gives is not sent anywhere. */
const REPLY: BenchNode = {
	name: 'Reply',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	executeOnce: true,
	parameters: { mode: 'raw', jsonOutput: '{"done": true}', options: {} },
};

/** Puts a contender between a webhook, which is called with the items, and an answer. */
export async function deploy(rig: Rig, contender: Contender): Promise<Deployed> {
	const { n8n } = rig;
	const path = `bench-${++deployments}`;
	const hook = webhookNode(path);
	const webhook = { ...hook, parameters: { ...hook.parameters, responseMode: 'lastNode' } };
	const nodes = [webhook, ITEMS, ...contender.nodes, REPLY];
	const sketch = chain(`${contender.name} (${path})`, nodes);
	const settings = { saveDataSuccessExecution: 'all' as const };
	const workflow = await createWorkflow(n8n.rest, { ...sketch, settings });
	const node = workflow.nodes.find(({ name }) => name === contender.nodes[0].name);
	if (contender.known && node) rig.remember(workflow.id, node.id, contender.known);
	await activateWorkflow(n8n.rest, workflow);
	return { contender, workflow, url: `${n8n.url}/webhook/${path}` };
}

/** Waits until n8n listens at a POST webhook, which it does some time after the activation. */
export async function untilListening(url: string, signal?: AbortSignal): Promise<void> {
	const listens = async () => {
		// Asked wrongly, n8n knows better.
		const answer = await (await fetch(url, { method: 'GET', signal })).text();
		return answer.includes('not registered for GET');
	};
	await until(`n8n listens at ${url}`, listens, { signal });
}

/** Runs a workflow once and takes its time. */
export async function measure(
	rig: Rig,
	deployed: Deployed,
	items: readonly object[] = [{}],
): Promise<Sample> {
	const body = JSON.stringify({ items });
	await untilListening(deployed.url, rig.signal);
	const cpuBefore = await cpuTime(rig.pid);
	const start = performance.now();
	const response = await fetch(deployed.url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body,
		signal: rig.signal,
	});
	const answer = await response.text();
	const wallMs = performance.now() - start;
	// A failed execution is an outcome like others, but there has to be one.
	if (![200, 500].includes(response.status)) throw new Error(`n8n did not start: ${answer}`);
	const execution = await finished(rig, deployed);
	const cpuMs = (await cpuTime(rig.pid)) - cpuBefore;
	return { wallMs, cpuMs, ...(await readDetails(rig, deployed, execution)) };
}

/** Waits until the latest execution of a workflow is stored. */
async function finished({ n8n, signal }: Rig, { workflow }: Deployed): Promise<ExecutionSummary> {
	for (;;) {
		signal.throwIfAborted();
		const [latest] = await listExecutions(n8n.rest, workflow).catch((error: unknown) => {
			// Its database may be too busy to answer.
			if (error instanceof RestError && error.status === 503) return [];
			throw error;
		});
		if (latest && !isUnfinished(latest.status)) return latest;
		await sleep(POLL_MS);
	}
}

async function readDetails(
	{ n8n }: Rig,
	{ contender, workflow }: Deployed,
	{ id }: ExecutionSummary,
): Promise<Pick<Sample, 'nodeMs' | 'items' | 'error'>> {
	const execution = await readExecution(n8n.rest, id);
	const runs = contender.nodes.flatMap(({ name }) => execution.runs[name] ?? []);
	const output = outputOf(execution, contender.nodes.at(-1)?.name ?? '');
	// Executions are large; with all of them kept, the later ones would take longer.
	await n8n.rest.post('/rest/executions/delete', {
		ids: [id],
		filters: { workflowId: workflow.id },
	});
	return {
		nodeMs: runs.reduce((sum, { executionTime }) => sum + executionTime, 0),
		items: output.length,
		error: execution.error?.message,
	};
}

/**
 * Does several things in turn, forth and back, after a round that does not count.
 *
 * @returns What each of them gave, round by round.
 */
export async function interleave<Result>(
	things: ReadonlyArray<() => Promise<Result>>,
	rounds: number,
	onRound: (words: string) => void,
): Promise<Result[][]> {
	const turns = things.map((run) => ({ run, results: new Array<Result>() }));
	for (let round = 0; round <= rounds; round++) {
		onRound(round === 0 ? 'warm-up' : `round ${round} of ${rounds}`);
		for (const { run, results } of round % 2 === 0 ? turns : turns.toReversed()) {
			const result = await run();
			if (round > 0) results.push(result);
		}
	}
	return turns.map(({ results }) => results);
}
