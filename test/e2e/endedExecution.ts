/** An execution that is brought to an end, and retried: nothing is sent twice, and what was not sent has a name. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { NodeConnectionTypes, type INodeParameters } from 'n8n-workflow';

import type { Flow, Run, Running } from '../../sandbox/n8n/flow.ts';
import type { Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { until } from '../../sandbox/n8n/until.ts';
import {
	chain,
	webhookNode,
	type NodeSketch,
	type WorkflowDefinition,
} from '../../sandbox/n8n/workflows.ts';
import { findOperation } from '../../nodes/MessagingService/operations/index.ts';
import { nodeOperations } from '../../sandbox/operations.ts';
import type { OperationId } from '../../sandbox/service/contract.ts';
import {
	seeded,
	startService,
	type Fault,
	type ReceivedRequest,
	type Service,
} from '../../sandbox/service/service.ts';
import { LEADS, refusedFrom, ROUND, type Ending, type Faults, type Verdict } from './endings.ts';

/** What the nodes A and C read from the service. */
const READS = {
	A: { operation: 'messageTemplate.getAll', path: '/public/message-templates' },
	C: { operation: 'inbox.getAll', path: '/public/admin/inboxes' },
} as const;

/** The header in which they tell where the execution is resumed. */
const RESUME_AT = 'x-resume-at';

/** Nobody retries an execution sooner after its beginning, in milliseconds: see `n8n/private.ts`. */
const SOONEST_RETRY = 5_000;

/** Milliseconds: longer than it takes until something ends an execution that waits for an answer. */
const FOR_EVER = 600_000;

/** How long an execution takes at most, on a busy machine and until a dead worker is found out. */
const TIMEOUT_MS = 150_000;

/** An n8n, in regular or in queue mode, as far as it is needed here. */
export type Connected = Pick<Sandbox<Running>, 'action' | 'activate' | 'addCredential'>;

/** A node that reads something, whatever its input is. */
const reading = (name: 'A' | 'C', { url }: Service): NodeSketch => ({
	name,
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	executeOnce: true,
	parameters: {
		url: url + READS[name].path,
		sendHeaders: true,
		headerParameters: {
			parameters: [
				{ name: 'apiKey', value: seeded.demo.apiKey },
				{ name: RESUME_AT, value: '={{ $execution.resumeUrl }}' },
			],
		},
	},
});

/** Waits until an address is called. */
const waiting = (): NodeSketch => ({
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	webhookId: randomUUID(),
	parameters: { resume: 'webhook' },
});

/** The list in the call that started the workflow, as items. */
const LIST: NodeSketch[] = [
	{
		name: 'Body',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'raw', jsonOutput: "={{ $('Hook').first().json.body }}" },
	},
	{
		name: 'List',
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: 'list', options: {} },
	},
];

const LOOP: NodeSketch = {
	name: 'Loop',
	type: 'n8n-nodes-base.splitInBatches',
	typeVersion: 3,
	parameters: { batchSize: ROUND, options: {} },
};

/** The workflow of an execution that ends in some way. */
function workflowOf(ending: Ending, b: NodeSketch, service: Service): WorkflowDefinition {
	const { has, settings, retryOnFail } = ending;
	const workflow = chain(ending.title, [
		webhookNode(randomUUID()),
		reading('A', service),
		...(has === 'wait' ? [waiting()] : []),
		...LIST,
		...(has === 'loop' ? [LOOP] : []),
		{ ...b, retryOnFail },
		reading('C', service),
	]);
	const to = (node: string) => [{ node, type: NodeConnectionTypes.Main, index: 0 }];
	const round = has === 'loop' && { Loop: { main: [[], to('B')] }, C: { main: [to('Loop')] } };
	return { ...workflow, settings, connections: { ...workflow.connections, ...round } };
}

/** The numbers in the ranges of a text such as `0-3, 7`. */
function numbersIn(ranges: string): number[] {
	return ranges.split(', ').flatMap((range) => {
		const [from = 0, to = from] = range.split('-').map(Number);
		return Array.from({ length: to - from + 1 }, (_, index) => from + index);
	});
}

/** What became of the items of a run by its error: the numbers of those for each word. */
function outcomesIn(description: string): Map<string, number[]> {
	const found = description.matchAll(
		/\d+ (accepted|skipped|refused|unknown|not sent) \(([\d, -]+)(?::[^)]*)?\)/g,
	);
	return new Map(Array.from(found, ([, word = '', ranges = '']) => [word, numbersIn(ranges)]));
}

