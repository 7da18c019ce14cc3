import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { optionsField } from '../../panel/options';
import { entryLike } from '../../panel/locators';
import type { Parameters } from '../../panel/parameters';
import { isObject, textOf } from '../../api/json';
import type { Item, Operation } from '../operation';
import { fillTemplate, placeholdersOf } from './template';
import { bodyOf, Templates } from './templates';

const ON_MISSING: INodeProperties = {
	displayName: 'Missing Values',
	name: 'missingValues',
	type: 'options',
	default: 'error',
	description: 'What to do when a placeholder has no value',
	options: [
		{
			name: 'Leave Placeholder',
			value: 'leave',
			description: 'Leave the placeholder in the text',
		},
		{
			name: 'Stop',
			value: 'error',
			description: 'Stop with an error that names the placeholder',
		},
	],
};

const templateId: INodeProperties = {
	displayName: 'Template',
	name: 'templateId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The template to fill in',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a template',
			typeOptions: { searchListMethod: 'searchTemplates', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 42',
			hint: 'The "id" in the output of Message Template: Get Many',
			validation: entryLike('\\d+', 'Not the ID of a template, which is a number'),
		},
	],
};

/** Fills the placeholders of a message template. Beyond the interface: nothing is sent. */
export const render: Operation = {
	option: {
		name: 'Fill In',
		value: 'render',
		action: 'Fill in message template',
		description:
			'Put values into the placeholders of a template and return the text. Nothing is sent.',
	},
	toolDescription:
		'Puts values into the placeholders of a message template and returns the text. Sends nothing.',
	writes: false,
	fields: [
		templateId,
		{
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
		},
		optionsField(ON_MISSING),
	],

	start() {
		let templates: Templates | undefined;
		return {
			async execute(item) {
				const { parameters } = item;
				const id = parameters.located('templateId', {
					label: 'Template',
					advice: 'Choose a template from the list, or enter its ID.',
				});
				templates ??= new Templates(item.client);
				const template = await templates.find(id);
				if (template) return fillIn(item, template);
				return parameters.fail(
					`There is no template with the ID ${id}`,
					'Choose a template from the list, or enter the "id" in the output of Message Template: Get Many. It may have been deleted, or belong to another team.',
				);
			},
		};
	},
};

function fillIn({ json, parameters }: Item, template: IDataObject): IDataObject {
	const body = bodyOf(template);
	const values = readValues(parameters, json);
	const missing = placeholdersOf(body).filter((name) => !values.has(name));
	if (missing.length > 0 && parameters.raw('options.missingValues') !== 'leave') {
		parameters.fail(
			`The template "${String(template.name)}" has no value for: ${missing.join(', ')}`,
			'Enter a value for each placeholder, or set "Missing Values" in the options to leave them.',
		);
	}
	return {
		templateId: template.id,
		name: template.name,
		text: fillTemplate(body, values),
		missing,
	};
}

function readValues(parameters: Parameters, input: IDataObject): Map<string, string> {
	const mapped = parameters.raw('values');
	// An expression gives the values themselves, the panel gives them with how they were mapped.
	const fromPanel = isObject(mapped) && 'mappingMode' in mapped ? mapped : undefined;
	const entered = fromPanel ? fromPanel.value : mapped;
	const values = fromPanel?.mappingMode === 'autoMapInputData' ? input : entered;
	return new Map(
		Object.entries(isObject(values) ? values : {}).flatMap(([name, value]) => {
			// What is no number comes of a calculation without a value.
			const isGap = value === undefined || value === null || value === '' || Number.isNaN(value);
			return isGap ? [] : [[name, write(value)] as const];
		}),
	);
}

function write(value: unknown): string {
	// A date is an object too, which JSON writes as text.
	const plain: unknown = typeof value === 'object' ? JSON.parse(JSON.stringify(value)) : value;
	return textOf(plain) ?? '';
}
