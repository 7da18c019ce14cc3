/** What there is of some values of the service, in one line; empty if none of them can be shown. */
export function toLabel(...values: unknown[]): string {
	return values
		.filter((value) => typeof value === 'string' || typeof value === 'number')
		.map((value) => String(value).trim())
		.filter(Boolean)
		.join(' · ');
}

/** Whether a text has all the words, in any order, whatever their case and accents. */
export function hasWords(text: string, words: string): boolean {
	const plain = simplify(text);
	return simplify(words)
		.split(/\s+/)
		.every((word) => plain.includes(word));
}

function simplify(text: string): string {
	return text.trim().toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
}