const ascending = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

const NOTHING_RUN = 'nothing run';

/** The name of the node that failed; undefined if no node did. */
const failedNode = (error: Run['error']) =>
	error && 'node' in error ? error.node?.name : undefined;

/** An execution, with a service of its own. */
export class EndedExecution {
	private readonly ending: Ending;
	private readonly operation: OperationId;
	private readonly service: Service;
	private readonly flow: Flow;
	private readonly begunAt = Date.now();
	/** What is retried: the execution, and a retry of it that was broken off. */
	private readonly ids: string[] = [];

	private constructor(
		ending: Ending,
		operation: OperationId,
		{ service, flow }: { service: Service; flow: Flow },
	) {
		this.ending = ending;
		this.operation = operation;
		this.service = service;
		this.flow = flow;
	}

	/**
	 * Starts it, and waits until it has failed, or does not go on by itself any more.
	 *
	 * @param operation what B does
	 */
	static async begin(
		sandbox: Connected,
		ending: Ending,
		operation: OperationId,
	): Promise<EndedExecution> {
		const service = await startService({ messages: 0, agent: { enabled: false } });
		try {
			const credentials = await sandbox.addCredential({ baseUrl: service.url });
			const [resource = '', name = ''] = operation.split('.');
			const { timeout = FOR_EVER } = ending;
			const parameters: INodeParameters = {
				resource,
				operation: name,
				...nodeOperations[operation].perItem,
				options: { timeout },
			};
			const b = sandbox.action('B', parameters, { credentials });
			const flow = await sandbox.activate(workflowOf(ending, b, service));
			const begun = new EndedExecution(ending, operation, { service, flow });
			await begun.run();
			return begun;
		} catch (error) {
			await service.close();
			throw error;
		}
	}

	private async run(): Promise<void> {
		const { flow } = this;
		const { has, faults, inRetry } = this.ending;
		const { silent } = this;
		this.failBy(faults);
		await flow.call({ list: upTo(this.leads).map((n) => ({ n })) });
		const [id = ''] = await flow.started(1, TIMEOUT_MS);
		this.ids.push(id);
		if (has === 'wait') await this.resume();
		if (silent === undefined || inRetry) {
			const { error } = await flow.ended(id, TIMEOUT_MS);
			expect(failedNode(error)).toBe(Object.keys(faults)[0]);
		}
		if (inRetry) {
			this.failBy(inRetry);
			this.ids.push(await flow.beginRetry(id));
		}
		if (silent === undefined) return;
		const isSilent = ({ status }: ReceivedRequest) => status === 'silent';
		await until(
			`${silent} requests are not answered`,
			() => this.service.received().filter(isSilent).length === silent,
			{ timeoutMs: TIMEOUT_MS },
		);
	}

	get title(): string {
		return this.ending.title;
	}

	/** Stops what goes on, as the button in the list of executions does. */
	async stop(): Promise<void> {
		await this.flow.stop(this.ids.at(-1) ?? '');
	}

	/**
	 * Retries the execution, that retry if it fails, and the execution once more. Checks each.
	 *
	 * @param mayRunNothing whether n8n may have nothing left to run in a retry, whatever the ending says
	 */
	async expectRetries(mayRunNothing = this.ending.mayRunNothing): Promise<void> {
		const { inNextRetry = { B: refusedFrom(3) }, retries } = this.ending;
		const before = this.requested();
		await sleep(Math.max(this.begunAt + SOONEST_RETRY - Date.now(), 0));
		const verdicts = new Set<string>();
		for (const id of this.ids) {
			await this.flow.ended(id, TIMEOUT_MS);
			this.failBy(inNextRetry);
			const first = await this.retry(id);
			this.failBy({});
			const isFailed = first.error && this.verdictOn(first) !== NOTHING_RUN;
			if (isFailed) verdicts.add(this.verdictOn(await this.retry(first.id)));
			verdicts.add(this.verdictOn(await this.retry(id)));
		}
		const allowed = [
			retries,
			...(this.isSlow ? ['refuse'] : []),
			...(mayRunNothing ? [NOTHING_RUN] : []),
		];
		expect(allowed).toEqual(expect.arrayContaining([...verdicts]));
		if (verdicts.has('complete')) expect(this.sent()).toEqual(upTo(this.leads));
		else expect(this.requested().filter((lead) => this.isSettled(lead, before))).toEqual(before);
	}

