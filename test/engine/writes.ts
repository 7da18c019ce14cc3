import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { nodeOperations, operationIds, type NodeOperation } from '../../sandbox/operations.ts';
import type { FaultKind, ReceivedRequest } from '../../sandbox/service/service.ts';

export { byId, known } from '../../sandbox/operations.ts';

/** An operation that changes something, once per input item `{ n }`. */
export interface Write {
	operation: NodeOperation;
	parameters: INodeParameters;
	/** The `n` of the item that a request was made for. */
	itemOf(request: Pick<ReceivedRequest, 'body'>): number;
}

/** Every operation that changes something at the service. */
export const writes: Write[] = operationIds.flatMap((operation) => {
	const row = nodeOperations[operation];
	if (row.effect !== 'writes') return [];
	return [{ operation, parameters: row.perItem, itemOf: numberAt(row.numberedField) }];
});

/** Failures after which nobody knows whether the service has acted: every redirect is one, and none is followed. */
export const unknowable: FaultKind[] = [
	{ kind: 'dropBefore' },
	{ kind: 'dropAfter' },
	{ kind: 'dropMidBody' },
	{ kind: 'status', status: 500 },
	{ kind: 'status', status: 500, processed: true },
	{ kind: 'status', status: 502 },
	{ kind: 'status', status: 503, processed: true },
	{ kind: 'status', status: 504 },
	{ kind: 'status', status: 408, processed: true },
	{ kind: 'status', status: 499, processed: true },
	...([301, 302, 303, 307, 308] as const).map((status): FaultKind => {
		return { kind: 'redirect', location: '/elsewhere', status, processed: true };
	}),
	{ kind: 'neverAnswer', processed: true },
	{ kind: 'html' },
	{ kind: 'wrongShape' },
];

/** Every list, and what has to be set to get all of it. */
export const lists = operationIds.flatMap((operation) => {
	const { list, minimal } = nodeOperations[operation];
	const parameters: INodeParameters = { ...minimal, returnAll: true };
	return list === undefined ? [] : [{ operation, list, parameters }];
});

/** So many input items, numbered from 0. */
export function numbered(count: number): IDataObject[] {
	return Array.from({ length: count }, (_, n) => ({ n }));
}

function numberAt(field: string): Write['itemOf'] {
	return ({ body }) => {
		const value: unknown = typeof body === 'object' && body ? Reflect.get(body, field) : undefined;
		const digits = /\d+/.exec(String(value));
		if (!digits) throw new Error(`No item number in ${String(value)}`);
		return Number(digits[0]);
	};
}
