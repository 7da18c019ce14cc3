import { createHash, randomBytes } from 'crypto';
import { type IWebhookFunctions, sleep } from 'n8n-workflow';
import { BoundedMap } from './boundedMap';

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** How many deliveries of a trigger are remembered. */
const MAX_DELIVERIES = 1_000;
/** How many triggers this process remembers deliveries of; those of others are in their static data. */
const MAX_TRIGGERS = 500;
/** Characters of 6 bits each. That two of 1,000 deliveries have the same ones by chance is out of the question. */
const HASH_LENGTH = 11;
const HASHES = new RegExp(`[\\w-]{${HASH_LENGTH}}`, 'g');
/** Milliseconds for which others may not have stored yet what this process took. */
const OVERLAP = 60_000;
/** Maximum milliseconds between two checks whether n8n has answered. */
const MAX_POLL_INTERVAL = 50;

/** By workflow and node, the least recently called first. */
const known = new Map<string, Deliveries>();

/** Forgets what this process knows, as a restart does. For tests. */
export function resetDeliveries(): void {
	known.clear();
}

/** A delivery that is new. */
export interface NewDelivery {
	/**
	 * Remembers the delivery. To be called when n8n asks what to answer with: it has the execution by then, and
	 * stores the workflow's static data before it answers. n8n 2.41 forgets changes that were made before.
	 */
	remember(): void;
}

/**
 * Takes a delivery, unless it was taken before. It counts as taken when n8n has answered it with success,
 * even if nobody was there any more to hear it. What failed is delivered again, and has to start the workflow
 * then.
 *
 * Deliveries are remembered in this process, where no two calls can pass each other, and in the workflow's
 * static data, which outlive it. n8n reads those anew for each call and stores them whole, so of calls at the
 * same moment the last writer wins: therefore each stores what all of them know.
 *
 * @param ids what tells the delivery from others: by the first it is remembered, by the others it may be known
 * @returns undefined when the delivery is known.
 */
export async function take(
	context: IWebhookFunctions,
	ids: readonly string[],
): Promise<NewDelivery | undefined> {
	const names = ids.map((id) =>
		createHash('sha256').update(id).digest('base64url').slice(0, HASH_LENGTH),
	);
	const [delivery] = names;
	const deliveries = deliveriesOf(context);
	const { pending } = deliveries;
	const data = context.getWorkflowStaticData('node');
	const store = () => {
		data.deliveries = deliveries.stored;
	};
	deliveries.learn(data.deliveries);
	// The one before may fail. If it does not, it has to be stored before this one is answered.
	const earlier = () => names.map((name) => pending.get(name)).find(Boolean);
	for (let before = earlier(); before; before = earlier()) await before;
	const taken = names.find((name) => deliveries.has(name));
	if (taken !== undefined) {
		if (!String(data.deliveries).includes(taken)) store();
		return undefined;
	}

	const response = context.getResponseObject();
	const settled = untilAnswered(response).then(() => {
		if (response.statusCode < 300) deliveries.add(delivery);
		else deliveries.delete(delivery);
		pending.delete(delivery);
	});
	pending.set(delivery, settled);
	return {
		remember() {
			deliveries.add(delivery);
			store();
		},
	};
}

/** The deliveries of one trigger, as far as this process knows them. */
class Deliveries {
	/** Those that are not answered yet. */
	readonly pending = new Map<string, Promise<void>>();
	/**
	 * What static data get: as n8n turns it into text while it writes them, it has everything that is known at
	 * that moment.
	 */
	readonly stored = { toJSON: () => this.write() };

	/** Stands before what this process wrote: there is nothing to learn from that. */
	private readonly writer = randomBytes(HASH_LENGTH).toString('base64url').slice(0, HASH_LENGTH);
	/** Those that were taken, the latest last, and when this process took them: 0 for those of others. */
	private taken = new BoundedMap<string, number>(MAX_DELIVERIES);

	has(delivery: string): boolean {
		return this.taken.has(delivery);
	}

	add(delivery: string): void {
		this.taken.set(delivery, Date.now());
	}

	delete(delivery: string): void {
		this.taken.delete(delivery);
	}

	/** Takes over what static data have: of other processes, or from before a restart. */
	learn(text: unknown): void {
		if (typeof text !== 'string' || text.startsWith(this.writer)) return;
		const [, ...stored] = text.match(HASHES) ?? [];
		const before = this.taken;
		this.taken = new BoundedMap(MAX_DELIVERIES);
		for (const delivery of stored) this.taken.set(delivery, before.get(delivery) ?? 0);
		// Another process that does not have these has not read them yet. Older ones, it has forgotten.
		const isRecent = (at: number) => Date.now() - at < OVERLAP;
		for (const [delivery, at] of before) {
			if (isRecent(at) && !this.taken.has(delivery)) this.taken.set(delivery, at);
		}
	}

	/** As one text, which n8n writes for each delivery and reads for each call. */
	private write(): string {
		return [this.writer, ...this.taken.keys()].join('');
	}
}

/**
 * Waits until n8n has answered. A sender that hung up early does not keep n8n from starting the workflow, so
 * what counts is not that the answer arrived.
 */
async function untilAnswered(response: Response): Promise<void> {
	for (let pause = 1; !response.writableEnded; pause = Math.min(2 * pause, MAX_POLL_INTERVAL)) {
		await sleep(pause);
	}
}

function deliveriesOf(context: IWebhookFunctions): Deliveries {
	const trigger = `${context.getWorkflow().id}/${context.getNode().id}`;
	const deliveries = known.get(trigger) ?? new Deliveries();
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