	/**
	 * Whether no retry may request a lead. Where B handles one after the other, those behind the unknown one were never
	 * sent, and a journal may prove it: then they are.
	 *
	 * @param before the leads that were requested before
	 */
	private isSettled(lead: number, before: readonly number[]): boolean {
		return this.concurrency > 1 || before.includes(lead);
	}

	/** Whether n8n may have begun so late, on a busy machine, that its data prove nothing: see `n8n/private.ts`. */
	private get isSlow(): boolean {
		const [first] = this.service.received();
		return first === undefined || first.time - this.begunAt >= SOONEST_RETRY;
	}

	/** What a retry has come to: a verdict, that n8n had nothing left to run, or what else happened. */
	private verdictOn({ status, error, items }: Run): Verdict | string {
		if (error?.message.includes('not sent again')) return 'refuse';
		const { length } = items('B');
		if (status === 'success' && length === this.leads) return 'complete';
		const hasRun = length > 0 || failedNode(error) !== undefined;
		return hasRun ? `${status}: ${error?.message}` : NOTHING_RUN;
	}

	async close(): Promise<void> {
		await this.service.close();
	}

	/** Retries an execution, and checks that nothing was sent twice, and what the error of B says of each lead. */
	private async retry(id: string): Promise<Run> {
		const run = await this.flow.retry(id);
		const sent = this.sent();
		expect(sent).toEqual(ascending(new Set(sent)));
		if (failedNode(run.error) !== 'B') return run;
		const rounds = (run.runs.B?.length ?? 1) - 1;
		const outcomes = outcomesIn(run.error?.description ?? '');
		const count = this.ending.has === 'loop' ? ROUND : this.leads;
		expect(ascending([...outcomes.values()].flat())).toEqual(upTo(count));
		const done = [...(outcomes.get('accepted') ?? []), ...(outcomes.get('skipped') ?? [])];
		expect(sent).toEqual(expect.arrayContaining(done.map((index) => rounds * ROUND + index)));
		return run;
	}

	/** Calls the address at which the execution waits, once it does. */
	private async resume(): Promise<void> {
		await until('the execution waits', async () => {
			const [execution] = await this.flow.executions();
			return execution?.status === 'waiting';
		});
		const [request] = this.service.received();
		const { ok, status } = await fetch(String(request?.headers[RESUME_AT]));
		if (!ok) throw new Error(`The execution was not resumed: ${status}`);
	}

	/** Sets what goes wrong from now on. */
	private failBy(faults: Faults): void {
		const operations = { A: READS.A.operation, B: this.operation, C: READS.C.operation };
		const nodes = ['A', 'B', 'C'] as const;
		const all = nodes.flatMap((node): Fault[] => {
			const fault = faults[node];
			return fault ? [{ ...fault, operations: [operations[node]] }] : [];
		});
		this.service.configure({ faults: all });
	}

	/** How many requests are never answered, of those that B makes at once. */
	private get silent(): number | undefined {
		return this.ending.silent && Math.min(this.ending.silent, this.concurrency);
	}

	/** How many leads B handles at once. */
	private get concurrency(): number {
		const [resource = '', name = ''] = this.operation.split('.');
		return findOperation(resource, name)?.concurrency ?? 1;
	}

	private get leads(): number {
		return this.ending.leads ?? LEADS;
	}

	/** The leads that B has sent, or tried to, in ascending order, as often as it did. */
	private requested(isMeant: (request: ReceivedRequest) => boolean = () => true): number[] {
		const requests = this.service
			.received()
			.filter((request) => request.operationId === this.operation && isMeant(request));
		return ascending(requests.map((request) => this.leadOf(request)));
	}

	/** Those that were sent: the service has not refused them. */
	private sent(): number[] {
		return this.requested(({ status }) => status !== 400);
	}

	private leadOf({ body, query }: ReceivedRequest): number {
		const row = nodeOperations[this.operation];
		const value = row.effect === 'writes' ? Object(body)[row.numberedField] : query;
		const [digits] = /\d+/.exec(String(value)) ?? [];
		if (digits === undefined) throw new Error(`No number in ${String(value)}`);
		return Number(digits);
	}
}
