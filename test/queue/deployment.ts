import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ExecutionStatus, INode, INodeExecutionData } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../sandbox/demo/runExamples.ts';
import { createCredential } from '../../sandbox/n8n/credentials.ts';
import {
	type Execution,
	listExecutions,
	outputOf,
	readExecution,
} from '../../sandbox/n8n/executions.ts';
import {
	activateWorkflow,
	chain,
	createWorkflow,
	type NodeSketch,
} from '../../sandbox/n8n/workflows.ts';
import { type QueueMode, startQueueMode } from '../../sandbox/queue/index.ts';
import type { Member } from '../../sandbox/queue/member.ts';
import {
	seeded,
	type Service,
	type ServiceOptions,
	startService,
} from '../../sandbox/service/service.ts';

/** What the service proves its events with. */
export const SECRET = 'a secret that both sides know';

const RUN_TIMEOUT_MS = 150_000;
const POLL_MS = 300;
const UNFINISHED: ExecutionStatus[] = ['new', 'running', 'unknown', 'waiting'];

/** One execution and where it ran. */
export interface Run extends Pick<Execution, 'id' | 'status' | 'error'> {
	worker: Member;
	/** What the last node put out. */
	items: INodeExecutionData[];
}

/** A workflow that is started from outside. */
export interface PublishedWorkflow {
	/** The identifiers of its executions. */
	executions(): Promise<string[]>;
	/** Waits until an execution has ended, well or not. */
	end(id: string): Promise<Run>;
}

/** What a call that starts a workflow brings along. */
export interface Start {
	list: object[];
	resend?: boolean;
}

/** A workflow that each call to its webhook starts, with the list in the call. */
export interface CalledWorkflow extends PublishedWorkflow {
	/** Starts one execution with each list, all at the same time. Gives their identifiers. */
	start(...starts: Start[]): Promise<string[]>;
	/** Starts one execution and waits for its end. */
	run(start: Start): Promise<Run>;
}

/** n8n in queue mode, and a stand-in for the service that it is connected to. */
export interface Deployment extends QueueMode {
	service: Service;
	credentials: INode['credentials'];
}

/** Says what is being done: these tests are long. */
export function report(line: string): void {
	process.stdout.write(`  ${line}\n`);
}

/** Starts all; to be stopped when the tests of a file are over. */
export async function startDeployment(
	serviceOptions: ServiceOptions,
	env: Record<string, string>,
): Promise<Deployment> {
	const service = await startService(serviceOptions);
	let queue: QueueMode | undefined;
	const stop = async () => {
		await queue?.stop();
		await service.close();
	};
	try {
		queue = await startQueueMode({ env, report });
		const credential = await createCredential(queue.rest, {
			name: 'Stand-in',
			type: CREDENTIAL_TYPE,
			data: { baseUrl: service.url, apiKey: seeded.demo.apiKey, webhookSecret: SECRET },
		});
		return { ...queue, service, credentials: { [CREDENTIAL_TYPE]: { ...credential } }, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Stores and activates nodes in a row. */
export async function publish(
	{ rest, workers }: Deployment,
	nodes: NodeSketch[],
): Promise<PublishedWorkflow> {
	const name = expect.getState().currentTestName?.slice(0, 100) ?? 'Test';
	const workflow = await createWorkflow(rest, chain(name, nodes));
	await activateWorkflow(rest, workflow);
	const last = nodes.at(-1)?.name ?? '';
	return {
		executions: async () => (await listExecutions(rest, workflow)).map(({ id }) => id),
		async end(id) {
			const deadline = Date.now() + RUN_TIMEOUT_MS;
			for (;;) {
				const executions = await listExecutions(rest, workflow);
				const status = executions.find((execution) => execution.id === id)?.status;
				if (status && !UNFINISHED.includes(status)) break;
				if (Date.now() > deadline) throw new Error(`Execution ${id} is still ${status}.`);
				await sleep(POLL_MS);
			}
			const execution = await readExecution(rest, id);
			const worker = workerOf(workers, id);
			if (!worker) throw new Error(`No worker started execution ${id}.`);
			const { status, error } = execution;
			return { id, status, error, worker, items: outputOf(execution, last) };
		},
	};
}

/** Which of the workers has started an execution. */
export function workerOf(workers: Member[], id: string): Member | undefined {
	return workers.find((worker) => worker.log().includes(`Worker started execution ${id} `));
}

/** Stores and activates a workflow that calls to the webhook processor start. */
export async function publishCalled(
	deployment: Deployment,
	action: NodeSketch,
): Promise<CalledWorkflow> {
	const path = randomUUID();
	const workflow = await publish(deployment, [
		{
			name: 'Hook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: path,
			parameters: { httpMethod: 'POST', path },
		},
		{
			name: 'List',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.list', options: {} },
		},
		action,
	]);

	async function call(start: Start): Promise<void> {
		for (;;) {
			const response = await fetch(`${deployment.webhook.url}/webhook/${path}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(start),
			});
			if (response.ok) return;
			// For a moment after an activation, the webhook is not known yet.
			if (response.status !== 404) throw new Error(`The webhook answered ${response.status}.`);
			await sleep(POLL_MS);
		}
	}

	async function start(...starts: Start[]): Promise<string[]> {
		const before = new Set(await workflow.executions());
		await Promise.all(starts.map(call));
		for (;;) {
			const started = (await workflow.executions()).filter((id) => !before.has(id));
			if (started.length === starts.length) return started;
			await sleep(POLL_MS);
		}
	}

	return {
		...workflow,
		start,
		async run(one) {
			const [id = ''] = await start(one);
			return await workflow.end(id);
		},
	};
}
