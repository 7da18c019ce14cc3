import {
	isUnfinished,
	runManually,
	type Execution,
	type ExecutionSummary,
} from '../n8n/executions.ts';
import { Flow } from '../n8n/flow.ts';
import type { N8n } from '../n8n/index.ts';
import { TRIGGER_TYPE } from '../n8n/nodeTypes.ts';
import { until } from '../n8n/until.ts';
import { createWorkflow } from '../n8n/workflows.ts';
import type { Delivery, Service } from '../service/service.ts';
import { CONVERSATIONS, type Conversation } from './conversations.ts';
import type { Example } from './examples.ts';
import { enterAddresses, eventTriggerOf } from './listening.ts';

interface ConversationOptions {
	n8n: N8n;
	/** The types of nodes that start workflows. */
	triggers: ReadonlySet<string>;
	service: Service;
	signal?: AbortSignal;
}

/** What became of an example that waits for events. */
interface EventRun {
	example: Example;
	executions: Execution[];
	/** Why it did not start as often as it should. */
	problem?: string;
}

/** An example whose workflow is in n8n, and how often it should start. */
interface Waiting {
	example: Example;
	flow: Flow;
	expected: number;
}

/**
 * Runs examples that wait for events, already bound to a credential: each is activated, and then contacts write.
 * What else starts them is run after that.
 */
export async function runConversations(
	examples: Example[],
	options: ConversationOptions,
): Promise<EventRun[]> {
	const runs: EventRun[] = [];
	for (const conversation of CONVERSATIONS) {
		options.signal?.throwIfAborted();
		runs.push(...(await runConversation(examples, conversation, options)));
	}
	const left = examples.filter(({ file }) => !runs.some(({ example }) => example.file === file));
	const problem = 'No conversation starts it: see sandbox/demo/conversations.ts.';
	return [...runs, ...left.map((example) => ({ example, executions: [], problem }))];
}

async function runConversation(
	examples: Example[],
	{ starts, messages }: Conversation,
	{ n8n, service, triggers, signal }: ConversationOptions,
): Promise<EventRun[]> {
	const own = examples.filter(({ file }) => file in starts);
	if (own.length === 0) return [];
	const waiting: Waiting[] = [];
	const earlier = service.deliveries().length;
	const deliveries = () => service.deliveries().slice(earlier);
	try {
		const waits = own.flatMap(({ workflow }) => eventTriggerOf(workflow) ?? []);
		await enterAddresses(n8n, service, waits);
		for (const example of own) {
			const flow = new Flow(n8n, await createWorkflow(n8n.rest, example.workflow));
			await flow.activate();
			waiting.push({ example, flow, expected: starts[example.file] ?? 0 });
		}
		// Services deliver again when they are not sure. It must not start anything twice.
		await service.configure({ events: { duplicates: 1 } });
		messages.forEach((body, index) =>
			service.receiveMessage({ body, phone: `+155555501${60 + index}` }),
		);
		const areOver = async () =>
			deliveries().some(({ state }) => state === 'failed') ||
			(await Promise.all(waiting.map(hasRun))).every(Boolean);
		await until('the examples have run', areOver, { signal });
		await service.deliveriesSettled();
		const runs: EventRun[] = [];
		for (const each of waiting) {
			const { executions, ...run } = await readRun(each, deliveries());
			const others = await runByOtherTriggers(each.flow, { n8n, triggers });
			runs.push({ ...run, executions: [...executions, ...others] });
		}
		return runs;
	} catch (error) {
		signal?.throwIfAborted();
		const problem = error instanceof Error ? error.message : String(error);
		return own.map((example) => ({ example, executions: [], problem }));
	} finally {
		for (const { flow } of waiting) await flow.deactivate();
		await enterAddresses(n8n, service, []);
		await service.configure({ events: { duplicates: 0 } });
	}
}

/** Runs a workflow from each of its triggers that waits for no event. */
async function runByOtherTriggers(
	{ workflow }: Flow,
	{ n8n, triggers }: Pick<ConversationOptions, 'n8n' | 'triggers'>,
): Promise<Execution[]> {
	const others = workflow.nodes.filter(
		({ type, disabled }) => triggers.has(type) && type !== TRIGGER_TYPE && !disabled,
	);
	const executions: Execution[] = [];
	for (const { name } of others) executions.push(await runManually(n8n.rest, workflow, name));
	return executions;
}

/** What events have started: a schedule may have come due meanwhile. */
async function startedByEvents(flow: Flow): Promise<ExecutionSummary[]> {
	return (await flow.executions()).filter(({ mode }) => mode === 'webhook');
}

/** Whether a workflow has run as often as it should. */
async function hasRun({ flow, expected }: Waiting): Promise<boolean> {
	const executions = await startedByEvents(flow);
	return executions.filter(({ status }) => !isUnfinished(status)).length >= expected;
}

async function readRun(
	{ example, flow, expected }: Waiting,
	deliveries: Delivery[],
): Promise<EventRun> {
	const listed = await startedByEvents(flow);
	const executions = await Promise.all(listed.map(({ id }) => flow.ended(id)));
	if (executions.length === expected) return { example, executions };
	const answers = deliveries.map(
		({ event, attempts }) => `${event} ${attempts.at(-1)?.status ?? 'not sent'}`,
	);
	const problem = `Started ${executions.length} times instead of ${expected}. Deliveries: ${answers.join(', ') || 'none'}.`;
	return { example, executions, problem };
}
