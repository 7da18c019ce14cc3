import type { INodeExecutionData } from 'n8n-workflow';

import {
	isUnfinished,
	listExecutions,
	outputOf,
	readExecution,
	type Execution,
	type ExecutionSummary,
} from './executions.ts';
import { type RestClient, RestError } from './rest.ts';
import { until } from './until.ts';
import { activateWorkflow, deactivateWorkflow, type StoredWorkflow } from './workflows.ts';

/** How long a retry takes at most, on a busy machine. */
const RETRY_TIMEOUT_MS = 150_000;

const WEBHOOK_TYPE = 'n8n-nodes-base.webhook';

/** n8n 1.x fails to wait for a call while it still takes away what it waited for before: it stores that by reference. */
const LISTEN_TRIES = 3;
const isOverflow = (error: unknown) =>
	error instanceof RestError && error.message.endsWith('Maximum call stack size exceeded');

/** What one workflow did, node by node. */
export interface Run extends Execution {
	/** What a node put out; the last one of the workflow unless given. */
	items(node?: string, output?: number): INodeExecutionData[];
}

/** An n8n that workflows run in. */
export interface Running {
	readonly rest: RestClient;
	readonly url: string;
	/** Where webhooks are called in production, if not there. */
	readonly webhookUrl?: string;
	close(): Promise<void>;
}

/** A stored workflow, which begins with a trigger. */
export class Flow {
	readonly workflow: StoredWorkflow;
	private readonly n8n: Running;
	private readonly seen = new Set<string>();

	constructor(n8n: Running, workflow: StoredWorkflow) {
		this.n8n = n8n;
		this.workflow = workflow;
	}

	/** The first node. */
	get trigger() {
		const [first] = this.workflow.nodes;
		if (!first) throw new Error('The workflow is empty');
		return first;
	}

	/** Path of the trigger's address below `/webhook` and `/webhook-test`. */
	get path(): string {
		const { type, webhookId, parameters } = this.trigger;
		return type === WEBHOOK_TYPE ? String(parameters.path) : `${webhookId}/webhook`;
	}

	/** Where the trigger is called while the workflow is active. */
	get url(): string {
		return `${this.n8n.webhookUrl ?? this.n8n.url}/webhook/${this.path}`;
	}

	/** Where it is called while it is tried out. */
	get testUrl(): string {
		return `${this.n8n.url}/webhook-test/${this.path}`;
	}

	/** Switches the workflow on; throws what stops that. */
	async activate(): Promise<void> {
		await activateWorkflow(this.n8n.rest, this.workflow);
	}

	async deactivate(): Promise<void> {
		await deactivateWorkflow(this.n8n.rest, this.workflow.id);
	}

	/** Starts the workflow by one of its triggers, as the button in the editor does; the first unless given. */
	async start(trigger = this.trigger.name): Promise<string> {
		const id = await this.press(trigger);
		if (id === undefined) throw new Error(`The trigger "${trigger}" waits for an event`);
		return id;
	}

	/** The same, and waits for the end. */
	async run(trigger?: string): Promise<Run> {
		return await this.ended(await this.start(trigger));
	}

	/** Has n8n wait for one call to the test address. */
	async listen(tries = LISTEN_TRIES): Promise<void> {
		try {
			const started = await this.press(this.trigger.name);
			if (started !== undefined) throw new Error('The workflow started by itself');
		} catch (error) {
			if (tries === 1 || !isOverflow(error)) throw error;
			await this.listen(tries - 1);
		}
	}

	/** Calls the webhook, as soon as n8n knows it: that takes a moment after an activation. */
	async call(body: object = {}): Promise<void> {
		await until(`${this.url} is known`, async () => {
			const { ok, status } = await fetch(this.url, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			});
			if (!ok && status !== 404) throw new Error(`The webhook answered ${status}.`);
			return ok;
		});
	}

	/** Its executions, the newest first. */
	async executions(): Promise<ExecutionSummary[]> {
		const listed = await listExecutions(this.n8n.rest, this.workflow);
		// n8n 1.x may list one twice that is just ending.
		return [...new Map(listed.map((one) => [one.id, one])).values()];
	}

	/**
	 * The executions that were started since the last time, in the order in which they were.
	 *
	 * @throws when there are not as many as expected.
	 */
	async started(count: number, timeoutMs?: number): Promise<string[]> {
		let ids: string[] = [];
		const areThere = async () => {
			const all = (await this.executions()).map(({ id }) => id);
			ids = all.filter((id) => !this.seen.has(id)).sort((a, b) => Number(a) - Number(b));
			return ids.length >= count;
		};
		await until(`there are ${count} executions`, areThere, { timeoutMs });
		if (ids.length > count) throw new Error(`${ids.length} executions instead of ${count}`);
		for (const id of ids) this.seen.add(id);
		return ids;
	}

	/** Waits until an execution has ended, well or not. */
	async ended(id: string, timeoutMs?: number): Promise<Run> {
		const hasEnded = async () => {
			const execution = await readExecution(this.n8n.rest, id);
			return !isUnfinished(execution.status) && execution;
		};
		const execution = await until(`execution ${id} has ended`, hasEnded, { timeoutMs });
		const last = this.workflow.nodes.at(-1)?.name ?? '';
		return { ...execution, items: (node = last, output) => outputOf(execution, node, output) };
	}

	/** Stops an execution, as the button in the list of executions does, and waits for its end. */
	async stop(id: string): Promise<Run> {
		await this.n8n.rest.post(`/rest/executions/${id}/stop`);
		return await this.ended(id);
	}

	/**
	 * Retries a failed execution, as the button in the list of executions does, and waits for the end.
	 *
	 * @param workflow the one that it ran with, or the one that is saved now
	 */
	async retry(id: string, workflow: 'original' | 'saved' = 'original'): Promise<Run> {
		return await this.ended(await this.beginRetry(id, workflow), RETRY_TIMEOUT_MS);
	}

	/** Begins a retry. Gives its identifier. */
	async beginRetry(id: string, workflow: 'original' | 'saved' = 'original'): Promise<string> {
		const body = { loadWorkflow: workflow === 'saved' };
		// n8n answers when the retry has ended, if it lives to see it. n8n 1 may not hear of it from a worker.
		this.n8n.rest.post(`/rest/executions/${id}/retry`, body).catch(() => undefined);
		const [retried = ''] = await this.started(1);
		return retried;
	}

	/** What the executions since the last time did. */
	async ran(count: number): Promise<Run[]> {
		const ids = await this.started(count);
		return await Promise.all(ids.map((id) => this.ended(id)));
	}

	/** Presses the button of a trigger; gives the execution that this starts, none if the trigger waits for a call. */
	private async press(trigger: string): Promise<string | undefined> {
		const path = `/rest/workflows/${this.workflow.id}`;
		const answer = await this.n8n.rest.post<{ executionId?: string }>(`${path}/run`, {
			triggerToStartFrom: { name: trigger },
			// n8n 1.x runs what it is sent, and n8n 2.x what is stored.
			workflowData: await this.n8n.rest.get<StoredWorkflow>(path),
		});
		return answer.executionId;
	}
}
