import type { INodeProperties } from 'n8n-workflow';

/** An entry of a dropdown, together with whatever the code takes from it. */
export interface Choice {
	name: string;
	value: string;
	description?: string;
}

type DropdownField = Omit<INodeProperties, 'type' | 'options'> & { entries: readonly Choice[] };

/** Makes a dropdown of the entries of a table. */
export function dropdown({ entries, ...field }: DropdownField): INodeProperties {
	const options = entries.map(({ name, value, description }) => ({ name, value, description }));
	return { ...field, type: 'options', options };
}
