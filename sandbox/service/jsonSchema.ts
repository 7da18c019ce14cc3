export type Schema = Record<string, unknown>;

export const oneOf = (...values: unknown[]): Schema => ({ enum: values });
export const integer = (minimum: number): Schema => ({ type: 'integer', minimum });
export const text: Schema = { type: 'string' };
export const texts: Schema = { type: 'array', items: text };
export const flag: Schema = { type: 'boolean' };
export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

/** An object in which a misspelt field is an error. */
export function closedObject(properties: Record<string, Schema>, required?: string[]): Schema {
	const schema = { type: 'object', additionalProperties: false, properties };
	return required ? { ...schema, required } : schema;
}

/** Every field of a type must have a schema, so a new one cannot be forgotten. */
export function patchOf<Section extends object>(properties: {
	[Key in keyof Section]-?: Schema;
}): Schema {
	return closedObject(properties);
}
