/** A value of the body as text, an object as JSON; undefined when there is none. */
export function textOf(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Describes a setting that names a field of the body, as `findPath` finds it. */
export function describeField(what: string): string {
	return `${what}. A name such as "inbound" is also found one level down; a path such as "data.inbound" names the place exactly.`;
}
