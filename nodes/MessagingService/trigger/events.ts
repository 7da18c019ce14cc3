import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { asObject, isObject, parseJson } from '../api/json';

/** A call as n8n has received it. */
export type WebhookRequest = ReturnType<IWebhookFunctions['getRequestObject']>;

/** The content type of a form with files, for which n8n keeps no raw body. */
export const MULTIPART = 'multipart/form-data';
const FORM = 'application/x-www-form-urlencoded';
/** The types that n8n has read by their character set, as JSON or as text. */
const READ_BY_N8N = ['application/json', 'text/plain'];

/** How many fields n8n reads of a form. What comes behind them, it leaves out. */
const MAX_FIELDS = 1_000;
/** How many events a call may have, since n8n takes much longer for so many items than for one. */
const MAX_EVENTS = 1_000;

/**
 * The events of a call, each as a JSON object. A body that is an object or a form is one event, and a list of up to a
 * thousand objects has one event per object. Any other body, such as XML or plain text, becomes the field `body` of an
 * event. Without a body, the event is an empty object.
 */
export function readEvents(request: WebhookRequest): IDataObject[] {
	const body = parseBody(request);
	if (isObject(body)) return [body];
	if (Array.isArray(body) && body.length > 0 && body.length <= MAX_EVENTS && body.every(isObject)) {
		return body;
	}
	return [body === undefined ? {} : asObject({ body })];
}

/** Reads the body as its content type says, as far as n8n has not done so. n8n mixes up XML of calls at the same moment. */
function parseBody({ body, rawBody, contentType = '' }: WebhookRequest): unknown {
	if (contentType === MULTIPART) return readForm(asObject(body).data);
	if (!rawBody?.length) return undefined;
	if (READ_BY_N8N.includes(contentType)) return asJson(body);
	const text = rawBody.toString();
	const isWhole = text.split('&', MAX_FIELDS + 1).length <= MAX_FIELDS;
	const content = asJson(text);
	return contentType === FORM && isWhole && content === text ? readForm(body) : content;
}

/** What a form says: its fields, or the JSON that is in its only field `payload`. */
function readForm(form: unknown): unknown {
	// A copy, since n8n reads a form as an object without the methods that an expression may call.
	const fields: IDataObject = { ...asObject(form) };
	const isEnvelope = Object.keys(fields).length === 1 && typeof fields.payload === 'string';
	const content = isEnvelope ? asJson(fields.payload) : fields;
	return typeof content === 'string' ? fields : content;
}

/** The object or the list that a text is as JSON, also as a text within JSON; any other value as it is. */
export function asJson(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	const content = parseJson(value.replace(/^\uFEFF/, ''));
	const inner = typeof content === 'string' ? parseJson(content) : content;
	return typeof inner === 'object' && inner !== null ? inner : value;
}
