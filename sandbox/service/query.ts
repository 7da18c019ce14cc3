import type { Operation } from 'openapi-backend';

import { readExtension } from './document.ts';
import type { CustomNames } from './settings.ts';

type RawQuery = Record<string, string | string[]>;
type ContractQuery = Record<string, unknown>;

interface Parameter {
	/** As this deployment spells it. */
	name: string;
	contractName: string;
	isList: boolean;
	isCommaList: boolean;
	isDate: boolean;
}

/** Reads an operation's query string and turns it into the names and formats of the contract. */
interface QueryReader {
	/** The known parameters as they came; others are ignored. */
	pick(queryString: string): RawQuery;
	/** Turns validated, coerced parameters into those of the contract. */
	translate(query: Record<string, unknown>): ContractQuery;
}

/** Builds the reader for an operation of a document made by `loadDocument`. */
export function createQueryReader(operation: Operation, { dateFormat }: CustomNames): QueryReader {
	const parameters = (operation.parameters ?? []).flatMap(toParameter);
	const unit = { iso: undefined, unixSeconds: 1000, unixMilliseconds: 1 }[dateFormat];

	return {
		pick(queryString) {
			const picked: RawQuery = {};
			if (queryString === '') return picked;
			const search = new URLSearchParams(queryString);
			for (const { name, isList, isCommaList } of parameters) {
				const values = search.getAll(name);
				const value = values.at(-1);
				if (value === undefined) continue;
				picked[name] = isCommaList ? value.split(',') : isList ? values : value;
			}
			return picked;
		},
		translate(query) {
			const translated: ContractQuery = {};
			for (const { name, contractName, isDate } of parameters) {
				const value = query[name];
				if (value === undefined) continue;
				const isTime = isDate && unit !== undefined && typeof value === 'number';
				translated[contractName] = isTime ? toIso(value * unit) : value;
			}
			return translated;
		},
	};
}

function toParameter(parameter: object): Parameter[] {
	if (!('in' in parameter) || parameter.in !== 'query') return [];
	if (!('name' in parameter) || typeof parameter.name !== 'string') return [];
	const { name } = parameter;
	const schema: unknown = 'schema' in parameter ? parameter.schema : undefined;
	const isList =
		typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'array';
	const customName = readExtension(parameter, 'x-custom-name');
	return [
		{
			name,
			contractName: readExtension(parameter, 'x-contract-name') ?? name,
			isList,
			isCommaList: isList && 'explode' in parameter && parameter.explode === false,
			isDate: customName === 'afterParameter' || customName === 'beforeParameter',
		},
	];
}

/** Times beyond what a Date can hold are pulled to its ends, where they filter the same. */
function toIso(time: number): string {
	const limit = 8.64e15;
	return new Date(Math.min(Math.max(time, -limit), limit)).toISOString();
}
