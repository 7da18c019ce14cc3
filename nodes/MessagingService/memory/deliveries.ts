import { createHash } from 'crypto';
import { type IWebhookFunctions, sleep } from 'n8n-workflow';
import { BoundedMap } from './boundedMap';

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** How many deliveries this process remembers, of all triggers. */
const MAX_IN_PROCESS = 50_000;
/** How many of a workflow outlive it, in its static data. */
const MAX_STORED = 1_000;
const MAX_WORKFLOWS = 1_000;
/** Where they are in the static data, beside what Code nodes may keep there. */
const STORED_AS = 'messagingServiceDeliveries';
/** Characters of 6 bits each: that two deliveries have the same ones by chance is out of the question. */
const NAME_LENGTH = 12;
/** Milliseconds after which the next call goes on, although n8n has not answered the one before. */
const LONGEST_TURN = 5_000;
/** Milliseconds between two looks whether n8n has answered a sender that hung up. */
const POLL = 50;

/** The names of deliveries whose execution n8n has. */
const started = new BoundedMap<string, true>(MAX_IN_PROCESS);
/** The latest of them of each workflow: what n8n has stored, or is about to. */
const latest = new BoundedMap<string, readonly string[]>(MAX_WORKFLOWS);
/** By the name of a delivery: settles when n8n has answered the last call that brought it. */
const answers = new Map<string, Promise<void>>();
/** By workflow: settles when the turn of its last call is over. */
const turns = new Map<string, Promise<void>>();

/** Forgets what this process knows, as a restart does. For tests. */
export function resetDeliveries(): void {
	for (const known of [started, latest, answers, turns]) known.clear();
}

/**
 * Takes the deliveries of a call, apart from those that have started the workflow before. A delivery counts as started
 * once n8n has its execution; what fails before that is delivered again, and starts the workflow then.
 *
 * A call goes on when two things are over. The turn of the call before it at the same workflow: n8n reads the static
 * data for each call, and stores them as a whole before it answers, so that of two calls side by side one would undo
 * what the other one stored. And every call that brought one of the same deliveries, however long n8n takes for it.
 *
 * @param ids what tells each delivery to this trigger from others
 * @returns The IDs that are new.
 */
export async function takeDeliveries(
	context: IWebhookFunctions,
	ids: readonly string[],
): Promise<Set<string>> {
	if (ids.length === 0) return new Set();
	const workflow = String(context.getWorkflow().id);
	const names = new Map(ids.map((id) => [id, nameOf(workflow, context.getNode().id, id)]));
	const earlier = [turns.get(workflow), ...[...names.values()].map((name) => answers.get(name))];

	const stored = Promise.all(earlier).then(() => storeNew(context, workflow, names));
	const answered = stored.then(async (added) => await keepStarted(context, workflow, added));
	const turnOver = stored.then(async () => await Promise.race([answered, sleep(LONGEST_TURN)]));

	holdUntilSettled(answers, [...names.values()], answered);
	holdUntilSettled(turns, [workflow], turnOver);
	return new Set((await stored).keys());
}

/** Has later calls wait for a promise, whatever becomes of it. */
function holdUntilSettled(
	map: Map<string, Promise<void>>,
	keys: readonly string[],
	promise: Promise<void>,
): void {
	// A failure is thrown to the call that it belongs to.
	const settled = promise.catch(() => {});
	for (const key of keys) map.set(key, settled);
	void settled.then(() => {
		for (const key of keys) if (map.get(key) === settled) map.delete(key);
	});
}

/**
 * Puts the deliveries that are new into the static data, beside the earlier ones. n8n stores them together with the
 * execution, and neither if it cannot start the workflow.
 *
 * @param names of the deliveries of a call, by ID
 * @returns Those that are new.
 */
function storeNew(
	context: IWebhookFunctions,
	workflow: string,
	names: ReadonlyMap<string, string>,
): Map<string, string> {
	const data = context.getWorkflowStaticData('global');
	const text: unknown = data[STORED_AS];
	const stored = typeof text === 'string' ? text.split(' ') : [];
	// This call may have come in, and have got its static data, before earlier ones were stored.
	const earlier = new Set([...stored, ...(latest.get(workflow) ?? [])]);
	const added = new Map([...names].filter(([, name]) => !earlier.has(name) && !started.has(name)));
	if (added.size === 0) return added;
	const deliveries = [...earlier, ...added.values()].slice(-MAX_STORED).join(' ');
	const write = () => {
		data[STORED_AS] = deliveries;
	};
	write();
	// Before n8n 2 begins an execution, it takes all changes so far for stored.
	void sleep(0).then(write);
	return added;
}

/** Remembers the new deliveries of a call in this process, when n8n has answered it and has their execution. */
async function keepStarted(
	context: IWebhookFunctions,
	workflow: string,
	added: ReadonlyMap<string, string>,
): Promise<void> {
	if (added.size === 0 || !(await isAccepted(context.getResponseObject()))) return;
	for (const name of added.values()) started.set(name, true);
	const before = latest.get(workflow) ?? [];
	latest.set(workflow, [...before, ...added.values()].slice(-MAX_STORED));
}

/**
 * Waits until n8n has answered, and tells whether with success. A sender that hung up early does not keep n8n from
 * starting the workflow. The answer to it ends, but never finishes.
 */
async function isAccepted(response: Response): Promise<boolean> {
	const finished = new Promise<void>((resolve) => response.once('finish', resolve));
	while (!response.writableEnded) await Promise.race([finished, sleep(POLL)]);
	return response.statusCode < 300;
}

/** A short name for a delivery to a trigger, which may be renamed. */
function nameOf(workflow: string, node: string, id: string): string {
	const text = JSON.stringify([workflow, node, id]);
	return createHash('sha256').update(text).digest('base64url').slice(0, NAME_LENGTH);
}
