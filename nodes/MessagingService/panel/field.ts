import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

/**
 * A field of the panel: what n8n shows of it, and what an error about its value advises. Its label, its default and its
 * choices are here and nowhere else.
 */
export interface Field extends INodeProperties {
	/** What to do when the value cannot be used. n8n gets it with the rest, and leaves it alone. */
	advice?: string;
}

/** What an error says about a value: where it is in the panel, and what to do. */
export type Named = Pick<Field, 'displayName' | 'advice'>;

/** An entry of a dropdown. */
export interface Choice<Value extends string = string> {
	name: string;
	value: Value;
	description?: string;
	/** What n8n's list of nodes calls it. */
	action?: string;
}

/** A field with a list to choose from. */
export interface Dropdown<Value extends string = string> extends Field {
	options: Array<Choice<Value>>;
	default: Value;
}

/** Makes a dropdown; its reader gives one of these values. */
export function dropdown<const Value extends string>(
	field: Omit<Field, 'type' | 'options' | 'default'> & {
		options: ReadonlyArray<Choice<Value>>;
		default: NoInfer<Value>;
	},
): Dropdown<Value> {
	return { ...field, type: 'options', options: [...field.options] };
}

/** What the panel calls a value of a dropdown. */
export function nameOf<Value extends string>({ options }: Dropdown<Value>, chosen: Value): string {
	return options.find(({ value }) => value === chosen)?.name ?? chosen;
}

/** A field whose members are added one by one. */
export interface Collection extends Field {
	options: Field[];
}

/** Makes a collection, with its members sorted by their labels. */
export function collection(
	field: Omit<Field, 'type' | 'options' | 'default'> & { options: readonly Field[] },
): Collection {
	const options = [...field.options].sort((a, b) => a.displayName.localeCompare(b.displayName));
	return { ...field, type: 'collection', default: {}, options };
}

/** A field for a whole number, with its least and perhaps its greatest value. */
export interface NumberField extends Field {
	typeOptions: { minValue: number; maxValue?: number };
	default: number;
}

/** Makes a field for a text, which is empty unless it has another default. */
export function textField(
	displayName: string,
	name: string,
	description: string,
	more: Partial<Field> = {},
): Field {
	return { displayName, name, type: 'string', default: '', description, ...more };
}

/** Makes a switch, which is off unless it has another default. */
export function switchField(
	displayName: string,
	name: string,
	description: string,
	more: Partial<Field> = {},
): Field {
	return { displayName, name, type: 'boolean', default: false, description, ...more };
}

/** What makes a field one whose value is chosen from a list of the service, or entered as an ID. */
export function listOrId(
	placeholder: string,
	searchListMethod: 'searchInboxes' | 'searchTemplates',
	id: Pick<INodePropertyMode, 'placeholder' | 'hint'>,
): Pick<Field, 'type' | 'default' | 'modes'> {
	const typeOptions = { searchListMethod, searchable: true };
	return {
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{ displayName: 'From List', name: 'list', type: 'list', placeholder, typeOptions },
			{ displayName: 'By ID', name: 'id', type: 'string', ...id },
		],
	};
}

/** The same fields, shown only while other fields have these values. */
export function showWhen(show: Record<string, string[]>, ...fields: Field[]): Field[] {
	return fields.map((field) => ({ ...field, displayOptions: { show } }));
}
