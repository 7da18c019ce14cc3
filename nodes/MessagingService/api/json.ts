import type { IDataObject } from 'n8n-workflow';

/** Parses JSON; undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Whether a value is a JSON object, as opposed to a list or a plain value. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a value that is a JSON object, and an empty object for anything else. */
export function asObject(value: unknown): IDataObject {
	return isObject(value) ? value : {};
}

/**
 * Reads the value at a path, such as `data.message.id` or `events.0.id`.
 *
 * @returns undefined when there is no such value.
 */
export function readPath(body: unknown, path: string): unknown {
	return path.split('.').reduce<unknown>((value, name) => {
		if (typeof value !== 'object' || value === null) return undefined;
		// The entries of a list have their places for names, and its length is no entry.
		const hasName = Object.prototype.propertyIsEnumerable.call(value, name);
		return hasName ? Reflect.get(value, name) : undefined;
	}, body);
}

/** Whether a value is a whole number beyond 2^53. JavaScript may have rounded it, so two IDs may look like one. */
export function isInexact(value: unknown): boolean {
	return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** Whether a value can be an ID. */
export function isId(value: unknown): value is string | number {
	return typeof value === 'number' ? Number.isSafeInteger(value) : isTextOrNumber(value);
}

/** What identifies an entry of a list: its ID, or its whole JSON if it has no exact ID. */
export function identityOf(entry: unknown): string | number {
	const { id } = asObject(entry);
	return isId(id) ? id : JSON.stringify(entry);
}

/**
 * Finds a number in a JSON text that JavaScript cannot keep: a whole number that it would round, or one that is too
 * large. Undefined when there is none.
 */
export function findInexact(text: string): string | undefined {
	// Strings are matched too, so that the digits in them are passed over.
	const parts = text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g) ?? [];
	return parts.find((part) => {
		if (part.startsWith('"')) return false;
		const isInteger = /^-?\d+$/.test(part);
		return isInteger ? isInexact(Number(part)) : !Number.isFinite(Number(part));
	});
}

/** Whether a value is a number, or a text that is not empty. */
export function isTextOrNumber(value: unknown): value is string | number {
	return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

/** Finds a name that an object in a JSON text has twice; undefined when there is none. */
export function findRepeatedName(json: string): string | undefined {
	const open: Array<Set<string>> = [];
	for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g)) {
		if (token === '{' || token === '[') {
			open.push(new Set());
		} else if (token === '}' || token === ']') {
			open.pop();
		} else if (token.endsWith(':')) {
			const name = String(JSON.parse(token.slice(0, -1)));
			if (open.at(-1)?.has(name)) return name;
			open.at(-1)?.add(name);
		}
	}
	return undefined;
}
