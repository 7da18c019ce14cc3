import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { isObject, parseJson } from '../api/json';

type Request = ReturnType<IWebhookFunctions['getRequestObject']>;

/**
 * The events of a call, each as one JSON object. An object is an event as it came, and a list of objects is one for
 * each, so that an empty one is none. Anything else, such as a plain text, is put into the field `body`. No body at all gives an empty object.
 */
export function readEvents(request: Request): IDataObject[] {
	const body = readBody(request);
	if (Array.isArray(body) && body.every(isObject)) return body;
	if (isObject(body)) return [{ ...body }];
	return [body === undefined ? {} : { body: toValue(body) }];
}

function readBody({ body: parsed, rawBody, contentType }: Request): unknown {
	// n8n keeps no raw body of a form with files. The files are left out.
	if (contentType === 'multipart/form-data') return isObject(parsed) ? parsed.data : undefined;
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
