import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { asObject } from '../../api/json';
import { templatesOf } from '../../api/listEndpoints';
import { MINUTE_MS } from '../../api/time';
import { dropdown, type Field, listOrId, nameOf } from '../../panel/field';
import { findPlaceholder, isNothing, type ItemParameters } from '../../panel/itemParameters';
import { optionsField } from '../../panel/options';
import { readEntries } from '../lists';
import type { ReadOperation, Run } from '../operation';
import {
	fillTemplate,
	findOddBraces,
	pickTemplate,
	placeholdersOf,
	type Template,
} from './template';

/** Milliseconds for reading all templates. */
const MAX_READING = 2 * MINUTE_MS;

const missingValuesField = dropdown({
	displayName: 'Missing Values',
	name: 'missingValues',
	default: 'stop',
	description: 'What to do when a placeholder has no value',
	options: [
		{ name: 'Leave Placeholder', value: 'leave', description: 'Leave the placeholder as it is' },
		{
			name: 'Stop',
			value: 'stop',
			description: 'Stop with an error that names the placeholder',
		},
	],
});

const templateIdField: Field = {
	displayName: 'Template',
	name: 'templateId',
	required: true,
	description: 'The template to fill in',
	hint: 'Nothing is sent. To send the text, add it to the Payload of Agent: Start.',
	advice: 'Choose a template from the list.',
	...listOrId('Choose a template', 'searchTemplates', {
		placeholder: 'e.g. 42',
		hint: 'The "id" in the output of Message Template: Get Many',
	}),
};

const valuesField: Field = {
	displayName: 'Values',
	name: 'values',
	type: 'resourceMapper',
	noDataExpression: true,
	default: { mappingMode: 'defineBelow', value: null },
	typeOptions: {
		loadOptionsDependsOn: ['templateId.value'],
		resourceMapper: {
			resourceMapperMethod: 'getPlaceholders',
			mode: 'map',
			valuesLabel: 'Values for the placeholders',
			fieldWords: { singular: 'placeholder', plural: 'placeholders' },
			addAllFields: true,
			supportAutoMap: false,
		},
	},
};

/** Fills the placeholders of a message template. Not an endpoint of the interface: nothing is sent. */
export const fillIn: ReadOperation = {
	option: {
		name: 'Fill In',
		value: 'fillIn',
		action: 'Fill in message template',
		description: 'Put values into the placeholders of a template and return the text',
	},
	toolDescription:
		'Puts values into the placeholders of a message template and returns the text. Sends nothing.',
	writes: false,
	fields: [templateIdField, valuesField, optionsField(missingValuesField)],

	async execute({ client, parameters }, run) {
		const id = parameters.requiredText(templateIdField);
		const list = {
			client: client.within(MAX_READING),
			endpoint: templatesOf(client.account),
			// To its end, since the time for it has begun: whoever comes later may want a template behind this one.
			limit: Infinity,
		};
		const [template] = await readEntries(run, list, (templates) => pickTemplate(templates, id));
		if (template) return fill(parameters, template, run);
		return parameters.fail(
			`There is no template with the ID ${id}`,
			`It may have been deleted, or belong to another team. ${templateIdField.advice}`,
		);
	},
};

function fill(
	parameters: ItemParameters,
	{ id, name, body }: Template,
	{ rawParameters, notices }: Run,
): IDataObject {
	const odd = findOddBraces(body);
	if (odd !== undefined) {
		notices.add(
			`The template "${String(name)}" has braces that are no placeholder like {{name}}: ${odd}. Correct it at the service.`,
		);
	}
	const values = readValues(parameters, rawParameters);
	for (const [placeholder, value] of values) {
		const left = findPlaceholder(value);
		if (left === undefined) continue;
		notices.add(`The value of "${placeholder}" has a placeholder that was not filled in: ${left}`);
	}
	const missing = placeholdersOf(body).filter((placeholder) => !values.has(placeholder));
	if (missing.length > 0 && parameters.options.choice(missingValuesField) === 'stop') {
		parameters.fail(
			`Missing values: ${missing.join(', ')}`,
			`Placeholders of "${String(name)}" have no value, or one in which something is missing. Enter a value for each, or set the option "${missingValuesField.displayName}" to "${nameOf(missingValuesField, 'leave')}".`,
		);
	}
	return { templateId: id, name, text: fillTemplate(body, values), missing };
}

/** Reads the values by placeholder name, without those that are empty or in which something is missing. */
function readValues(
	parameters: ItemParameters,
	rawParameters: INodeParameters,
): Map<string, string> {
	const valuesOf = (mapped: unknown) => asObject(asObject(mapped).value);
	const written = valuesOf(rawParameters[valuesField.name]);
	const values = new Map<string, string>();
	for (const [name, value] of Object.entries(valuesOf(parameters.value(valuesField)))) {
		const text = toPlainText(value);
		const gap = parameters.findGap(text, written[name]);
		// A placeholder in a value is no gap of the template.
		const hasNoGap = gap === undefined || gap === findPlaceholder(text);
		if (hasNoGap && !isNothing(value)) values.set(name, text);
	}
	return values;
}

/** Converts a value to text, an object to JSON. The JSON of a date is a quoted text, so the quotes are removed. */
function toPlainText(value: unknown): string {
	return typeof value === 'object' ? JSON.stringify(value).replace(/^"|"$/g, '') : String(value);
}
