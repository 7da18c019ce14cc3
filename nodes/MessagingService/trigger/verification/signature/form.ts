import { type Call, refuse } from '../verification';

const FORM = 'application/x-www-form-urlencoded';
/** As many fields as n8n reads. */
const MAX_FIELDS = 1_000;

/**
 * The fields of a form, in the order of their names, each name followed by its value; undefined when the body is no
 * form.
 */
export function formFields(headers: Call['headers'], body: Uint8Array): string | undefined {
	if (mediaType(headers['content-type']) !== FORM) return undefined;
	const text = Buffer.from(body).toString();
	if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) {
		refuse(`the form has more than ${MAX_FIELDS} fields`);
	}
	const fields = new URLSearchParams(text);
	return [...new Set(fields.keys())]
		.sort()
		.flatMap((name) => [...new Set(fields.getAll(name))].sort().map((value) => name + value))
		.join('');
}

function mediaType(contentType: Call['headers'][string]): string {
	return String(contentType).split(';', 1)[0].trim().toLowerCase();
}
