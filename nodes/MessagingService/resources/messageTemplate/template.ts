/** A name in double braces, with spaces or not: {{name}}, {{ first name }}. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/gu;

/** The names of a template's placeholders, each once, in the order of their first place. */
export function placeholdersOf(template: string): string[] {
	const names = [...template.matchAll(PLACEHOLDER)].map(([, name]) => name.trim());
	return [...new Set(names)].filter((name) => name !== '');
}

/**
 * Fills a template's placeholders (interface, Message template). Values are put in as they are:
 * placeholders inside a value stay text.
 *
 * @param values by placeholder name; a name that is missing leaves its placeholder as it stands
 */
export function fillTemplate(template: string, values: ReadonlyMap<string, string>): string {
	return template.replace(
		PLACEHOLDER,
		(placeholder, name: string) => values.get(name.trim()) ?? placeholder,
	);
}
