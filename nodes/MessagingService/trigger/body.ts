import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { isObject, parseJson } from '../transport/json';

type Request = ReturnType<IWebhookFunctions['getRequestObject']>;

/**
 * What an event says, as one JSON object. An object stays as it came; anything else, such as a list or a
 * plain text, is put into the field `body`. No body at all gives an empty object.
 */
export function toEvent(request: Request): IDataObject {
	const raw = request.rawBody?.toString() ?? '';
	const body = readBody(request.body, request.contentType, raw);
	if (isObject(body)) return { ...body };
	return body === '' || body === undefined ? {} : { body: toValue(body) };
}

function readBody(parsed: unknown, contentType = '', raw: string): unknown {
	if (contentType.startsWith('multipart/')) return isObject(parsed) ? (parsed.data ?? {}) : {};
	// n8n leaves out a body whose type it does not know, and puts an empty object there in some versions.
	const isUnread = parsed === undefined || (isObject(parsed) && Object.keys(parsed).length === 0);
	if (!isUnread && parsed !== raw) return parsed;
	const json = parseJson(raw);
	return isObject(json) || Array.isArray(json) ? json : raw;
}

function toValue(value: unknown): IDataObject[string] {
	if (Array.isArray(value)) return value;
	if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
		return value;
	}
	return null;
}
