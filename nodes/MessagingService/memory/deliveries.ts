import { createHash } from 'crypto';
import { type IWebhookFunctions, sleep } from 'n8n-workflow';
import { BoundedMap } from './boundedMap';

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** How many deliveries this process remembers, of all triggers. */
const MAX_TAKEN = 50_000;
/** How many of a trigger outlive it, in the workflow's static data. */
const MAX_STORED = 1_000;
const MAX_TRIGGERS = 1_000;
/** Characters of 6 bits each: that two deliveries have the same ones by chance is out of the question. */
const NAME_LENGTH = 12;
/** Milliseconds between two looks whether n8n has answered. */
const POLL_INTERVAL = 2;
/** Milliseconds after which the next call goes on, whether n8n has answered or not. */
const LONGEST_TURN = 60_000;

/** Deliveries whose execution n8n has, by trigger and name. */
const taken = new BoundedMap<string, true>(MAX_TAKEN);
/** The names of the latest of them, by trigger. */
const latest = new BoundedMap<string, string[]>(MAX_TRIGGERS);
/** The turn of the latest call of each trigger, while there is one. */
const turns = new Map<string, Promise<void>>();

/** Forgets what this process knows, as a restart does. For tests. */
export function resetDeliveries(): void {
	for (const known of [taken, latest, turns]) known.clear();
}

/**
 * Takes the deliveries of a call, apart from those that were taken before. A delivery counts as taken once n8n has its
 * execution; what fails before that is delivered again, and starts the workflow then.
 *
 * n8n reads the static data for each call, and stores them as a whole before it answers. So the calls of a trigger take
 * turns, each until n8n has answered: what one of them stores has all that was taken before, and nothing that may fail.
 *
 * @param ids what tells each delivery from others
 * @returns The IDs that are new.
 */
export async function takeDeliveries(
	context: IWebhookFunctions,
	ids: readonly string[],
): Promise<Set<string>> {
	if (ids.length === 0) return new Set();
	const trigger = `${context.getWorkflow().id}/${context.getNode().id}`;
	const earlier = turns.get(trigger) ?? Promise.resolve();
	const fresh = earlier.then(() => store(context, trigger, ids));
	const turn = fresh
		.then(async (added) => {
			if (added.size === 0 || !(await hasStarted(context.getResponseObject()))) return;
			const names = [...added.values()];
			for (const name of names) taken.set(`${trigger} ${name}`, true);
			latest.set(trigger, [...(latest.get(trigger) ?? []), ...names].slice(-MAX_STORED));
		})
		// Whoever waits for the fresh ones is told.
		.catch(() => {})
		.then(() => void (turns.get(trigger) === turn && turns.delete(trigger)));
	turns.set(trigger, turn);
	return new Set((await fresh).keys());
}

/**
 * Has n8n store the deliveries that are new, beside those that were taken before, and gives their names by their IDs.
 * If it cannot start the workflow, it stores nothing.
 */
function store(
	context: IWebhookFunctions,
	trigger: string,
	ids: readonly string[],
): Map<string, string> {
	const data = context.getWorkflowStaticData('node');
	const stored = typeof data.deliveries === 'string' ? data.deliveries.split(' ') : [];
	const known = new Set([...stored, ...(latest.get(trigger) ?? [])]);
	const fresh = new Map(
		ids
			.map((id) => [id, nameOf(id)] as const)
			.filter(([, name]) => !known.has(name) && !taken.has(`${trigger} ${name}`)),
	);
	if (fresh.size === 0) return fresh;
	const deliveries = [...known, ...fresh.values()].slice(-MAX_STORED).join(' ');
	const write = () => {
		data.deliveries = deliveries;
	};
	write();
	// Before n8n 2 begins an execution, it takes all changes for stored.
	void sleep(0).then(write);
	return fresh;
}

function nameOf(id: string): string {
	return createHash('sha256').update(id).digest('base64url').slice(0, NAME_LENGTH);
}

/**
 * Waits until n8n has answered, and tells whether with success. A sender that hung up early does not keep n8n from
 * starting the workflow, so what counts is not that the answer arrived.
 */
async function hasStarted(response: Response): Promise<boolean> {
	const end = Date.now() + LONGEST_TURN;
	while (!response.writableEnded && Date.now() < end) await sleep(POLL_INTERVAL);
	return response.writableEnded && response.statusCode < 300;
}
