import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { ItemParameters } from './parameters';

/** How the objects of an operation can be put out when it is the tool of an AI agent. */
export interface OutputChoice {
	/** What each field is called in the panel. */
	fields: Readonly<Record<string, string>>;
	/** The fields that people use, at most ten. */
	simplify(object: IDataObject): IDataObject;
}

/**
 * "Output", which n8n's guidelines ask for where a tool's objects have more than ten fields: what an agent does not need
 * confuses it and fills its context.
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

/** Reads how the objects are put out; `ofNode` is for a node that is no tool and has no such choice. */
export function readToolOutput(
	parameters: ItemParameters,
	{ simplify }: OutputChoice,
	ofNode = asIs,
): OutputChoice['simplify'] {
	const output = parameters.raw('output');
	if (output === undefined) return ofNode;
	if (output === 'raw') return asIs;
	if (output !== 'selectedFields') return simplify;
	const names = ['id', ...parameters.texts('outputFields', { label: 'Fields' })];
	return (object) => pick(object, names);
}

function asIs(object: IDataObject): IDataObject {
	return object;
}

/** An object with those of its fields that are named, in this order. */
export function pick(object: IDataObject, names: readonly string[]): IDataObject {
	const present = names.filter((name) => name in object);
	return Object.fromEntries(present.map((name) => [name, object[name]]));
}
