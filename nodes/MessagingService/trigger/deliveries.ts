import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { BoundedMap } from '../api/boundedMap';
import { isId, readPath } from '../api/json';
import { type Clock, HOUR_MS, MINUTE_MS } from '../api/time';
import type { Settings } from './settings';
import { headerOf, type IncomingCall } from './verification/call';

/** Headers that tell an event from every other one: that of Standard Webhooks, and that of the draft of the IETF. */
const DELIVERY_HEADERS = ['webhook-id', 'idempotency-key'];

const BODY_LASTS = 12 * HOUR_MS;

/** What a delivery of an event has in common with its repetitions, and with no other delivery. */
export interface DeliveryId {
	name: string;
	/** Milliseconds for which a delivery with the same name is a repetition. */
	ttlMs: number;
	/** Whether it is the call that is identified: then, all of its events have the same name. */
	isOfCall: boolean;
}

/**
 * Returns what identifies an event of a call; undefined when nothing does. The first of these counts:
 *
 * 1. the field that the user has named;
 * 2. of a signed call, a known header that is signed, else the body, byte by byte: whoever repeats a recorded call can
 *    change all else, and it still counts as delivered;
 * 3. of any other call, a known header and the body, else the body and the query.
 *
 * @param trigger the workflow and the node
 */
export function identifierFor(
	trigger: readonly unknown[],
	{ headers, query, rawBody }: IncomingCall,
	{ verification, deliveryField }: Settings,
): (event: IDataObject) => DeliveryId | undefined {
	const nameOf = (...parts: unknown[]) => digestOf(JSON.stringify([trigger, ...parts]));
	const signed = verification?.signedIdHeaders;
	const header = (signed ?? DELIVERY_HEADERS)
		.map((name) => headerOf(headers, name).trim())
		.find(Boolean);
	const body = rawBody?.length ? digestOf(rawBody) : undefined;
	const parts = signed ? [header ?? body] : [header, body, header ?? query];
	const ofCall = { name: nameOf(...parts), ttlMs: header ? Infinity : BODY_LASTS, isOfCall: true };
	return (event) => {
		const value = deliveryField === '' ? undefined : readPath(event, deliveryField);
		if (isId(value) && String(value).trim() !== '')
			return { name: nameOf(deliveryField, value), ttlMs: Infinity, isOfCall: false };
		// Calls without a body and a header have nothing that tells them apart.
		return (header ?? body) === undefined ? undefined : ofCall;
	};
}

function digestOf(data: string | Uint8Array): string {
	return createHash('sha256').update(data).digest('base64url');
}

/** How many deliveries the process remembers, of all triggers. */
const MAX_REMEMBERED = 50_000;
/** Milliseconds between two looks at whether n8n has answered. */
const ANSWER_CHECK_INTERVAL = 50;
/** Milliseconds for which n8n may take to answer a call. Senders give up earlier. */
const MAX_ANSWER_TIME = 5 * MINUTE_MS;

/** The parts of a response that say whether n8n has accepted a call. */
interface CallResponse {
	readonly writableEnded: boolean;
	readonly statusCode: number;
}

/**
 * Remembers which deliveries have started a workflow, in this process.
 *
 * A delivery counts once n8n has accepted the call, of which n8n 2 has the execution then. If n8n refuses the call, the
 * service delivers again, and the repetition starts the workflow. So a call waits until n8n has answered earlier calls
 * with one of the same deliveries, for five minutes at most: better twice than a lost event.
 */
export class Deliveries {
	/** The names of deliveries whose calls n8n has not answered yet. */
	private readonly underWay = new Set<string>();
	/** Until when, by the clock, a delivery with the same name is a repetition. */
	private readonly taken = new BoundedMap<string, number>(MAX_REMEMBERED);
	private readonly clock: Clock;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/**
	 * Takes the deliveries of a call, except for those that have started the workflow before.
	 *
	 * @param ids undefined for an event that nothing identifies, which is always new
	 * @returns Whether each of them is new.
	 */
	async take(
		ids: ReadonlyArray<DeliveryId | undefined>,
		response: CallResponse,
	): Promise<boolean[]> {
		const end = this.clock.now() + MAX_ANSWER_TIME;
		// All of them before any is taken: two calls that each had some would wait for each other.
		while (ids.some((id) => id && this.underWay.has(id.name)) && this.clock.now() < end) {
			await this.clock.wait(ANSWER_CHECK_INTERVAL);
		}
		const fresh = new Map<string, DeliveryId>();
		const areNew = ids.map((id) => {
			if (!id) return true;
			if (fresh.has(id.name)) return id.isOfCall;
			if (this.clock.now() < (this.taken.get(id.name) ?? 0)) return false;
			fresh.set(id.name, id);
			return true;
		});
		if (fresh.size > 0) void this.rememberOnceAccepted([...fresh.values()], response);
		return areNew;
	}

	/**
	 * Remembers the deliveries of a call once n8n has accepted it. It looks again and again, since n8n starts the workflow
	 * also for a sender that hung up, and the response to that one ends without an event.
	 */
	private async rememberOnceAccepted(
		fresh: readonly DeliveryId[],
		response: CallResponse,
	): Promise<void> {
		for (const { name } of fresh) this.underWay.add(name);
		const end = this.clock.now() + MAX_ANSWER_TIME;
		while (!response.writableEnded && this.clock.now() < end) {
			await this.clock.wait(ANSWER_CHECK_INTERVAL);
		}
		const isAccepted = response.writableEnded && response.statusCode < 300;
		for (const { name, ttlMs } of fresh) {
			this.underWay.delete(name);
			if (isAccepted) this.taken.set(name, this.clock.now() + ttlMs);
		}
	}
}
