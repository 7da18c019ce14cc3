import { createHash } from 'crypto';
import {
	type IDataObject,
	type INodeProperties,
	type IWebhookFunctions,
	sleep,
} from 'n8n-workflow';
import { BoundedMap } from '../api/boundedMap';
import { isId } from '../api/json';
import { HOUR_MS } from '../api/time';
import { readPath, type WebhookRequest } from './events';
import type { TriggerOptions } from './options';

/** Services deliver again when they are not sure that a delivery arrived. */
export const skipDuplicatesField: INodeProperties = {
	displayName: 'Skip Duplicates',
	name: 'skipDuplicates',
	type: 'boolean',
	default: true,
	description:
		'Whether to skip what was delivered before: with the same delivery ID, or, if there is none, with the same body within twelve hours',
};

/**
 * Headers that, according to the documentation of their senders, are the same for all deliveries of an event and
 * different for every other event. The ID of a subscription or of a delivery attempt would not do.
 */
const DELIVERY_HEADERS = [
	'webhook-id', // Standard Webhooks
	'svix-id', // Svix
	'idempotency-key', // GitLab, and the draft of the IETF
	'x-event-id', // Prolific
	'x-github-delivery',
	'x-shopify-webhook-id',
	'i-twilio-idempotency-token',
	'linear-delivery',
	'twitch-eventsub-message-id',
	'x-atlassian-webhook-identifier',
	'x-cio-delivery-id', // Customer.io
	'x-contentful-idempotency-key',
	'x-gr4vy-webhook-id',
	'x-pandadoc-webhook-event-id',
];

const BODY_LASTS = 12 * HOUR_MS;
/** How many deliveries the process remembers, of all triggers. */
const MAX_REMEMBERED = 50_000;
/** Milliseconds between two looks at whether n8n has answered. */
const ANSWER_CHECK_INTERVAL = 50;

/** What a delivery has in common with its repetitions, and with no other event. */
export interface DeliveryId {
	text: string;
	/** Milliseconds for which a delivery with the same ID is a repetition. */
	lasts: number;
}

/**
 * Returns what identifies the events of a call: the header or field that the user has named, else what the whole call
 * is known by.
 *
 * @param signedHeaders in lower case; undefined where calls are not signed
 * @returns A function that takes an event and its index in the call. Undefined when nothing identifies the event.
 */
export function identifierFor(
	call: Pick<WebhookRequest, 'headers' | 'query' | 'rawBody'>,
	{ deliveryHeader, deliveryField }: TriggerOptions,
	signedHeaders: readonly string[] | undefined,
): (event: IDataObject, index: number) => DeliveryId | undefined {
	const named = findId(call.headers, [deliveryHeader]);
	const ofCall = named ? { text: named, lasts: Infinity } : identifyCall(call, signedHeaders);
	return (event, index) => {
		const value = !named && deliveryField && readId(readPath(event, deliveryField));
		if (value) return { text: `${deliveryField}=${value}`, lasts: Infinity };
		return ofCall && { ...ofCall, text: `${ofCall.text} ${index}` };
	};
}

/**
 * Identifies a call by a known header, else by its body, byte by byte. Where calls are signed, a header counts only if
 * it is signed, too: so nobody can make a recorded call look new, nor an event that is still to come look old. Where
 * they are not, it counts together with the body.
 */
function identifyCall(
	{ headers, query, rawBody }: Pick<WebhookRequest, 'headers' | 'query' | 'rawBody'>,
	signedHeaders: readonly string[] | undefined,
): DeliveryId | undefined {
	if (signedHeaders) {
		const signed = DELIVERY_HEADERS.filter((name) => signedHeaders.includes(name));
		const known = findId(headers, signed);
		if (known) return { text: known, lasts: Infinity };
	}
	if (!rawBody?.length) return undefined;
	const body = digestOf(rawBody);
	if (signedHeaders) return { text: body, lasts: BODY_LASTS };
	// The query says more about the event. Whoever repeats a signed call could change it.
	const text = `${body} ${JSON.stringify(query)}`;
	const known = findId(headers, DELIVERY_HEADERS);
	return known ? { text: `${known} ${text}`, lasts: Infinity } : { text, lasts: BODY_LASTS };
}

/** The first of these headers that has an ID, and the ID. */
function findId(headers: WebhookRequest['headers'], names: readonly string[]): string | undefined {
	const name = names.find((each) => readId(headers[each]) !== undefined);
	return name && `${name}: ${readId(headers[name])}`;
}

/** A text or a number as trimmed text; undefined when it is empty or anything else. */
function readId(value: unknown): string | undefined {
	return isId(value) ? String(value).trim() || undefined : undefined;
}

function digestOf(data: string | Uint8Array): string {
	return createHash('sha256').update(data).digest('base64url');
}

/**
 * Remembers which deliveries have started a workflow, in this process.
 *
 * A delivery counts once n8n has accepted the call, since n8n has its execution by then. If n8n fails before that, the
 * service delivers again, and the repetition starts the workflow. So a call waits for earlier calls with one of the same
 * deliveries until n8n has answered them, however long that takes.
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
			(id) => id && { name: digestOf(JSON.stringify([...scope, id.text])), lasts: id.lasts },
		);
		const callsUnderWay = () =>
			deliveries.flatMap((delivery) => (delivery && this.underWay.get(delivery.name)) ?? []);
		// All of them before any is taken: two calls that each had some would wait for each other.
		for (let open = callsUnderWay(); open.length > 0; open = callsUnderWay()) {
			await Promise.all(open);
		}
		const fresh = new Map<string, number>();
		const areNew = deliveries.map((delivery) => {
			if (!delivery) return true;
			const { name, lasts } = delivery;
			if (fresh.has(name) || Date.now() < (this.taken.get(name) ?? 0)) return false;
			fresh.set(name, lasts);
			return true;
		});
		if (fresh.size > 0) this.follow(context, fresh);
		return areNew;
	}

	/** Remembers the deliveries of a call once n8n has accepted it. */
	private follow(context: IWebhookFunctions, fresh: ReadonlyMap<string, number>): void {
		const answered = isAccepted(context).then((isTaken) => {
			for (const [name, lasts] of fresh) {
				this.underWay.delete(name);
				if (isTaken) this.taken.set(name, Date.now() + lasts);
			}
		});
		for (const name of fresh.keys()) this.underWay.set(name, answered);
	}
}

/**
 * Waits until n8n has answered, and tells whether with success. It looks again and again, since n8n starts the workflow
 * also for a sender that hung up, and the response to that one ends without an event.
 */
async function isAccepted(context: IWebhookFunctions): Promise<boolean> {
	const response = context.getResponseObject();
	while (!response.writableEnded) await sleep(ANSWER_CHECK_INTERVAL);
	return response.statusCode < 300;
}
