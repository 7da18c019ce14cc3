import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { isObject, parseJson } from '../api/json';

type Request = ReturnType<IWebhookFunctions['getRequestObject']>;

/** The one type of body that n8n has always read by itself, so that there is no raw body. */
export const MULTIPART = 'multipart/form-data';

/**
 * What an event says, as one JSON object. An object stays as it came; anything else, such as a list or a
 * plain text, is put into the field `body`. No body at all gives an empty object.
 */
export function toEvent(request: Request): IDataObject {
	const body = request.contentType === MULTIPART ? readFields(request) : readBody(request);
	if (isObject(body)) return { ...body };
	return body === undefined ? {} : { body: toValue(body) };
}

/** The fields of a form with files; the files are left out. */
function readFields({ body }: Request): unknown {
	return isObject(body) ? body.data : undefined;
}

function readBody({ body: parsed, rawBody }: Request): unknown {
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
