import { isObject, parseJson, shorten } from '../api/json';

const MAX_LENGTH = 300;

/** Where services put their words: the interface does not show what its errors look like. */
const PLACES = ['message', 'detail', 'description', 'reason', 'title', 'error', 'errors'];

/** The service's own words in an answer: its message if it has one, else the text; none in a web page or in `{}`. */
export function serviceWords(text: string): string {
	const hasNone = isMarkup(text) || !/[\p{L}\p{N}]/u.test(text);
	return readable(findMessage(parseJson(text)) ?? (hasNone ? '' : text));
}

/** The beginning of a text, in one line. */
export function readable(text: string): string {
	return shorten(text.replace(/\s+/g, ' ').trim(), MAX_LENGTH);
}

/** Whether the text is a web page rather than an answer of an API. */
export function isMarkup(text: string): boolean {
	return /^\s*</.test(text);
}

/** @param levels how deep to look: an answer may be nested so deep that looking would overflow the stack */
function findMessage(value: unknown, levels = 10): string | undefined {
	if (typeof value === 'string') return value;
	if (levels === 0) return undefined;
	const find = (part: unknown) => findMessage(part, levels - 1);
	if (Array.isArray(value)) return value.map(find).filter(Boolean).join('; ') || undefined;
	return isObject(value) ? PLACES.map((place) => find(value[place])).find(Boolean) : undefined;
}
