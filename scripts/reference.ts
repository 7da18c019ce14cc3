import type {
	ICredentialType,
	INodeProperties,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';

/** What the pages are made of. */
export interface Panels {
	action: INodeTypeDescription;
	triggers: INodeTypeDescription[];
	credential: ICredentialType;
}

/** A heading, and a table of fields below some words. */
interface Section {
	heading: string;
	words: string;
	rows: string[];
}

/** A trigger with more rows has a page of its own for the members of its collections. */
const MOST_ROWS = 20;

/** The pages that list every field of the panel, but those that only tools of AI agents have, by the names of their files. */
export function referencePages({ action, triggers, credential }: Panels): Record<string, string> {
	const operations = operationsOf(action.properties);
	const [first = [], ...others] = operations.map(({ rows }) => rows);
	const everywhere = first.filter((row) => others.every((rows) => rows.includes(row)));
	const sections: Section[] = [
		...operations.map(({ rows, ...section }) => ({
			...section,
			rows: rows.filter((row) => !everywhere.includes(row)),
		})),
		{
			heading: 'Options of every operation',
			words: 'Add them under **Options**.',
			rows: everywhere,
		},
		...triggers.flatMap(({ displayName, properties }) => triggerSections(displayName, properties)),
		{
			heading: 'Credential',
			words:
				'n8n itself adds **Allowed HTTP Request Domains**, for its nodes HTTP Request and GraphQL. They can use this credential only for the address in **Base URL**, whatever you choose there; _None_ forbids it altogether.',
			rows: rowsOf(credential.properties),
		},
	];
	const list = sections.map(({ heading }) => `- [${heading}](${fileOf(heading)})`).join('\n');
	return Object.fromEntries([
		['README.md', pageOf('All fields', PRESET, list)],
		...sections.map(({ heading, words, rows }) => [
			fileOf(heading),
			pageOf(heading, words, table(rows)),
		]),
	]);
}

const PRESET =
	'**Preset** is what a field contains when you open or add it. Without an option, the node uses the same value, unless the field says otherwise. Add an option that turns something on, and then turn it on.';

function pageOf(heading: string, ...parts: string[]): string {
	const note = '<!-- Made by `npm run docs` from the fields of the nodes. Do not edit. -->';
	return [note, `# ${heading}`, ...parts].join('\n\n').concat('\n');
}

function fileOf(heading: string): string {
	const words = heading.toLowerCase().replace(/[^a-z -]/g, '');
	return `${words.replaceAll(' ', '-')}.md`;
}

function triggerSections(heading: string, properties: INodeProperties[]): Section[] {
	const words = 'See also [the trigger](../trigger.md) and [polling](../polling-trigger.md).';
	const rows = rowsOf(properties);
	if (rows.length <= MOST_ROWS) return [{ heading, words, rows }];
	const isMember = (row: string) => /^\| \*\*[^*]*: /.test(row);
	return [
		{ heading, words, rows: rows.filter((row) => !isMember(row)) },
		{ heading: `${heading}: options and settings`, words, rows: rows.filter(isMember) },
	];
}

function operationsOf(properties: INodeProperties[]): Section[] {
	const resources = choicesOf(properties.find(({ name }) => name === 'resource'));
	const dropdowns = properties.filter(({ name }) => name === 'operation');
	return resources.flatMap((resource) =>
		dropdowns
			.filter((dropdown) => isShownFor(dropdown, 'resource', resource.value))
			.flatMap(choicesOf)
			.map((operation) => {
				const fields = properties.filter(
					(field) =>
						isShownFor(field, 'resource', resource.value) &&
						isShownFor(field, 'operation', operation.value) &&
						!isShownFor(field, '@tool', true),
				);
				const heading = `${resource.name}: ${operation.name}`;
				return { heading, words: sentence(operation.description), rows: rowsOf(fields) };
			}),
	);
}

function isShownFor({ displayOptions }: INodeProperties, parameter: string, value: unknown) {
	const values: unknown[] = displayOptions?.show?.[parameter] ?? [];
	return values.includes(value);
}

/** A line of a table for each field, and for each member of a collection by the name of both. */
function rowsOf(fields: INodeProperties[], path = '', panel = fields): string[] {
	return fields
		.filter(({ type }) => type !== 'notice')
		.flatMap((field) => {
			const name = path ? `${path}: ${field.displayName}` : field.displayName;
			const members = membersOf(field);
			const text = [...conditionsOf(field, [...panel, ...fields]), textOf(field)]
				.filter(Boolean)
				.join(' ');
			const cells = [`**${name}**`, text, defaultOf(field)].map(cell);
			const rows = rowsOf(members, name, panel);
			return members.length > 0 && !text ? rows : [`| ${cells.join(' | ')} |`, ...rows];
		});
}

/** When a field is there, if that depends on others. */
function conditionsOf({ displayOptions }: INodeProperties, panel: INodeProperties[]): string[] {
	return Object.entries(displayOptions?.show ?? {}).flatMap(([parameter, values = []]) => {
		const other = panel.find(({ name }) => name === parameter.replace('/', ''));
		if (!other || ['resource', 'operation'].includes(other.name)) return [];
		const choices = choicesOf(other).filter(({ value }) => values.includes(value));
		const names = choices.map(({ name }) => name).join(', ');
		return [`(With **${other.displayName}**: ${names || (values.includes(true) ? 'on' : 'off')}.)`];
	});
}

function membersOf({ options = [] }: INodeProperties): INodeProperties[] {
	return options.flatMap((option) =>
		'values' in option ? option.values : 'displayName' in option ? [option] : [],
	);
}

function choicesOf(field?: INodeProperties): INodePropertyOptions[] {
	return (field?.options ?? []).filter((option) => 'value' in option);
}

/** What the panel says of a field. The placeholder of a collection is only the word on its button. */
function textOf(field: INodeProperties): string {
	const { type, description, hint, placeholder, modes = [] } = field;
	return [
		sentence(description),
		sentence(hint),
		placeholder && !/collection$/i.test(type) && code(placeholder),
		...modes.map((mode) => entry(mode.displayName, mode.hint, mode.placeholder)),
		...choicesOf(field).map((choice) => entry(choice.name, choice.description)),
	]
		.filter(Boolean)
		.join(' ')
		.replaceAll(' <br />', '<br />');
}

function entry(name: string, text?: string, example?: string): string {
	const words = [text, example && code(example)].filter(Boolean).join('. ');
	return `<br />• **${name}**${words ? `: ${words}` : ''}`;
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
		.replace(/\| {2}(?=\|)/g, '| ');
}

/** HTML of the panel as text in a cell; what Markdown would take for its own stays as it is. */
function cell(text: string): string {
	return text
		.replace(/<\/?(?:b|i|code|a)(?: [^>]*)?>/g, '')
		.replace(/<br \/>(?!•)/g, ' ')
		.replace(/\\n/g, '`\\n`')
		.replace(/`[^`]*`|_/g, (part) => (part === '_' ? '\\_' : part))
		.replaceAll('|', '\\|')
		.replace(/\n/g, ' ');
}
