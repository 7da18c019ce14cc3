import { setTimeout as sleep } from 'node:timers/promises';

import { untilListening } from '../sandbox/demo/listening.ts';
import {
	listExecutions,
	outputOf,
	readExecution,
	type ExecutionSummary,
} from '../sandbox/n8n/executions.ts';
import {
	activateWorkflow,
	chain,
	createWorkflow,
	type StoredWorkflow,
} from '../sandbox/n8n/workflows.ts';
import { RestError } from '../sandbox/n8n/rest.ts';
import type { BenchNode, Contender } from './contenders.ts';
import { cpuTime } from './rig/procfs.ts';
import type { Rig } from './rig/rig.ts';

/** A contender's workflow in n8n, listening. */
export interface Deployed {
	contender: Contender;
	workflow: StoredWorkflow;
	url: string;
}

/** One run of a workflow. */
export interface Sample {
	/** Time of the contender's nodes, as n8n took it. */
	nodeMs: number;
	/** When the first of them began, in milliseconds since 1970; 0 where n8n stores nothing. */
	nodeStartedAt: number;
	/** Time from the call to its answer. */
	wallMs: number;
	/** Processor time of n8n from the call until the execution was stored. */
	cpuMs: number;
	/** Items that came out. */
	items: number;
	/** Those of them that say that they failed. */
	failed: number;
	/** Why the execution failed, if it did. */
	error?: string;
}

export interface DeployOptions {
	/** Items to start with are taken from the call; otherwise there is just the call itself. */
	takesItems: boolean;
	/** Whether n8n stores what the nodes did. Without it only `wallMs` and `cpuMs` are known. */
	stores: boolean;
}

const POLL_MS = 25;

let deployments = 0;

/**
 * Puts a contender between a webhook and an answer. The answer is short, so that what the contender
 * gives is not sent anywhere.
 */
export async function deploy(
	{ n8n }: Rig,
	contender: Contender,
	{ takesItems, stores }: DeployOptions,
): Promise<Deployed> {
	const path = `bench-${++deployments}`;
	const webhook: BenchNode = {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: path,
		parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} },
	};
	const items: BenchNode = {
		name: 'Items',
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: 'body.items', options: {} },
	};
	const reply: BenchNode = {
		name: 'Reply',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		executeOnce: true,
		parameters: { mode: 'raw', jsonOutput: '{"done": true}', options: {} },
	};
	const nodes = [webhook, ...(takesItems ? [items] : []), ...contender.nodes, reply];
	const sketch = chain(`${contender.name} (${path})`, nodes);
	if (contender.joining !== undefined) {
		const next = sketch.connections[items.name]?.main?.[0];
		next?.push({ node: contender.joining, type: 'main', index: 1 });
	}
	const workflow = await createWorkflow(n8n.rest, {
		...sketch,
		settings: { saveDataSuccessExecution: stores ? 'all' : 'none' },
	});
	await activateWorkflow(n8n.rest, workflow);
	return { contender, workflow, url: `${n8n.url}/webhook/${path}` };
}

/** Runs a workflow once and takes its time. */
export async function measure(
	rig: Rig,
	deployed: Deployed,
	items: readonly object[] = [],
	{ stores }: Pick<DeployOptions, 'stores'> = { stores: true },
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
	const execution = stores ? await finished(rig, deployed) : undefined;
	const cpuMs = (await cpuTime(rig.pid)) - cpuBefore;
	const details = execution && (await readDetails(rig, deployed, execution));
	const error = response.ok ? undefined : answer;
	return { wallMs, cpuMs, nodeMs: 0, nodeStartedAt: 0, items: 0, failed: 0, error, ...details };
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
		if (latest && !['new', 'running', 'unknown'].includes(latest.status)) return latest;
		await sleep(POLL_MS);
	}
}

async function readDetails(
	{ n8n }: Rig,
	{ contender, workflow }: Deployed,
	{ id }: ExecutionSummary,
): Promise<Pick<Sample, 'nodeMs' | 'nodeStartedAt' | 'items' | 'failed' | 'error'>> {
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
		nodeStartedAt: runs[0]?.startTime ?? 0,
		items: output.length,
		failed: output.filter(({ json }) => json.error !== undefined).length,
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
