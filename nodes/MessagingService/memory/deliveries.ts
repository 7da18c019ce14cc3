import { createHash } from 'crypto';
import { type IWebhookFunctions, sleep } from 'n8n-workflow';
import { BoundedMap } from './boundedMap';

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** How many deliveries this process remembers, of all triggers. */
const MAX_TAKEN = 50_000;
/** How many of a workflow outlive it, in its static data. */
const MAX_STORED = 1_000;
const MAX_WORKFLOWS = 1_000;
/** What they are called there, beside what Code nodes may keep. */
const STORED_AS = 'messagingServiceDeliveries';
/** Characters of 6 bits each: that two deliveries have the same ones by chance is out of the question. */
const NAME_LENGTH = 12;
/** Milliseconds after which the next call goes on, although n8n has not answered. */
const LONGEST_TURN = 5_000;
/** Milliseconds between two looks whether it has: few at first, more for a busy n8n. */
const SHORTEST_POLL = 2;
const LONGEST_POLL = 50;

/** Deliveries whose execution n8n has, by workflow and name. */
const taken = new BoundedMap<string, true>(MAX_TAKEN);
/** The names of the latest of them, by workflow. */
const latest = new BoundedMap<string, string[]>(MAX_WORKFLOWS);
/** Deliveries that n8n has not answered yet, by workflow and name. */
const pending = new Map<string, Promise<void>>();
/** The turn of the latest call of each workflow, while there is one. */
const turns = new Map<string, Promise<void>>();

/** Forgets what this process knows, as a restart does. For tests. */
export function resetDeliveries(): void {
	for (const known of [taken, latest, pending, turns]) known.clear();
}

/**
 * Takes the deliveries of a call, apart from those that were taken before. A delivery counts as taken once n8n has its
 * execution; what fails before that is delivered again, and starts the workflow then. The same delivery in two calls at
 * once waits for the first of them.
 *
 * n8n reads the static data of the workflow for each call, and stores them as a whole before it answers. So the calls of
 * its triggers take turns, each until n8n has answered: what one of them stores has all that was taken before, and nothing
 * that may fail.
 *
 * @param ids what tells each delivery from others
 * @returns The IDs that are new.
 */
export async function takeDeliveries(
	context: IWebhookFunctions,
	ids: readonly string[],
): Promise<Set<string>> {
	if (ids.length === 0) return new Set();
	const workflow = String(context.getWorkflow().id);
	const names = new Map(ids.map((id) => [id, nameOf(context.getNode().id, id)]));
	const keys = [...names.values()].map((name) => keyOf(workflow, name));
	const earlier = [turns.get(workflow), ...keys.map((key) => pending.get(key))];
	const fresh = Promise.all(earlier).then(() => store(context, workflow, names));
	const end = fresh
		.then(async (added) => {
			if (added.size === 0 || !(await hasStarted(context.getResponseObject()))) return;
			for (const name of added.values()) taken.set(keyOf(workflow, name), true);
			const before = latest.get(workflow) ?? [];
			latest.set(workflow, [...before, ...added.values()].slice(-MAX_STORED));
		})
		// Whoever waits for the fresh ones is told.
		.catch(() => {});
	const turn = Promise.race([
		end,
		fresh.then(
			async () => await sleep(LONGEST_TURN),
			() => {},
		),
	]);
	hold(pending, keys, end);
	hold(turns, [workflow], turn);
	return new Set((await fresh).keys());
}

/** Keeps a promise under some keys until it is settled. */
function hold(map: Map<string, Promise<void>>, keys: readonly string[], promise: Promise<void>) {
	for (const key of keys) map.set(key, promise);
	void promise.then(() => {
		for (const key of keys) if (map.get(key) === promise) map.delete(key);
	});
}

/**
 * Makes n8n store the deliveries that are new, beside those that were taken before, and gives their names by their IDs.
 * If it cannot start the workflow, it stores nothing.
 */
function store(
	context: IWebhookFunctions,
	workflow: string,
	names: ReadonlyMap<string, string>,
): Map<string, string> {
	const data = context.getWorkflowStaticData('global');
	const text: unknown = data[STORED_AS];
	const stored = typeof text === 'string' ? text.split(' ') : [];
	const known = new Set([...stored, ...(latest.get(workflow) ?? [])]);
	const fresh = new Map(
		[...names].filter(([, name]) => !known.has(name) && !taken.has(keyOf(workflow, name))),
	);
	if (fresh.size === 0) return fresh;
	const deliveries = [...known, ...fresh.values()].slice(-MAX_STORED).join(' ');
	const write = () => {
		data[STORED_AS] = deliveries;
	};
	write();
	// Before n8n 2 begins an execution, it takes all changes for stored.
	void sleep(0).then(write);
	return fresh;
}

function keyOf(workflow: string, name: string): string {
	return `${workflow} ${name}`;
}

/** A short name for a delivery to a trigger. */
function nameOf(node: string, id: string): string {
	return createHash('sha256').update(`${node} ${id}`).digest('base64url').slice(0, NAME_LENGTH);
}

/**
 * Waits until n8n has answered, and tells whether with success. A sender that hung up early does not keep n8n from
 * starting the workflow, so what counts is not that the answer arrived.
 */
async function hasStarted(response: Response): Promise<boolean> {
	for (let pause = SHORTEST_POLL; !response.writableEnded; pause *= 1.5) {
		await sleep(Math.min(pause, LONGEST_POLL));
	}
	return response.statusCode < 300;
}
