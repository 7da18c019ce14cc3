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
/** Milliseconds between checks whether n8n has answered a sender that hung up. */
const ANSWER_CHECK_INTERVAL = 50;

/** What a delivery has in common with its repetitions, and with no other event. */
export interface DeliveryId {
	text: string;
	/** Milliseconds for which a delivery with the same ID is a repetition. */
	lasts: number;
}

/**
 * Returns what identifies the events of a call: the header or field that the user has named, else a known header, else
 * the body, byte by byte. Where calls are signed, a known header counts only if it is signed, too: so nobody can make a
 * recorded call look new, nor an event that is still to come look old. Where they are not, it counts together with the
 * body.
 *
 * @param signedHeaders in lower case; undefined where calls are not signed
 * @returns A function that takes an event and its index in the call. Undefined when nothing identifies the event.
 */
export function identifierFor(
	{ headers, query, rawBody }: Pick<WebhookRequest, 'headers' | 'query' | 'rawBody'>,
	{ deliveryHeader, deliveryField }: TriggerOptions,
	signedHeaders: readonly string[] | undefined,
): (event: IDataObject, index: number) => DeliveryId | undefined {
	const inHeader = (name: string) => {
		const value = readId(headers[name]);
		return value && `${name}: ${value}`;
	};
	const named = inHeader(deliveryHeader);
	const known = DELIVERY_HEADERS.filter((name) => signedHeaders?.includes(name) ?? true)
		.map(inHeader)
		.find(Boolean);
	// A query says more about the event, but whoever repeats a signed call can change it.
	const address = signedHeaders ? '' : JSON.stringify(query);
	const body = rawBody?.length ? `${digestOf(rawBody)} ${address}` : undefined;
	return (event, index) => {
		// The events of a call share its headers and its body.
		const id = (lasts: number, ...parts: string[]) => ({
			text: [...parts, index].join(' '),
			lasts,
		});
		if (named) return id(Infinity, named);
		const value = deliveryField && readId(readPath(event, deliveryField));
		if (value) return { text: `${deliveryField}=${value}`, lasts: Infinity };
		if (known && signedHeaders) return id(Infinity, known);
		if (body === undefined) return undefined;
		return known ? id(Infinity, known, body) : id(BODY_LASTS, body);
	};
}

/** A text or a number as trimmed text; undefined when it is empty or anything else. */
function readId(value: unknown): string | undefined {
	return isId(value) ? String(value).trim() || undefined : undefined;
}

function digestOf(data: string | Uint8Array): string {
	return createHash('sha256').update(data).digest('base64url');
}

/** A delivery that n8n has not answered yet, or one that has started its workflow. */
type Delivery = { answered: Promise<void> } | { until: number };

/**
 * Remembers which deliveries have started a workflow, in this process.
 *
 * A delivery counts once n8n has accepted the call, since n8n has its execution by then. If n8n fails before that, the
 * service delivers again, and the repetition starts the workflow. So a call waits for earlier calls with one of the same
 * deliveries until n8n has answered them, however long that takes.
 */
export class Deliveries {
	private readonly known = new BoundedMap<string, Delivery>(MAX_REMEMBERED);

	/**
	 * Takes the deliveries of a call, except for those that have started the workflow before.
	 *
	 * @returns The texts of the IDs that are new.
	 */
	async take(context: IWebhookFunctions, ids: readonly DeliveryId[]): Promise<Set<string>> {
		const scope = [context.getWorkflow().id, context.getNode().id];
		const idByName = new Map(ids.map((id) => [digestOf(JSON.stringify([...scope, id.text])), id]));
		const names = [...idByName.keys()];
		for (let open = this.answersFor(names); open.length > 0; open = this.answersFor(names)) {
			await Promise.all(open);
		}
		const fresh = new Map([...idByName].filter(([name]) => !this.known.has(name)));
		if (fresh.size > 0) {
			const answered = this.settle(fresh, isAccepted(context.getResponseObject()));
			for (const name of fresh.keys()) this.known.set(name, { answered });
		}
		return new Set([...fresh.values()].map(({ text }) => text));
	}

	/** The answers that n8n still owes to calls with these deliveries. Forgets what does not count any more. */
	private answersFor(names: readonly string[]): Array<Promise<void>> {
		return names.flatMap((name) => {
			const delivery = this.known.get(name);
			if (!delivery) return [];
			if ('answered' in delivery) return delivery.answered;
			if (delivery.until <= Date.now()) this.known.delete(name);
			return [];
		});
	}

	/** Remembers the deliveries of a call once n8n has accepted it, or forgets them. */
	private async settle(
		deliveries: ReadonlyMap<string, DeliveryId>,
		accepted: Promise<boolean>,
	): Promise<void> {
		const isTaken = await accepted;
		for (const [name, { lasts }] of deliveries) {
			if (isTaken) this.known.set(name, { until: Date.now() + lasts });
			else this.known.delete(name);
		}
	}
}

/**
 * Waits until n8n has answered, and tells whether with success. n8n starts the workflow also for a sender that hung up
 * early. Its response closes at once, and ends later without a sign.
 */
async function isAccepted(
	response: ReturnType<IWebhookFunctions['getResponseObject']>,
): Promise<boolean> {
	if (!response.writableEnded && !response.destroyed) {
		await new Promise<void>((resolve) => {
			response.once('finish', resolve);
			response.once('close', resolve);
		});
	}
	while (!response.writableEnded) await sleep(ANSWER_CHECK_INTERVAL);
	return response.statusCode < 300;
}
