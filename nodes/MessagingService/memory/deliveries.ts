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
/** Maximum milliseconds between two checks whether n8n has answered. */
const MAX_POLL_INTERVAL = 50;

/** Deliveries whose execution n8n has, by trigger and name. */
const taken = new BoundedMap<string, true>(MAX_TAKEN);
/** The names of the latest of them, by trigger. */
const latest = new BoundedMap<string, string[]>(MAX_TRIGGERS);
/** Deliveries that n8n has not answered yet, by trigger and name. */
const pending = new Map<string, Promise<void>>();

/** Forgets what this process knows, as a restart does. For tests. */
export function resetDeliveries(): void {
	for (const known of [taken, latest, pending]) known.clear();
}

/**
 * Takes the deliveries of a call, apart from those that were taken before. A delivery counts as taken once n8n has its
 * execution, even if the sender has hung up by then; what fails before that is delivered again, and starts the
 * workflow then. The same delivery in two calls at once waits for the first of them.
 *
 * @param ids what tells each delivery from others
 * @returns The IDs that are new.
 */
export async function takeDeliveries(
	context: IWebhookFunctions,
	ids: readonly string[],
): Promise<Set<string>> {
	const trigger = `${context.getWorkflow().id}/${context.getNode().id}`;
	const names = new Map(ids.map((id) => [id, nameOf(id)]));
	const keyOf = (name: string) => `${trigger} ${name}`;
	const underWay = () => [...names.values()].flatMap((name) => pending.get(keyOf(name)) ?? []);
	for (let earlier = underWay(); earlier.length > 0; earlier = underWay()) {
		await Promise.all(earlier);
	}
	const data = context.getWorkflowStaticData('node');
	const stored = new Set(typeof data.deliveries === 'string' ? data.deliveries.split(' ') : []);
	const fresh = new Map(
		[...names].filter(([, name]) => !taken.has(keyOf(name)) && !stored.has(name)),
	);
	const isStored = [...names.values()].every((name) => stored.has(name));
	if (isStored) return new Set();

	const take = () => {
		const untaken = [...fresh.values()].filter((name) => !taken.has(keyOf(name)));
		for (const name of untaken) taken.set(keyOf(name), true);
		latest.set(trigger, [...latestOf(trigger), ...untaken].slice(-MAX_STORED));
	};
	const forget = () => {
		const failed = new Set(fresh.values());
		for (const name of failed) taken.delete(keyOf(name));
		latest.set(
			trigger,
			latestOf(trigger).filter((name) => !failed.has(name)),
		);
	};
	if (fresh.size > 0) {
		const answered = untilAnswered(context.getResponseObject()).then((isSuccess) => {
			for (const name of fresh.values()) pending.delete(keyOf(name));
			if (isSuccess) take();
			else forget();
		});
		for (const name of fresh.values()) pending.set(keyOf(name), answered);
	}
	store(data, () => {
		take();
		return textOf(stored, latestOf(trigger));
	});
	return new Set(fresh.keys());
}

/**
 * Has n8n store a text with the workflow. It writes static data when it has the execution and before it answers. So
 * what is in them is worked out only then: it has what other calls have taken meanwhile, and nothing whose execution
 * could not be started.
 */
function store(data: Record<string, unknown>, write: () => string): void {
	const change = () => {
		data.deliveries = { toJSON: write };
	};
	change();
	// Before n8n 2 begins an execution, it takes all changes for stored.
	void sleep(0).then(change);
}

/** What static data get: what was there, and what this process has taken since it was read. */
function textOf(stored: ReadonlySet<string>, recent: readonly string[]): string {
	const ours = new Set(recent);
	return [...[...stored].filter((name) => !ours.has(name)), ...ours].slice(-MAX_STORED).join(' ');
}

function latestOf(trigger: string): string[] {
	return latest.get(trigger) ?? [];
}

function nameOf(id: string): string {
	return createHash('sha256').update(id).digest('base64url').slice(0, NAME_LENGTH);
}

/**
 * Waits until n8n has answered, and tells whether with success. A sender that hung up early does not keep n8n from
 * starting the workflow, so what counts is not that the answer arrived.
 */
async function untilAnswered(response: Response): Promise<boolean> {
	for (let pause = 1; !response.writableEnded; pause = Math.min(2 * pause, MAX_POLL_INTERVAL)) {
		await sleep(pause);
	}
	return response.statusCode < 300;
}
