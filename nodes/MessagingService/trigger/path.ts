import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../transport/json';

/**
 * Reads a value by its path, such as `data.message.id`. A plain name that the body itself does not have
 * is also found one level down, where senders put what an event is about: `inbound` finds `data.inbound`.
 *
 * @returns undefined when there is no such value.
 */
export function readPath(body: unknown, path: string): unknown {
	if (!isObject(body)) return undefined;
	if (Object.hasOwn(body, path)) return body[path];
	const found = walk(body, path.split('.'));
	if (found !== undefined || path.includes('.')) return found;
	const parts = Object.values(body).filter(isObject);
	return parts.find((part) => Object.hasOwn(part, path))?.[path];
}

/** Makes an object with one value at a path. */
export function writePath(path: string, value: IDataObject[string]): IDataObject {
	const [name, ...rest] = path.split('.');
	return { [name]: rest.length > 0 ? writePath(rest.join('.'), value) : value };
}

function walk(value: unknown, [name, ...rest]: string[]): unknown {
	if (name === undefined) return value;
	const inside = Array.isArray(value) ? { ...value } : value;
	if (!isObject(inside) || !Object.hasOwn(inside, name)) return undefined;
	return walk(inside[name], rest);
}
