import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../api/json';

/**
 * Reads the value at a path, such as `data.message.id`.
 *
 * @returns undefined when there is no such value.
 */
export function readPath(body: unknown, path: string): unknown {
	if (!isObject(body)) return undefined;
	return Object.hasOwn(body, path) ? body[path] : walk(body, path.split('.'));
}

/**
 * Reads the value at a path. A plain name that the body itself does not have is also found one level down,
 * where senders put what an event is about: `inbound` finds `data.inbound`.
 */
export function findPath(body: unknown, path: string): unknown {
	const value = readPath(body, path);
	if (value !== undefined || path.includes('.') || !isObject(body)) return value;
	const parts = Object.values(body).filter(isObject);
	return parts.find((part) => Object.hasOwn(part, path))?.[path];
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

/** Describes a setting that names a field of the body, as `findPath` finds it. */
export function describeField(what: string, example: string): string {
	return `${what}. A name such as "${example}" is also found one level down; a path such as "data.${example}" names the place exactly.`;
}

function walk(value: unknown, [name, ...rest]: string[]): unknown {
	if (name === undefined) return value;
	const inside = Array.isArray(value) ? { ...value } : value;
	if (!isObject(inside) || !Object.hasOwn(inside, name)) return undefined;
	return walk(inside[name], rest);
}
