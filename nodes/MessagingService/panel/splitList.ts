/** The entries of a text that are separated by commas, without the white space around them. */
export function splitList(text: string): string[] {
	return text
		.split(',')
		.map((entry) => entry.trim())
		.filter(Boolean);
}
