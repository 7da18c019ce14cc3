import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { PanelValues } from './parameters';

/** The output formats of an operation when it is the tool of an AI agent. */
export interface OutputChoice {
	/** What each field is called in the panel. */
	fields: Readonly<Record<string, string>>;
	/** Reduces an object to its most used fields, at most ten. */
	simplify(object: IDataObject): IDataObject;
}

/**
 * The "Output" field, which n8n's guidelines ask for if a tool's objects have more than ten fields: fields that an
 * agent does not need confuse it and fill its context.
 */
export function toolOutput({ fields }: OutputChoice): INodeProperties[] {
	return [
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			displayOptions: { show: { '@tool': [true] } },
			options: [
				{
					name: 'Simplified',
					value: 'simplified',
					description: 'Return the fields that are used most, which leaves the model more room',
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
		},
		{
			displayName: 'Fields',
			name: 'outputFields',
			type: 'multiOptions',
			displayOptions: { show: { '@tool': [true], output: ['selectedFields'] } },
			options: Object.entries(fields)
				.map(([value, name]) => ({ name, value }))
				.sort((a, b) => a.name.localeCompare(b.name)),
			default: [],
			description: 'What the AI agent gets to see. The ID always comes along.',
		},
	];
}

/** Whether a node that is not a tool returns the most used fields only. */
export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simple',
	type: 'boolean',
	displayOptions: { hide: { '@tool': [true] } },
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** Reads the chosen output format. */
export function readOutput(
	parameters: PanelValues,
	{ simplify }: OutputChoice,
): OutputChoice['simplify'] {
	const output = parameters.value('output');
	// The output of a tool is never undefined.
	if (output === undefined) return parameters.isOn(simplifyField) ? simplify : asIs;
	if (output === 'raw') return asIs;
	if (output !== 'selectedFields') return simplify;
	const names = ['id', ...parameters.texts('outputFields', { label: 'Fields' })];
	return (object) => pick(object, names);
}

function asIs(object: IDataObject): IDataObject {
	return object;
}

/** Picks the named fields of an object, in the order of the names. */
export function pick(object: IDataObject, names: readonly string[]): IDataObject {
	const present = names.filter((name) => name in object);
	return Object.fromEntries(present.map((name) => [name, object[name]]));
}
