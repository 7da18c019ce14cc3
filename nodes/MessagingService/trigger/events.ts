import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { isObject, parseJson } from '../api/json';

/** A call as n8n has received it. */
export type WebhookRequest = ReturnType<IWebhookFunctions['getRequestObject']>;

/** The content type of a form with files, for which n8n keeps no raw body. */
export const MULTIPART = 'multipart/form-data';
/** A form as it is sent: with nothing that has to be encoded. */
const FORM = /^[^\s"<>{}=&]+=[^\s"<>{}]*$/;

/**
 * The events of a call, each as a JSON object. A body that is an object or a form is one event, and a list of objects has
 * one event per object. Any other body, such as XML or plain text, becomes the field `body` of an event. Without a body,
 * the event is an empty object.
 */
export function readEvents(request: WebhookRequest): IDataObject[] {
	const body = bodyOf(request);
	if (Array.isArray(body) && body.length > 0 && body.every(isObject)) return body;
	// A copy, since n8n reads a form with files as an object without the methods that an expression may call.
	if (isObject(body)) return [{ ...body }];
	return [body === undefined ? {} : { body: toValue(body) }];
}

/**
 * Reads the body as it came, whatever its type is said to be: nobody signs that header, and n8n's parser for XML mixes up
 * calls that come at the same moment.
 */
function bodyOf({ body: parsed, rawBody, contentType }: WebhookRequest): unknown {
	// The files are left out.
	if (contentType === MULTIPART) return isObject(parsed) ? parsed.data : undefined;
	const raw = rawBody?.toString() ?? '';
	if (raw === '') return undefined;
	const json = parseJson(raw.replace(/^\uFEFF/, ''));
	if (json !== undefined) return json;
	return FORM.test(raw) ? readForm(raw) : raw;
}

/** The fields of a form; one that comes several times is a list. */
function readForm(raw: string): IDataObject {
	const fields = new URLSearchParams(raw);
	const entries = [...fields.keys()].map((name) => {
		const values = fields.getAll(name);
		return [name, values.length > 1 ? values : values[0]];
	});
	return Object.fromEntries(entries);
}

function toValue(value: unknown): IDataObject[string] {
	if (Array.isArray(value)) return value;
	if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
		return value;
	}
	return null;
}
