import type {
	ICredentialType,
	INodeProperties,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';

/** What the pages are made of. */
export interface Panels {
	action: INodeTypeDescription;
	trigger: INodeTypeDescription;
	polling: INodeTypeDescription;
	credential: ICredentialType;
}

type Entry = NonNullable<INodeProperties['options']>[number];

const MADE = '<!-- Made by `npm run docs` from the fields of the nodes. Do not edit. -->';

/**
 * The pages that list every field of the panel, by the names of their files: one for each resource, and one each
 * for the options that all operations have, the triggers and the credential.
 */
export function referencePages({
	action,
	trigger,
	polling,
	credential,
}: Panels): Map<string, string> {
	const { properties } = action;
	const operations = operationsOf(properties);
	const [first = [], ...others] = operations.map(({ rows }) => rows);
	const everywhere = first.filter((row) => others.every((rows) => rows.includes(row)));
	const pages = new Map<string, string[]>();
	for (const resource of choicesOf(properties.find(({ name }) => name === 'resource'))) {
		pages.set(`${resource.name.toLowerCase().replace(/[^a-z]+/g, '-')}.md`, [
			`# ${resource.name}: all fields`,
			`${sentence(resource.description)} Every operation also has [these options](options.md). Add an option that turns something on, and then turn it on.`,
			...operations
				.filter((each) => each.resource === resource.value)
				.flatMap(({ option, rows, toolFields }) => [
					`## ${option.name}`,
					`${sentence(option.description)} In n8n's list of actions: _${option.action}_.`,
					table(rows.filter((row) => !everywhere.includes(row))),
					...toolSection(toolFields),
				]),
		]);
	}
	pages.set('options.md', ['# Options of every operation', OPTIONS, table(everywhere)]);
	pages.set('trigger.md', ['# Trigger: all fields', ...triggerSections(trigger)]);
	pages.set('polling-trigger.md', ['# Polling trigger: all fields', ...triggerSections(polling)]);
	pages.set('credential.md', [
		'# Credential: all fields',
		`The credential is called **${credential.displayName}** in n8n.`,
		table(rowsOf(credential.properties)),
		'n8n itself adds **Allowed HTTP Request Domains**, for its nodes HTTP Request and GraphQL. They can use this credential only for the address in **Base URL**, whatever you choose there; _None_ forbids it altogether.',
	]);
	return new Map([...pages].map(([file, parts]) => [file, `${[MADE, ...parts].join('\n\n')}\n`]));
}

const OPTIONS =
	'Add them under **Options** in the Messaging Service node. **Preset** is what a field contains when you open or add it. Without the option, the node uses the same value, unless the field says otherwise.';

interface Operation {
	resource: string;
	option: INodePropertyOptions;
	/** Lines of the table of its fields. */
	rows: string[];
	/** Fields that only a tool of an AI agent has. */
	toolFields: INodeProperties[];
}

function operationsOf(properties: INodeProperties[]): Operation[] {
	return properties
		.filter(({ name }) => name === 'operation')
		.flatMap((dropdown) => {
			const resource = String(shownFor(dropdown, 'resource')[0]);
			return choicesOf(dropdown).map((option) => {
				const fields = properties.filter(
					(field) =>
						shownFor(field, 'resource').includes(resource) &&
						shownFor(field, 'operation').includes(option.value),
				);
				const isForTools = (field: INodeProperties) => shownFor(field, '@tool').length > 0;
				const rows = rowsOf(fields.filter((field) => !isForTools(field)));
				return { resource, option, rows, toolFields: fields.filter(isForTools) };
			});
		});
}

function shownFor({ displayOptions }: INodeProperties, parameter: string): unknown[] {
	return displayOptions?.show?.[parameter] ?? [];
}

/** What the model is told comes first; the fields that are only there for tools follow. */
function toolSection(fields: INodeProperties[]): string[] {
	const told = fields.find(({ name }) => name === 'toolDescription');
	if (!told) return [];
	const others = fields.filter((field) => field !== told && !isNotice(field));
	return [
		`As a tool of an AI agent, the model is told under **${told.displayName}**: ${cell(String(told.default))}`,
		...(others.length > 0 ? [table(rowsOf(others))] : []),
		...noticesIn(fields),
	];
}

function isNotice({ type }: INodeProperties): boolean {
	return type === 'notice';
}

function noticesIn(fields: INodeProperties[]): string[] {
	return fields.filter(isNotice).map((field) => quote(field.displayName));
}

function triggerSections({ displayName, description, properties }: INodeTypeDescription): string[] {
	return [
		`The node is called **${displayName}** in n8n. n8n's list of nodes says: ${description}`,
		table(rowsOf(properties.filter((field) => !isNotice(field)))),
		...(properties.some(isNotice) ? ['## Notes in the panel', ...noticesIn(properties)] : []),
	];
}

/** A line of a table for each field, and for each member of a collection by the name of both. */
function rowsOf(fields: INodeProperties[], path = '', panel = fields): string[] {
	return fields.flatMap((field) => {
		const name = path ? `${path}: ${field.displayName}` : field.displayName;
		const members = membersOf(field);
		const text = [conditionOf(field, [...panel, ...fields]), textOf(field)]
			.filter(Boolean)
			.join(' ');
		const cells = [`**${name}**`, text, defaultOf(field)].map(cell);
		const rows = rowsOf(members, name, panel);
		return members.length > 0 && !text ? rows : [`| ${cells.join(' | ')} |`, ...rows];
	});
}

/** When a field is there, if that depends on another one. */
function conditionOf({ displayOptions }: INodeProperties, panel: INodeProperties[]): string {
	return Object.entries(displayOptions?.show ?? {})
		.flatMap(([parameter, values]) => {
			const other = panel.find(({ name }) => name === parameter.replace('/', ''));
			if (!other || ['resource', 'operation'].includes(other.name)) return [];
			const choices = choicesOf(other)
				.filter(({ value }) => values?.includes(value))
				.map(({ name }) => name);
			const named = choices.length > 0 ? choices.join(', ') : values?.includes(true) ? 'on' : 'off';
			return [`(With **${other.displayName}**: ${named}.)`];
		})
		.join(' ');
}

function membersOf({ options = [] }: INodeProperties): INodeProperties[] {
	return options.flatMap((option) =>
		'values' in option ? option.values : 'displayName' in option ? [option] : [],
	);
}

function choicesOf(field?: INodeProperties): INodePropertyOptions[] {
	return (field?.options ?? []).filter(
		(option: Entry): option is INodePropertyOptions => 'value' in option,
	);
}

/** What the panel says of a field. The placeholder of a collection is only the word on its button. */
function textOf(field: INodeProperties): string {
	const { type, description, hint, placeholder, typeOptions, modes = [] } = field;
	const { valuesLabel } = typeOptions?.resourceMapper ?? {};
	return [
		sentence(description),
		sentence(hint),
		placeholder && !/collection$/i.test(type) && code(placeholder),
		valuesLabel && sentence(valuesLabel),
		...modes.map((mode) =>
			entry(mode.displayName, [mode.hint, mode.placeholder && code(mode.placeholder)]),
		),
		...choicesOf(field).map(({ name, description: text }) => entry(name, [text])),
	]
		.filter(Boolean)
		.join(' ')
		.replaceAll(' <br />', '<br />');
}

function entry(name: string, texts: Array<string | undefined>): string {
	const text = texts.filter(Boolean).join('. ');
	return `<br />• **${name}**${text ? `: ${text}` : ''}`;
}

function defaultOf(field: INodeProperties): string {
	const { default: value, type } = field;
	if (type === 'boolean') return value === true ? 'on' : 'off';
	const choice = choicesOf(field).find((each) => each.value === value);
	if (choice) return choice.name;
	if (typeof value === 'string' && value !== '') return code(value);
	return typeof value === 'number' ? value.toLocaleString('en') : '';
}

function code(text: string): string {
	return `\`${text}\``;
}

/** A text that ends like a sentence. */
function sentence(text = ''): string {
	return text === '' || /[.:!?]$/.test(text) ? text : `${text}.`;
}

function table(rows: string[]): string {
	return ['| Field | What it is | Preset |', '| --- | --- | --- |', ...rows]
		.join('\n')
		.replaceAll('|  |', '| |');
}

function cell(text: string): string {
	return plain(text).replaceAll('|', '\\|').replace(/\n/g, ' ');
}

function quote(text: string): string {
	return `> ${plain(text.replace(/<\/?ul>/g, ' '))
		.replace(/\s+/g, ' ')
		.trim()}`;
}

/** HTML of the panel as text; what Markdown would take for its own stays as it is. */
function plain(text: string): string {
	return text
		.replace(/<\/?(?:b|i|code|a)(?: [^>]*)?>/g, '')
		.replace(/<br \/>(?!•)/g, ' ')
		.replace(/\\n/g, '`\\n`')
		.replace(/`[^`]*`|_/g, (part) => (part === '_' ? '\\_' : part));
}
