import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { isId } from '../api/json';
import { HOUR_MS } from '../api/time';
import { readPath } from './events';
import type { TriggerOptions } from './options';
import type { IncomingCall } from './verification';

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
];

const BODY_LASTS = 12 * HOUR_MS;

/**
 * What a delivery has in common with its repetitions. Two events have it in common, too, if nothing identifies them but
 * the same body.
 */
export interface DeliveryId {
	text: string;
	/** Milliseconds for which a delivery with the same ID is a repetition. */
	ttlMs: number;
}

/**
 * Returns what identifies the events of a call: the header or field that the user has named, else what the whole call
 * is known by.
 *
 * @param signedHeaders in lower case; undefined where calls are not signed
 * @returns A function that takes an event and its index in the call. Undefined when nothing identifies the event.
 */
export function identifierFor(
	call: IncomingCall,
	{ deliveryHeader, deliveryPath }: TriggerOptions,
	signedHeaders: readonly string[] | undefined,
): (event: IDataObject, index: number) => DeliveryId | undefined {
	const named = findId(call.headers, [deliveryHeader]);
	const ofCall = named ? { text: named, ttlMs: Infinity } : identifyCall(call, signedHeaders);
	return (event, index) => {
		const value = !named && deliveryPath && readId(readPath(event, deliveryPath));
		if (value) return { text: `${deliveryPath}=${value}`, ttlMs: Infinity };
		return ofCall && { ...ofCall, text: `${ofCall.text} ${index}` };
	};
}

/**
 * Identifies a call by a known header, else by its body, byte by byte. Where calls are signed, a header counts only if
 * it is signed, too: so nobody can make a recorded call look new, nor an event that is still to come look old. Where
 * they are not, it counts together with the body.
 */
function identifyCall(
	{ headers, query, rawBody }: IncomingCall,
	signedHeaders: readonly string[] | undefined,
): DeliveryId | undefined {
	if (signedHeaders) {
		const signed = DELIVERY_HEADERS.filter((name) => signedHeaders.includes(name));
		const known = findId(headers, signed);
		if (known) return { text: known, ttlMs: Infinity };
	}
	if (!rawBody?.length) return undefined;
	const body = digestOf(rawBody);
	if (signedHeaders) return { text: body, ttlMs: BODY_LASTS };
	// The query says more about the event. Whoever repeats a signed call could change it.
	const text = `${body} ${JSON.stringify(query)}`;
	const known = findId(headers, DELIVERY_HEADERS);
	return known ? { text: `${known} ${text}`, ttlMs: Infinity } : { text, ttlMs: BODY_LASTS };
}

/** The ID in the first of these headers that has one. Without the name of the header, which nobody signs. */
function findId(headers: IncomingCall['headers'], names: readonly string[]): string | undefined {
	return names.map((name) => readId(headers[name])).find(Boolean);
}

/** A text or a number as trimmed text; undefined when it is empty or anything else. */
function readId(value: unknown): string | undefined {
	return isId(value) ? String(value).trim() || undefined : undefined;
}

/** A short text that stands for any data. */
export function digestOf(data: string | Uint8Array): string {
	return createHash('sha256').update(data).digest('base64url');
}
