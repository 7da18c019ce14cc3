import { isUnfinished, listExecutions, readExecution, type Execution } from '../n8n/executions.ts';
import type { N8n } from '../n8n/index.ts';
import { until } from '../n8n/until.ts';
import {
	activateWorkflow,
	createWorkflow,
	deactivateWorkflow,
	type StoredWorkflow,
} from '../n8n/workflows.ts';
import type { Delivery, Service } from '../service/service.ts';
import { CONVERSATIONS, type Conversation } from './conversations.ts';
import type { Example } from './examples.ts';
import { enterAddresses, eventTriggerOf } from './listening.ts';

interface ConversationOptions {
	n8n: Pick<N8n, 'url' | 'rest'>;
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
	workflow: StoredWorkflow;
	expected: number;
}

/** Runs examples that wait for events, already bound to a credential: each is activated, and then contacts write. */
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
	options: ConversationOptions,
): Promise<EventRun[]> {
	const { n8n, service, signal } = options;
	const own = examples.filter(({ file }) => file in starts);
	if (own.length === 0) return [];
	const waiting: Waiting[] = [];
	try {
		const triggers = own.flatMap(({ workflow }) => eventTriggerOf(workflow) ?? []);
		await enterAddresses(n8n, service, triggers);
		for (const example of own) {
			const workflow = await createWorkflow(n8n.rest, example.workflow);
			await activateWorkflow(n8n.rest, workflow);
			waiting.push({ example, workflow, expected: starts[example.file] ?? 0 });
		}
		// Services deliver again when they are not sure. It must not start anything twice.
		await service.configure({ events: { misbehaviour: { duplicates: 1 } } });
		const earlier = service.deliveries().length;
		messages.forEach((body, index) =>
			service.receiveMessage({ body, phone: `+155555501${60 + index}` }),
		);
		const deliveries = () => service.deliveries().slice(earlier);
		await untilStarted(waiting, deliveries, options);
		return await Promise.all(
			waiting.map(async (each) => await readRun(each, deliveries(), options)),
		);
	} catch (error) {
		signal?.throwIfAborted();
		const problem = error instanceof Error ? error.message : String(error);
		return own.map((example) => ({ example, executions: [], problem }));
	} finally {
		for (const { workflow } of waiting) await deactivateWorkflow(n8n.rest, workflow.id);
		await enterAddresses(n8n, service, []);
		await service.configure({ events: { misbehaviour: { duplicates: 0 } } });
	}
}

/** Waits until all have run as often as they should, and no delivery is on its way. */
async function untilStarted(
	waiting: Waiting[],
	deliveries: () => Delivery[],
	{ n8n, service, signal }: ConversationOptions,
): Promise<void> {
	const isDone = async ({ workflow, expected }: Waiting) => {
		const executions = await listExecutions(n8n.rest, workflow);
		return executions.filter(({ status }) => !isUnfinished(status)).length >= expected;
	};
	const hasFailed = () => deliveries().some(({ state }) => state === 'failed');
	const areDone = async () =>
		hasFailed() || (await Promise.all(waiting.map(isDone))).every(Boolean);
	await until('the examples have run', areDone, { signal });
	await service.deliveriesSettled();
}

async function readRun(
	{ example, workflow, expected }: Waiting,
	deliveries: Delivery[],
	{ n8n }: ConversationOptions,
): Promise<EventRun> {
	const listed = await listExecutions(n8n.rest, workflow);
	const executions = await Promise.all(
		listed.map(async ({ id }) => await readExecution(n8n.rest, id)),
	);
	if (executions.length === expected) return { example, executions };
	const answers = deliveries.map(
		({ event, attempts }) => `${event} ${attempts.at(-1)?.status ?? 'not sent'}`,
	);
	const problem = `Started ${executions.length} times instead of ${expected}. Deliveries: ${answers.join(', ') || 'none'}.`;
	return { example, executions, problem };
}
