import type { IDataObject } from 'n8n-workflow';

/** Parses JSON; undefined when the text is none. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** A value as text, an object as JSON; undefined when there is none. */
export function textOf(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Whether a value is a JSON object, as opposed to a list or a plain value. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a number, or a text that is not empty. */
export function isTextOrNumber(value: unknown): value is string | number {
	return typeof value === 'number' || (typeof value === 'string' && value !== '');
}
