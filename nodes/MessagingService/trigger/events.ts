import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { isObject, parseJson, toText } from '../api/json';

/** A call as n8n has received it. */
export type WebhookRequest = ReturnType<IWebhookFunctions['getRequestObject']>;

/** A form with files. n8n keeps no raw body of it. */
export const MULTIPART = 'multipart/form-data';

/**
 * The events of a call, each as one JSON object. An object is an event as it came, and a list of objects has one for
 * each; an empty list has none. Anything else, such as a plain text, is put into the field `body`. No body at all gives
 * an empty object.
 */
export function readEvents(request: WebhookRequest): IDataObject[] {
	const body = bodyOf(request);
	if (Array.isArray(body) && body.every(isObject)) return body;
	if (isObject(body)) return [{ ...body }];
	return [body === undefined ? {} : { body: toValue(body) }];
}

function bodyOf({ body: parsed, rawBody, contentType }: WebhookRequest): unknown {
	// The files are left out.
	if (contentType === MULTIPART) return isObject(parsed) ? parsed.data : undefined;
	const raw = rawBody?.toString() ?? '';
	if (raw === '') return undefined;
	// n8n leaves out a body whose type it does not know, and puts an empty object there in some versions.
	const isUnread = parsed === undefined || (isObject(parsed) && Object.keys(parsed).length === 0);
	if (!isUnread && parsed !== raw) return parsed;
	const json = parseJson(raw.replace(/^\uFEFF/, ''));
	return isObject(json) || Array.isArray(json) ? json : raw;
}

function toValue(value: unknown): IDataObject[string] {
	if (Array.isArray(value)) return value;
	if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
		return value;
	}
	return null;
}

/** An event, and the parts of it in which senders put what it is about. */
export function partsOf(event: IDataObject): unknown[] {
	return [event, event.data, event.message, event.payload];
}

/**
 * Reads the value at a path, such as `data.message.id`.
 *
 * @returns undefined when there is no such value.
 */
export function readPath(body: unknown, path: string): unknown {
	return path
		.split('.')
		.reduce<unknown>(
			(value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
			body,
		);
}

/**
 * Reads the field of an event at a path, as text: from the event itself, else from its `data`, `message` or `payload`.
 * The first text that is not empty, number, true or false counts; undefined when there is none.
 */
export function findField(event: IDataObject, path: string): string | undefined {
	return partsOf(event)
		.map((part) => readPath(part, path))
		.filter((value) => typeof value !== 'object')
		.map((value) => toText(value)?.trim())
		.find(Boolean);
}
