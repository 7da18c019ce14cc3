import type { IDataObject } from 'n8n-workflow';
import { dropdown, type Field, switchField } from './field';
import type { PanelValues } from './values';

/** The output formats of an operation. */
export interface OutputChoice {
	/** What each field is called in the panel. */
	fields: Readonly<Record<string, string>>;
	/** Reduces an object to its most used fields, at most ten. */
	simplify(object: IDataObject): IDataObject;
}

const outputField = dropdown({
	displayName: 'Output',
	name: 'output',
	displayOptions: { show: { '@tool': [true] } },
	options: [
		{
			name: 'Simplified',
			value: 'simplified',
			description: 'Return the fields that are used most',
		},
		{ name: 'Raw', value: 'raw', description: 'Return all fields' },
		{
			name: 'Selected Fields',
			value: 'selectedFields',
			description: 'Choose the fields to return',
		},
	],
	default: 'simplified',
	description: 'What the AI agent gets to see',
});

const outputFieldsField: Field = {
	displayName: 'Output Fields',
	name: 'outputFields',
	type: 'multiOptions',
	displayOptions: { show: { '@tool': [true], output: ['selectedFields'] } },
	default: [],
	description: 'What the AI agent gets to see. The ID is always included.',
};

/** Whether a node that is not a tool returns the most used fields only. */
export const simplifyField = switchField(
	'Simplify',
	'simple',
	'Whether to return a simplified version of the response instead of the raw data',
	{ displayOptions: { hide: { '@tool': [true] } }, default: true },
);

/**
 * The fields for the format of the output. For a tool, n8n's guidelines ask for a choice if the objects have more than
 * ten fields: those that an agent does not need confuse it and fill its context.
 */
export function outputFields({ fields }: OutputChoice): Field[] {
	const options = Object.entries(fields)
		.map(([value, name]) => ({ name, value }))
		.sort((a, b) => a.name.localeCompare(b.name));
	return [simplifyField, outputField, { ...outputFieldsField, options }];
}

/** Reads the chosen output format. */
export function readOutput(
	parameters: PanelValues,
	{ simplify }: OutputChoice,
): OutputChoice['simplify'] {
	// Only a tool has the field "Output".
	if (!parameters.has(outputField)) return parameters.isOn(simplifyField) ? simplify : asIs;
	const output = parameters.choice(outputField);
	if (output === 'raw') return asIs;
	if (output === 'simplified') return simplify;
	const names = ['id', ...parameters.texts(outputFieldsField)];
	return (object) => pick(object, names);
}

const asIs = (object: IDataObject): IDataObject => object;

/** Picks the named fields of an object, in the order of the names. */
export function pick(object: IDataObject, names: readonly string[]): IDataObject {
	const present = names.filter((name) => name in object);
	return Object.fromEntries(present.map((name) => [name, object[name]]));
}
