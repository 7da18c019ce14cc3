import type { IDataObject } from 'n8n-workflow';
import { isObject, textOf } from '../api/json';

/** An event, and the parts of it in which senders put what it is about. */
export function partsOf(event: IDataObject): unknown[] {
	return [event, event.data, event.message, event.payload];
}

/**
 * Reads the value at a path, such as `data.message.id`.
 *
 * @returns undefined when there is no such value.
 */
export function readPath(body: unknown, path: string): unknown {
	return path
		.split('.')
		.reduce<unknown>(
			(value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
			body,
		);
}

/**
 * Reads the field of an event at a path, as text: from the event itself, else from its `data`, `message` or `payload`.
 * The first text that is not empty, number, true or false counts; undefined when there is none.
 */
export function findField(event: IDataObject, path: string): string | undefined {
	return partsOf(event)
		.map((part) => readPath(part, path))
		.filter((value) => typeof value !== 'object')
		.map((value) => textOf(value)?.trim())
		.find(Boolean);
}
