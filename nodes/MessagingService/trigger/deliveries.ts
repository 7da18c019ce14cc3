import { type INodeProperties, type IWebhookFunctions, sleep } from 'n8n-workflow';
import { BoundedMap } from '../api/boundedMap';
import { type DeliveryId, digestOf } from './deliveryId';

/** Services deliver again when they are not sure that a delivery arrived. */
export const skipDuplicatesField: INodeProperties = {
	displayName: 'Skip Duplicates',
	name: 'skipDuplicates',
	type: 'boolean',
	default: true,
	description:
		'Whether to skip what was delivered before: with the same delivery ID, or, if there is none, with the same body within twelve hours',
};

/** How many deliveries the process remembers, of all triggers. */
const MAX_REMEMBERED = 50_000;
/** Milliseconds between two looks at whether n8n has answered. */
const ANSWER_CHECK_INTERVAL = 50;

/**
 * Remembers which deliveries have started a workflow, in this process.
 *
 * A delivery counts once n8n has accepted the call: by then, n8n 2 has its execution. (n8n 1 answers before it has: if
 * its database fails just then, the event is lost.) If n8n refuses the call, the service delivers again, and the
 * repetition starts the workflow. So a call waits for earlier calls with one of the same deliveries until n8n has
 * answered them, however long that takes.
 */
export class Deliveries {
	/** The calls that n8n has not answered yet, by each of their deliveries. */
	private readonly underWay = new Map<string, Promise<void>>();
	/** Until when a delivery with the same ID is a repetition, in milliseconds since 1970. */
	private readonly taken = new BoundedMap<string, number>(MAX_REMEMBERED);

	/**
	 * Takes the deliveries of a call, except for those that have started the workflow before.
	 *
	 * @param ids undefined for an event that nothing identifies, which is always new
	 * @returns Whether each of them is new.
	 */
	async take(
		context: IWebhookFunctions,
		ids: ReadonlyArray<DeliveryId | undefined>,
	): Promise<boolean[]> {
		const scope = [context.getWorkflow().id, context.getNode().id];
		const deliveries = ids.map(
			(id) => id && { name: digestOf(JSON.stringify([...scope, id.text])), ttlMs: id.ttlMs },
		);
		const callsUnderWay = () =>
			deliveries.flatMap((delivery) => (delivery && this.underWay.get(delivery.name)) ?? []);
		// All of them before any is taken: two calls that each had some would wait for each other.
		let waitingFor = callsUnderWay();
		while (waitingFor.length > 0) {
			await Promise.all(waitingFor);
			waitingFor = callsUnderWay();
		}
		const fresh = new Map<string, number>();
		const areNew = deliveries.map((delivery) => {
			if (!delivery) return true;
			const { name, ttlMs } = delivery;
			if (fresh.has(name) || Date.now() < (this.taken.get(name) ?? 0)) return false;
			fresh.set(name, ttlMs);
			return true;
		});
		if (fresh.size > 0) this.rememberOnceAccepted(context, fresh);
		return areNew;
	}

	/** Remembers the deliveries of a call once n8n has accepted it. */
	private rememberOnceAccepted(
		context: IWebhookFunctions,
		fresh: ReadonlyMap<string, number>,
	): void {
		const answered = untilAnswered(context).then((isAccepted) => {
			for (const [name, ttlMs] of fresh) {
				this.underWay.delete(name);
				if (isAccepted) this.taken.set(name, Date.now() + ttlMs);
			}
		});
		for (const name of fresh.keys()) this.underWay.set(name, answered);
	}
}

/**
 * Waits until n8n has answered. It looks again and again, since n8n starts the workflow also for a sender that hung up,
 * and the response to that one ends without an event.
 *
 * @returns Whether n8n has accepted the call.
 */
async function untilAnswered(context: IWebhookFunctions): Promise<boolean> {
	const response = context.getResponseObject();
	while (!response.writableEnded) await sleep(ANSWER_CHECK_INTERVAL);
	return response.statusCode < 300;
}
