import { createHash } from 'crypto';
import { type IWebhookFunctions, sleep } from 'n8n-workflow';
import { BoundedMap } from '../api/boundedMap';

type WebhookResponse = ReturnType<IWebhookFunctions['getResponseObject']>;

/** A call that n8n has not answered yet. */
interface OpenCall {
	/** The names of its deliveries. */
	names: ReadonlySet<string>;
	/** Resolves when n8n has answered it. */
	answered: Promise<void>;
	/** Resolves when the next call to the workflow may go on. */
	turnOver: Promise<void>;
}

/** What is known of the deliveries to one workflow. */
interface WorkflowDeliveries {
	openCalls: Set<OpenCall>;
	/** The names of the latest that have started it, which n8n has stored or is about to store. */
	latest: readonly string[];
}

/** How many deliveries a process remembers, of all workflows. */
const MAX_IN_PROCESS = 50_000;
/** How many of a workflow outlive the process, in the workflow's static data. */
const MAX_STORED = 1_000;
const MAX_WORKFLOWS = 1_000;
/** Where they are in the static data, beside what Code nodes may keep there. */
const STORED_AS = 'messagingServiceDeliveries';
/** Characters of 6 bits each, so that no two deliveries share a name by chance. */
const NAME_LENGTH = 12;
/** Milliseconds after which the next call goes on, although n8n has not answered the one before. */
const MAX_TURN = 5_000;
/** Milliseconds between checks whether n8n has answered a sender that hung up. */
const ANSWER_CHECK_INTERVAL = 50;

/**
 * Remembers which deliveries have started a workflow, in this process and in the workflow's static data.
 *
 * A delivery counts once n8n has accepted the call, since n8n has its execution by then. If n8n fails before that, the
 * service delivers again, and the repetition starts the workflow. So a call waits for two things:
 *
 * - Earlier calls with one of the same deliveries, until n8n has answered them, however long that takes.
 * - The call before it at the same workflow, for some seconds at most. n8n reads the static data for each call, and
 *   stores all of it before it answers: of two calls side by side, one would undo what the other one stored.
 */
export class Deliveries {
	/** The names of the deliveries that have started a workflow. */
	private readonly started = new BoundedMap<string, true>(MAX_IN_PROCESS);
	private readonly workflows = new BoundedMap<string, WorkflowDeliveries>(MAX_WORKFLOWS);

	/**
	 * Takes the deliveries of a call, except for those that have started the workflow before.
	 *
	 * @param ids identify the deliveries to this trigger
	 * @returns The IDs that are new.
	 */
	async take(context: IWebhookFunctions, ids: readonly string[]): Promise<Set<string>> {
		if (ids.length === 0) return new Set();
		const idByName = new Map(ids.map((id) => [deliveryName(context, id), id]));
		const names = new Set(idByName.keys());
		const { openCalls } = this.workflowOf(context);

		const stored = waitForOthers(openCalls, names).then(() => this.store(context, names));
		// A failure belongs to this call alone. Those that wait for it go on.
		const answered = stored
			.then(async (added) => await this.remember(context, added))
			.catch(() => {});
		const timeIsUp = stored.then(async () => await sleep(MAX_TURN)).catch(() => {});
		const call = { names, answered, turnOver: Promise.race([answered, timeIsUp]) };
		openCalls.add(call);
		void answered.then(() => openCalls.delete(call));

		const added = await stored;
		return new Set(added.flatMap((name) => idByName.get(name) ?? []));
	}

	/**
	 * Puts the deliveries that are new into the static data, beside the earlier ones. n8n stores them together with the
	 * execution, and neither if it cannot start the workflow.
	 *
	 * @returns The names of those that are new.
	 */
	private store(context: IWebhookFunctions, names: ReadonlySet<string>): string[] {
		const data = context.getWorkflowStaticData('global');
		const text: unknown = data[STORED_AS];
		const stored = typeof text === 'string' ? text.split(' ') : [];
		// n8n may have read the static data for this call before it stored those of earlier calls.
		const earlier = new Set([...stored, ...this.workflowOf(context).latest]);
		const added = [...names].filter((name) => !earlier.has(name) && !this.started.has(name));
		if (added.length === 0) return added;
		const deliveries = [...earlier, ...added].slice(-MAX_STORED).join(' ');
		const write = () => {
			data[STORED_AS] = deliveries;
		};
		write();
		// When n8n 2 begins an execution, it takes all changes so far for stored. So there has to be a later change.
		void sleep(0).then(write);
		return added;
	}

	/** Remembers the new deliveries of a call, as soon as n8n has accepted it. */
	private async remember(context: IWebhookFunctions, added: readonly string[]): Promise<void> {
		if (added.length === 0 || !(await isAccepted(context.getResponseObject()))) return;
		for (const name of added) this.started.set(name, true);
		const workflow = this.workflowOf(context);
		workflow.latest = [...workflow.latest, ...added].slice(-MAX_STORED);
	}

	private workflowOf(context: IWebhookFunctions): WorkflowDeliveries {
		const id = String(context.getWorkflow().id);
		const workflow = this.workflows.get(id) ?? { openCalls: new Set(), latest: [] };
		this.workflows.set(id, workflow);
		return workflow;
	}
}

/** Waits until a call with these deliveries may go on behind the open ones. */
async function waitForOthers(
	openCalls: ReadonlySet<OpenCall>,
	names: ReadonlySet<string>,
): Promise<void> {
	const others = [...openCalls];
	const withSame = others.filter((other) => [...names].some((name) => other.names.has(name)));
	await Promise.all([others.at(-1)?.turnOver, ...withSame.map(({ answered }) => answered)]);
}

/**
 * Waits until n8n has answered, and tells whether with success. n8n starts the workflow also for a sender that hung up
 * early. The response to it ends, but never emits "finish".
 */
async function isAccepted(response: WebhookResponse): Promise<boolean> {
	const finished = new Promise<void>((resolve) => response.once('finish', resolve));
	while (!response.writableEnded) await Promise.race([finished, sleep(ANSWER_CHECK_INTERVAL)]);
	return response.statusCode < 300;
}

/** A short name for a delivery to a trigger, the same after the trigger is renamed. */
function deliveryName(context: IWebhookFunctions, id: string): string {
	const text = JSON.stringify([context.getWorkflow().id, context.getNode().id, id]);
	return createHash('sha256').update(text).digest('base64url').slice(0, NAME_LENGTH);
}
