/** Converts a value to text, an object to JSON; undefined when there is no value. */
export function toText(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A text, or its beginning where it is longer than `length`. */
export function shorten(text: string, length: number): string {
	return text.length > length ? `${text.slice(0, length)}…` : text;
}

/**
 * The text with a sign in place of each half of a surrogate pair, as of a cut-off emoji: strict services refuse these, and
 * encodeURIComponent throws.
 */
export function wellFormed(text: string): string {
	return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

const MAX_QUOTES = 10;

/**
 * A value from outside: a text in quotes, anything else as JSON. It is not shortened, or a part of a secret could be left
 * of it: the words that it is part of are, once secrets are hidden (see `Redactor.shown`).
 */
export function quote(value: unknown): string {
	const text = toText(value) ?? 'empty';
	// A line break would look like another entry of the log.
	return typeof value === 'string' ? `"${text.replace(/[\p{Cc}\p{Cf}]/gu, '?')}"` : text;
}

/** Texts from outside in quotes, the first ten of them. */
export function quoteAll(texts: readonly string[]): string {
	const more = texts.length > MAX_QUOTES ? ' and more' : '';
	return texts.slice(0, MAX_QUOTES).map(quote).join(', ') + more;
}

/** What nobody sees: characters of no width, variation selectors, joiners, fillers and marks of the writing direction. */
const INVISIBLE = '\\p{Cf}\\p{Default_Ignorable_Code_Point}';
const ANY_INVISIBLE = new RegExp(`[${INVISIBLE}]`, 'gu');
/** What stays, which is a letter or sign beyond ASCII with what may change it, as a group; or else anything invisible. */
const KEPT_OR_INVISIBLE = new RegExp(
	`([^\\0-\\x7f${INVISIBLE}]\\ufe0f?[\\p{Join_Control}\\p{Variation_Selector}]?)|[${INVISIBLE}]`,
	'gu',
);

/** Removes invisible characters, by which texts differ although they look the same. Spaces of any kind stay. */
export function withoutInvisible(text: string): string {
	return text.replace(ANY_INVISIBLE, '');
}

/**
 * Removes what nobody sees, and outer spaces: both come along when somebody pastes a text. Joiners and variation selectors
 * stay behind what they can change: a letter of a script with joined letters, or an emoji.
 */
export function pasted(text: string): string {
	return text.replace(KEPT_OR_INVISIBLE, '$1').trim();
}

/** Whether the text of an answer is a web page, such as a login page, rather than an answer of an API. */
export function isMarkup(text: string): boolean {
	return /^\s*</.test(text);
}

/** Whether a text is among others, in upper or lower case. */
export function isAmong(texts: readonly string[], text: string): boolean {
	return texts.some((each) => each.toLowerCase() === text.toLowerCase());
}
