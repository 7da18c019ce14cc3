import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import Value from 'typebox/value';

import { isRecord } from '../json.ts';

/** What is left out stays as it is. Lists are replaced as a whole. */
export type Patch<T> = T extends readonly unknown[]
	? T
	: T extends object
		? { [Key in keyof T]?: Patch<T[Key]> }
		: T;

/** An object in which a misspelt field is an error. */
export function closed<Properties extends TProperties>(properties: Properties) {
	return Type.Object(properties, { additionalProperties: false });
}

/** One of several texts or numbers, the first by default. */
export function choice<const Value extends string | number>(...values: Value[]) {
	return Type.Enum(values, { default: values[0] });
}

/** An integer of at least 0, or of at least what is given. */
export function count(byDefault: number, minimum = 0) {
	return Type.Integer({ minimum, default: byDefault });
}

export const flag = (byDefault: boolean) => Type.Boolean({ default: byDefault });

export const text = (byDefault: string) => Type.String({ default: byDefault });

/** A text that is not empty. */
export const name = (byDefault: string) => Type.String({ minLength: 1, default: byDefault });

/** An input that its schema does not allow; answered with 400 on the control path. */
class InvalidInput extends Error {
	readonly statusCode = 400;
}

/** Gives a value back when its schema allows it; else the error says what is wrong where. */
export function check<Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> {
	if (Value.Check(schema, value)) return value;
	const problems = Value.Errors(schema, value).map(({ instancePath, message, params }) => {
		const more = 'additionalProperties' in params ? `: ${params.additionalProperties}` : '';
		return `${instancePath || 'the input'} ${message}${more}`;
	});
	throw new InvalidInput(problems.join(', '));
}

/** Applies a patch to a value and checks the new one; neither argument is changed. */
export function patched<Schema extends TSchema>(
	schema: Schema,
	value: Static<Schema>,
	patch: unknown,
): Static<Schema> {
	return check(schema, merge(value, patch));
}

function merge(value: unknown, patch: unknown): unknown {
	if (patch === undefined) return value;
	if (!isRecord(value) || !isRecord(patch)) return patch;
	const changes = Object.entries(patch).map(([key, change]) => [key, merge(value[key], change)]);
	return { ...value, ...Object.fromEntries(changes) };
}
