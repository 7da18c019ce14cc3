/** n8n's UX guidelines, as far as a test can tell, for everything that the panel of the action node says. */
import {
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
	NodeHelpers,
} from 'n8n-workflow';

import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import codex from '../../../nodes/MessagingService/MessagingService.node.json';

type Entry = INodeProperties | INodePropertyOptions | INodePropertyCollection;

const { description: node } = new MessagingService();
const all = node.properties.flatMap(withInner);
/** What has a label. That of a notice is its text. */
const labelled = all.filter(({ type }) => type !== 'notice');
const named = (name: string) => all.filter((property) => property.name === name);
const operations = named('operation').flatMap(({ options = [] }) => options.filter(isOption));
const choices = all.flatMap(({ options = [] }) => options.filter(isOption));
const locators = all.flatMap(({ modes = [] }) => modes);

/** A property and the properties in it. */
function withInner(property: INodeProperties): INodeProperties[] {
	return [property, ...(property.options ?? []).filter(isProperty).flatMap(withInner)];
}

function isProperty(entry: Entry): entry is INodeProperties {
	return 'displayName' in entry && 'type' in entry;
}

function isOption(entry: Entry): entry is INodePropertyOptions {
	return 'value' in entry;
}

/** All texts of some kind, each once. */
function texts(values: Array<string | undefined>): string[] {
	return [...new Set(values.filter((value) => value !== undefined && value !== ''))].map(String);
}

const SMALL_WORDS = ['a', 'an', 'and', 'for', 'from', 'in', 'of', 'on', 'or', 'per', 'the', 'to'];

function isTitleCase(text: string): boolean {
	return text
		.split(/[\s-]/)
		.every((word, index) => /^[A-Z0-9]/.test(word) || (index > 0 && SMALL_WORDS.includes(word)));
}

function isSentenceCase(text: string): boolean {
	const [first = '', ...others] = text.split(' ');
	return /^[A-Z]/.test(first) && others.every((word) => !/^[A-Z][a-z]/.test(word));
}

test.each(
	texts([...labelled.map(({ displayName }) => displayName), ...choices.map(({ name }) => name)]),
)('the label "%s" is in title case', (label) => expect(isTitleCase(label)).toBe(true));

describe('the operation', () => {
	test.each(operations)(
		'$name has an action in sentence case, without articles',
		({ action = '' }) => {
			expect(isSentenceCase(action)).toBe(true);
			expect(action).not.toMatch(/\b(a|an|the)\b/i);
		},
	);

	test.each(operations)('$name ($value) has a description that says more', (operation) => {
		expect(operation.description).not.toBe(operation.action);
		expect(String(operation.description).split(' ').length).toBeGreaterThan(5);
	});

	test('is preselected for every resource', () => {
		for (const { options = [], default: value } of named('operation')) {
			expect(options.filter(isOption).map((option) => option.value)).toContain(value);
		}
	});

	test('has a subtitle in the words of the panel', () => {
		const [resource] = named('resource');
		for (const { options = [], displayOptions } of named('operation')) {
			const [value] = displayOptions?.show?.resource ?? [];
			const { name } =
				resource?.options?.filter(isOption).find((each) => each.value === value) ?? {};
			for (const option of options.filter(isOption)) {
				expect(node.subtitle).toContain(
					`${JSON.stringify(`${value}:${option.value}`)}:${JSON.stringify(`${name}: ${option.name}`)}`,
				);
			}
		}
	});
});

describe('dropdowns', () => {
	const dropdowns = all.filter(({ type }) => type === 'options' || type === 'multiOptions');

	test.each(dropdowns.filter(({ name }) => name !== 'output'))(
		'$name are in alphabetical order',
		({ options = [] }) => {
			const names = options.filter(isOption).map(({ name }) => name);
			expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b)));
		},
	);

	test('for resource and operation take no expression', () => {
		for (const { noDataExpression } of [...named('resource'), ...named('operation')]) {
			expect(noDataExpression).toBe(true);
		}
	});
});

test.each(all.filter(({ type }) => type === 'boolean'))('$name says "Whether"', (property) => {
	expect(property.description).toMatch(/^Whether /);
});

test.each(
	texts([
		...all.map(({ placeholder }) => placeholder),
		...locators.map((mode) => mode.placeholder),
	]),
)('the placeholder "%s" is an example or an invitation', (placeholder) => {
	expect(placeholder).toMatch(/^(e\.g\. |Add |Choose )/);
});

test.each(
	texts([
		...all.map((property) => property.description),
		...all.map(({ hint }) => hint),
		...choices.map((option) => option.description),
		...locators.map(({ hint }) => hint),
		node.description,
	]),
)('"%s" begins like a sentence and ends like one only if there are several', (text) => {
	expect(text).toMatch(/^[A-Z]/);
	expect(text.endsWith('.')).toBe(/[.:] [A-Z]/.test(text.replace(/: (Get|Create)/g, '')));
	expect(text).not.toMatch(/\p{Extended_Pictographic}/u);
});

test('every field that is not plain is described', () => {
	const plain = ['resource', 'operation', 'options', 'filters', 'additionalFields', 'values'];
	const silent = labelled.filter(({ name, description }) => !description && !plain.includes(name));
	expect(texts(silent.map(({ name }) => name))).toEqual(['firstName', 'lastName']);
});

test('what can be picked is picked from a list first', () => {
	for (const { modes = [], default: value } of all.filter(
		(each) => each.type === 'resourceLocator',
	)) {
		expect(Object(value).mode).toBe(modes[0]?.name);
		if (modes.some(({ type }) => type === 'list')) expect(modes[0]?.name).toBe('list');
		for (const mode of modes) {
			// Anything but a list is checked while it is typed, and says where to find it.
			if (mode.type !== 'list') {
				expect(mode).toMatchObject({ hint: expect.any(String), validation: [expect.anything()] });
			}
		}
	}
});

test('a new node has no other issues than what is still to be filled in', () => {
	for (const { options = [], displayOptions } of named('operation')) {
		const [resource = ''] = displayOptions?.show?.resource ?? [];
		for (const { value } of options.filter(isOption)) {
			const parameters = NodeHelpers.getNodeParameters(
				node.properties,
				{ resource: String(resource), operation: String(value) },
				true,
				false,
				null,
				node,
			);
			const issues = NodeHelpers.getNodeParametersIssues(
				node.properties,
				{
					id: '1',
					name: 'Node',
					type: node.name,
					typeVersion: 1,
					position: [0, 0],
					parameters: parameters ?? {},
				},
				node,
			);
			const required = all.filter((property) => property.required).map(({ name }) => name);
			expect(required).toEqual(expect.arrayContaining(Object.keys(issues?.parameters ?? {})));
		}
	}
});

test('the options of Fill In are those that it needs', () => {
	const [{ options = [] } = {}] = named('options').filter(({ displayOptions }) =>
		displayOptions?.show?.operation?.includes('render'),
	);
	expect(options.map(({ name }) => name).sort()).toEqual([
		'maxRetries',
		'missingValues',
		'timeout',
	]);
});

describe('the search for nodes', () => {
	test('finds the node by what people look for', () => {
		const words = [node.displayName, ...codex.alias].join('\n');
		expect(words).toMatch(/sms/i);
		expect(words).toMatch(/lead/i);
		expect(words).toMatch(/otp/i);
	});

	test('is not kept from the node: n8n lists those of the category "AI" elsewhere', () => {
		expect(codex.categories).not.toContain('AI');
		expect(codex.node).toBe('n8n-nodes-messaging-service.messagingService');
	});
});
