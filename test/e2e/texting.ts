/** Texting leads: what several tests do, with what they look at. */
import { randomUUID } from 'node:crypto';

import type { INodeParameters, IWorkflowSettings } from 'n8n-workflow';

import type { Flow, Run, Running } from '../../sandbox/n8n/flow.ts';
import type { Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { chain, webhookNode, type NodeSketch } from '../../sandbox/n8n/workflows.ts';
import { byId, known } from '../../sandbox/operations.ts';
import type { Service } from '../../sandbox/service/service.ts';

/** The parameters that start the demo team's first agent. */
export const starting = (parameters: INodeParameters): INodeParameters => ({
	resource: 'agent',
	operation: 'start',
	webhook: byId(known.webhookId),
	...parameters,
});

export interface Lead {
	lead: string;
}

/** Leads that no other call of this gives. */
export function newLeads(count: number): Lead[] {
	const batch = randomUUID();
	return Array.from({ length: count }, (_, index) => ({ lead: `${batch}-${index}` }));
}

const names = (leads: readonly Lead[]) => leads.map(({ lead }) => lead);

/** The leads that arrived at the service, as often as they did. */
export const arrivedAt = (service: Service) =>
	service.received().flatMap(({ body }): string[] => Object(body).lead ?? []);

/** The leads that did not arrive. */
export function missingAt(service: Service, leads: readonly Lead[]): string[] {
	const there = new Set(arrivedAt(service));
	return names(leads).filter((lead) => !there.has(lead));
}

/** The leads of a run that came out with the given word. */
export const outcome = (
	leads: readonly Lead[],
	run: Run,
	word: 'accepted' | 'skipped' | 'unknown',
) => names(leads).filter((_, index) => run.items()[index]?.json.outcome === word);

/** What a call that starts a workflow brings along. */
interface Start {
	list: object[];
	/** What to send again; nothing when left out. */
	sendAgain?: 'unknown';
}

/** A run over two workers takes its time, on a busy machine. */
export const RUN_TIMEOUT_MS = 150_000;

/** A workflow that each call to its webhook starts, with the list in the call. */
export interface CalledFlow {
	flow: Flow;
	/** Starts one execution with each list, all at the same time. Gives their identifiers. */
	start(...starts: Start[]): Promise<string[]>;
	/** Starts one execution and waits for its end. */
	run(start: Start): Promise<Run>;
}

/** n8n stores the data of an execution after each node, and not only at its beginning and end. */
export const SAVING_PROGRESS: IWorkflowSettings = { saveExecutionProgress: true };

/** The nodes with which a workflow begins that is called with a list. */
export const calledNodes = (): NodeSketch[] => [
	webhookNode(randomUUID()),
	{
		name: 'List',
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: 'body.list', options: {} },
	},
];

/** An n8n, in regular or in queue mode, and the service that it is connected to. */
type Connected = Pick<Sandbox<Running>, 'action' | 'activate' | 'service'>;

/** Activates a workflow that hands the list in each call to a node of this package. */
export async function activateCalled(
	sandbox: Connected,
	parameters: INodeParameters,
	settings?: IWorkflowSettings,
): Promise<CalledFlow> {
	const nodes = [...calledNodes(), sandbox.action('Action', parameters)];
	const flow = await sandbox.activate({ ...chain('Called', nodes), settings });
	const start = async (...starts: Start[]) => {
		await Promise.all(starts.map((one) => flow.call(one)));
		return await flow.started(starts.length, RUN_TIMEOUT_MS);
	};
	return {
		flow,
		start,
		async run(one) {
			const [id = ''] = await start(one);
			return await flow.ended(id, RUN_TIMEOUT_MS);
		},
	};
}

/** The parameters that text the leads of the input, without a limit of the node's own. A lead needs no number here. */
export const texting = (options: INodeParameters = {}): INodeParameters =>
	starting({
		payloadMode: 'input',
		options: { startWithoutContact: true, requestsPerMinute: 100_000, ...options },
	});

/** The parameters that text each lead once; again what the call says. */
export const textingOnce = (): INodeParameters => ({
	...texting({ sendAgain: "={{ $('Hook').first().json.body.sendAgain ?? 'nothing' }}" }),
	sendOnce: 'key',
	key: '={{ $json.lead }}',
});

/** Has the service refuse some of the requests from now on, by their numbers. */
export async function refuse(service: Service, ...numbers: number[]): Promise<void> {
	const faults = numbers.map((exactly) => {
		return { kind: 'status', status: 400, requests: { exactly } } as const;
	});
	await service.configure({ faults });
}

/** How many calls of a run are under way at once. */
export const AT_ONCE = 100;

/** So many leads that a refusal of an early call ends the run before the calls of all have begun. */
const RETRIED = 3 * AT_ONCE;
const REFUSED = 8;

/**
 * Retries a failed run, then that retry, and then the failed run once more: each continues where it stopped, also with the
 * workflow as it is saved now, and nothing is sent twice.
 */
export async function expectRetriesContinue(sandbox: Connected): Promise<void> {
	const { service } = sandbox;
	const { flow, run } = await activateCalled(sandbox, texting());
	const leads = newLeads(RETRIED);
	const acceptedLeads = () => service.accepted().map(({ body }) => String(body.lead));
	await refuse(service, REFUSED);
	const failed = await run({ list: leads });
	const atFirst = new Set(acceptedLeads());
	await refuse(service, REFUSED);
	const again = await flow.retry(failed.id);
	expect([failed.error, again.error]).toEqual([expect.anything(), expect.anything()]);

	const last = await flow.retry(again.id, 'saved');
	expect(last.error?.message).toBeUndefined();
	expect(last.items().map(({ json }) => json.webhookBody)).toEqual(leads);
	const once = await flow.retry(failed.id);
	const later = names(leads).filter((lead) => !atFirst.has(lead));
	expect(later.length).toBeGreaterThan(REFUSED);
	expect(outcome(leads, once, 'skipped')).toEqual(later);
	expect(acceptedLeads().sort()).toEqual(names(leads).sort());
}

/** Completes what a run left that was broken off: calls under way are unknown, and nothing is sent twice. */
export async function expectCompleted(
	service: Service,
	once: CalledFlow,
	leads: readonly Lead[],
): Promise<void> {
	const list = [...leads];
	const next = await once.run({ list });
	expect(next.error?.message).toBeUndefined();
	expect(next.items()).toHaveLength(leads.length);
	const unknown = outcome(leads, next, 'unknown');
	const arrived = arrivedAt(service);
	expect(arrived).toHaveLength(new Set(arrived).size);
	expect(unknown).not.toEqual([]);
	expect(unknown).toEqual(expect.arrayContaining(missingAt(service, leads)));

	const last = await once.run({ list, sendAgain: 'unknown' });
	expect(outcome(leads, last, 'accepted')).toEqual(unknown);
	expect(outcome(leads, last, 'skipped')).toHaveLength(leads.length - unknown.length);
	expect(missingAt(service, leads)).toEqual([]);
	expect(outcome(leads, await once.run({ list }), 'skipped')).toHaveLength(leads.length);
}
