import type { IDataObject } from 'n8n-workflow';
import { isObject, textOf } from '../api/json';

/** Where senders put what an event is about. */
export const PLACES = ['data', 'message', 'payload'];

/**
 * Reads the value at a path, such as `data.message.id`.
 *
 * @returns undefined when there is no such value.
 */
export function readPath(body: unknown, path: string): unknown {
	if (!isObject(body)) return undefined;
	if (Object.hasOwn(body, path)) return body[path];
	const [name, ...rest] = path.split('.');
	const value = Object.hasOwn(body, name) ? body[name] : undefined;
	if (rest.length === 0) return value;
	return readPath(Array.isArray(value) ? { ...value } : value, rest.join('.'));
}

/**
 * Reads the field of an event at a path, as text: from the event itself, else from its `data`, `message` or `payload`.
 * The first text that is not empty, number, true or false counts; undefined when there is none.
 */
export function findField(event: IDataObject, path: string): string | undefined {
	return [event, ...PLACES.map((place) => event[place])]
		.map((part) => readPath(part, path))
		.filter((value) => typeof value !== 'object')
		.map((value) => textOf(value)?.trim())
		.find(Boolean);
}

/** An object with a value at a path, beside what it has already. */
export function withPath(
	object: IDataObject,
	path: string,
	value: IDataObject[string],
): IDataObject {
	const [name, ...rest] = path.split('.');
	if (rest.length === 0) return { ...object, [name]: value };
	const part = Object.hasOwn(object, name) ? object[name] : undefined;
	return { ...object, [name]: withPath(isObject(part) ? part : {}, rest.join('.'), value) };
}
