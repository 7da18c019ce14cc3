import { parseJson, shorten } from '../api/json';

const MAX_LENGTH = 300;

/** The service's own words in an answer: its message if it has one, else the text; none in a web page or in `{}`. */
export function serviceWords(text: string): string {
	const hasNone = isMarkup(text) || !/[\p{L}\p{N}]/u.test(text);
	return readable(findMessage(parseJson(text)) ?? (hasNone ? '' : text));
}

/** The beginning of a text, in one line; empty when it is not readable. */
export function readable(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return isReadable(line) ? shorten(line, MAX_LENGTH) : '';
}

/** Whether the text is a web page rather than an answer of an API. */
export function isMarkup(text: string): boolean {
	return /^\s*</.test(text);
}

/** Whether it is text rather than bytes that nobody decompressed. A wrong charset damages single letters only. */
function isReadable(line: string): boolean {
	return !/\p{Cc}|\uFFFD{2}/u.test(line);
}

// The interface does not show what errors look like; these are the places where services put their words.
function findMessage(value: unknown, depth = 0): string | undefined {
	if (typeof value === 'string') return value;
	if (typeof value !== 'object' || value === null || depth > 3) return undefined;
	if (Array.isArray(value)) {
		const messages = value.map((each) => findMessage(each, depth + 1)).filter(Boolean);
		return messages.length > 0 ? messages.join('; ') : undefined;
	}
	for (const key of ['message', 'detail', 'description', 'reason', 'title', 'error', 'errors']) {
		const message: string | undefined = findMessage(Reflect.get(value, key), depth + 1);
		if (message) return message;
	}
	return undefined;
}
