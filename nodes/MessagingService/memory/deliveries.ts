import { createHash } from 'crypto';
import { type IWebhookFunctions, sleep } from 'n8n-workflow';
import { BoundedMap } from './boundedMap';

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** How many deliveries of a trigger are remembered. */
const MAX_DELIVERIES = 1_000;
/** How many triggers this process remembers deliveries of; those of others are in their static data. */
const MAX_TRIGGERS = 500;
const HASH_LENGTH = 16;
/** Maximum milliseconds between two checks whether n8n has answered. */
const MAX_POLL_INTERVAL = 50;

/** The deliveries of one trigger, as far as this process knows them. */
interface Deliveries {
	/** Those that were answered with success. */
	taken: BoundedMap<string, true>;
	/** Those that are not answered yet: whether they will have been taken. */
	pending: Map<string, Promise<boolean>>;
}

/** By workflow and node, the least recently called first. */
const known = new Map<string, Deliveries>();

/** Forgets what this process knows, as a restart does. For tests. */
export function resetDeliveries(): void {
	known.clear();
}

/**
 * Takes a delivery, unless it was taken before. It counts as taken when n8n has answered it with success,
 * even if nobody was there any more to hear it. What failed is delivered again, and has to start the workflow
 * then.
 *
 * Deliveries are remembered in the workflow's static data, which outlive a restart but of which the last
 * writer wins, and in this process, where no two calls can pass each other.
 *
 * @returns Whether the delivery is new.
 */
export async function take(context: IWebhookFunctions, id: string): Promise<boolean> {
	const delivery = createHash('sha256').update(id).digest('base64url').slice(0, HASH_LENGTH);
	const { taken, pending } = deliveriesOf(context);
	const data = context.getWorkflowStaticData('node');
	const stored = readDeliveries(data.deliveries);
	const isKnown = () => stored.includes(delivery) || taken.has(delivery);
	while (!isKnown() && pending.has(delivery)) await pending.get(delivery);
	if (isKnown()) return false;

	const latest = [...new Set([...stored, ...taken.keys(), delivery])]
		.slice(-MAX_DELIVERIES)
		.join(' ');
	const settled = untilAnswered(context.getResponseObject(), () => {
		data.deliveries = latest;
	}).then((success) => {
		if (success) taken.set(delivery, true);
		pending.delete(delivery);
		return success;
	});
	pending.set(delivery, settled);
	return true;
}

/** They are stored as one text: a list would cost n8n a wrapper for each time that it is looked at. */
function readDeliveries(stored: unknown): string[] {
	return typeof stored === 'string' ? stored.split(' ') : [];
}

/**
 * Waits until n8n has answered, and tells whether it was a success. A sender that hung up early does not keep
 * n8n from starting the workflow, so what counts is not that the answer arrived.
 *
 * @param store changes the static data. n8n stores them once it has started the workflow, just before it
 *   answers; but n8n 2.41 forgets on its way there that they were changed, so they are changed again.
 */
async function untilAnswered(response: Response, store: () => void): Promise<boolean> {
	for (let pause = 1; !response.writableEnded; pause = Math.min(2 * pause, MAX_POLL_INTERVAL)) {
		store();
		await sleep(pause);
	}
	return response.statusCode < 300;
}

function deliveriesOf(context: IWebhookFunctions): Deliveries {
	const trigger = `${context.getWorkflow().id}/${context.getNode().id}`;
	const deliveries = known.get(trigger) ?? {
		taken: new BoundedMap(MAX_DELIVERIES),
		pending: new Map(),
	};
	known.delete(trigger);
	if (known.size >= MAX_TRIGGERS) forgetIdleTrigger();
	known.set(trigger, deliveries);
	return deliveries;
}

/** Forgets the least recently called trigger without a pending delivery: calls may be waiting for those. */
function forgetIdleTrigger(): void {
	for (const [trigger, { pending }] of known) {
		if (pending.size > 0) continue;
		known.delete(trigger);
		return;
	}
}
