/** openapi.yaml, as tests look at it. */
import { contract, type ContractOperation } from '../../sandbox/service/contract.ts';

/** An operation, with its place in the document. */
export interface Operation extends ContractOperation {
	path: string;
	method: string;
	needsKey: boolean;
}

export const operations: Operation[] = Object.entries(contract.paths).flatMap(([path, item]) =>
	Object.entries(item).flatMap(([method, operation]) =>
		typeof operation === 'object'
			? [{ ...operation, path, method, needsKey: operation.security?.length !== 0 }]
			: [],
	),
);

/** The answer of an operation when all goes well, after its status. */
export function successOf({ responses }: ContractOperation) {
	const success = Object.entries(responses).find(([status]) => status.startsWith('2'));
	if (!success) throw new Error('The operation has no answer');
	return success;
}

/** The fields of what an operation answers, of a list those of its entries; none of a bare value. */
export function fieldsOf(operation: ContractOperation): string[] {
	const references = JSON.stringify(successOf(operation)).matchAll(/schemas\/(\w+)/g);
	// A list refers to its envelope first.
	const [, name = ''] = [...references].at(-1) ?? [];
	return Object.keys(Object(contract.components.schemas[name]?.properties));
}
