/** A name is what the panel says: each parameter is called as its label. And the panels stay small. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { MessagingServiceApi } from '../../credentials/MessagingServiceApi.credentials';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { MessagingServicePollingTrigger } from '../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node';
import { ROOT } from '../../sandbox/n8n/paths.ts';

/** The fields of each panel. */
const panels = {
	'the action node': new MessagingService().description.properties,
	'the trigger': new MessagingServiceTrigger().description.properties,
	'the polling trigger': new MessagingServicePollingTrigger().description.properties,
	'the credential': new MessagingServiceApi().properties,
};

/** Where the name and the label differ, as in the panel: the name with that of its collection, the label, and why. */
const EXCEPTIONS: Array<[name: string, label: string, reason: string]> = [
	['toolDescription', 'Description', 'n8n has this name and this label for every tool'],
	['simple', 'Simplify', 'n8n has this name and this label in its own nodes'],
	['direction', 'Trigger On', "n8n's list of nodes shows the choices of a field with this label"],
	[
		'webhook',
		'Agent Webhook',
		'there are webhooks of several kinds, and the label says whose it is',
	],
	['payloadMode', 'Payload', 'the label heads the payload, and the value says how that is entered'],
	['filters.inboxIds', 'Inboxes', 'one chooses inboxes, and the value is their IDs'],
	['templateId', 'Template', 'one chooses a template, and the value is its ID'],
	['waitMinutes', 'Minutes to Wait', 'the label is a phrase'],
	['secretIn', 'Secret Location', 'the name goes on with its value: in the header, in the query'],
	['options.deliveryField', 'Delivery ID Field', 'the label says that an ID is in that field'],
];

/** A field, or a collection of some. */
interface Entry {
	/** With that of the collection that it is in. */
	name: string;
	label: string;
	isCollection: boolean;
}

const isField = (
	option: INodePropertyOptions | INodeProperties | INodePropertyCollection,
): option is INodeProperties => 'type' in option;

/** The fields and collections, as often as they are in the panel: several operations have one of the same name. */
function entriesOf(properties: INodeProperties[], collection = ''): Entry[] {
	return properties
		.filter(({ type }) => type !== 'notice')
		.flatMap(({ name, displayName, type, options = [] }) => {
			const isCollection = type === 'collection' || type === 'fixedCollection';
			const entry = { name: collection + name, label: displayName, isCollection };
			return isCollection ? [entry, ...entriesOf(options.filter(isField), `${name}.`)] : [entry];
		});
}

/** A label as a name: "Inbox IDs Format" is inboxIdsFormat. */
function toName(label: string): string {
	const [first = '', ...others] = label.toLowerCase().split(/[^a-z0-9]+/);
	return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Those that are not called as their label, each once. */
const differing = Object.values(panels)
	.flatMap((properties) => entriesOf(properties))
	.filter(({ name, label }) => name.split('.').at(-1) !== toName(label))
	.map(({ name, label }) => `${name}: ${label}`);

test('each parameter of the nodes and the credential is called as its label, but for the exceptions', () => {
	const known = EXCEPTIONS.map(([name, label]) => `${name}: ${label}`);
	expect(differing.filter((each) => !known.includes(each))).toEqual([]);
});

test.each(EXCEPTIONS)('the exception %s is needed, labelled "%s": %s', (name, label) => {
	expect(differing).toContain(`${name}: ${label}`);
});

const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

/** Words in quotation marks that are no labels of these panels: n8n's own, those of HTTP, and an example. */
const NO_LABELS = [
	...['Continue (using error output)', 'Execute step', 'Executions', 'Expression', 'On Error'],
	...['String', 'Webhook URLs', 'Bearer', 'Content-Encoding', 'Nathan'],
];

/** The labels of fields and of their choices. */
function labelsOf({ displayName, name, options = [] }: Partial<INodeProperties>): string[] {
	return [displayName ?? name ?? '', ...options.flatMap((option) => labelsOf(option))];
}

test('a text of the package that names a field or a choice calls it by its label', () => {
	const nodes = join(ROOT, 'nodes');
	const labels = new Set(Object.values(panels).flat().flatMap(labelsOf));
	const quoted = readdirSync(nodes, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts') && !file.endsWith('.types.ts'))
		.map((file) => readFileSync(join(nodes, file), 'utf8').replace(COMMENT, ''))
		.flatMap((code) => [...code.matchAll(/"([A-Z][\w-]*(?: [\w()-]+)*)"/g)])
		.map(([, words = '']) => words);
	expect(quoted.filter((words) => !labels.has(words) && !NO_LABELS.includes(words))).toEqual([]);
	expect(NO_LABELS.filter((words) => !quoted.includes(words))).toEqual([]);
	expect(quoted.length).toBeGreaterThan(40);
});

// A field counts once for each place where it can be: at the top, or in one of the collections. So one that several
// operations have is one field, and one that is in Options here and in Filters there is two. Collections and notices
// are none, and neither are the choices of a dropdown.
test.each<[panel: keyof typeof panels, most: number]>([
	['the action node', 51],
	['the trigger', 23],
	['the credential', 13],
])('%s has %i fields at most', (panel, most) => {
	const fields = entriesOf(panels[panel]).filter(({ isCollection }) => !isCollection);
	const count = new Set(fields.map(({ name }) => name)).size;
	expect(count).toBeGreaterThan(0);
	expect(count).toBeLessThanOrEqual(most);
});
