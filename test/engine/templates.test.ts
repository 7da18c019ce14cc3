/** Filling in templates: what the panel asks for, and what comes of it. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Fault, Service } from '../../sandbox/service/service.ts';
import { placeholderFields } from './editor.ts';
import type { EngineResult } from './engine.ts';
import { demoTeam, run, start, wordsOf } from './service.ts';
import { byId } from './writes.ts';

const ID = '10001';
const DATE = '2026-01-31T00:00:00.000Z';

/** A service whose first template has this text. */
async function withTemplate(body: string | undefined): Promise<Service> {
	const service = await start({ messages: 0 });
	const [template] = demoTeam(service).templates;
	if (template) template.body = body;
	return service;
}

/** Fills the first template with what someone entered in the panel. */
async function fill(
	body: string,
	value: IDataObject,
	{ leave = false, input = {} }: { leave?: boolean; input?: IDataObject } = {},
) {
	const names = Object.keys(value);
	const parameters: INodeParameters = {
		templateId: byId(ID),
		// As the panel stores it.
		values: {
			mappingMode: 'defineBelow',
			value: value as INodeParameters,
			matchingColumns: [],
			schema: names.map((id) => ({ id, displayName: id, required: true, type: 'string' })),
		},
		options: leave ? { missingValues: 'leave' } : {},
	};
	const service = await withTemplate(body);
	return await run(service, 'messageTemplate.fillIn', parameters, { input: [input] });
}

describe('the panel', () => {
	test('has a field for each placeholder of the template', async () => {
		const service = await withTemplate('{{ größe }}, {{größe}} and {{contact.firstName}}');
		const { fields } = await placeholderFields(service, { templateId: byId(ID) });
		expect(fields.map(({ id }) => id)).toEqual(['größe', 'contact.firstName']);
		expect(fields.map(({ displayName }) => displayName)).toEqual(['größe', 'contact.firstName']);
	});

	test('has no field, and says so, where the template has no placeholders', async () => {
		const service = await withTemplate('We are open');
		expect(await placeholderFields(service, { templateId: byId(ID) })).toEqual({
			fields: [],
			emptyFieldsNotice: 'This template has no placeholders',
		});
	});

	test.each([' ', '4711'])('asks for a template where there is none: "%s"', async (id) => {
		const service = await withTemplate('');
		expect(await placeholderFields(service, { templateId: byId(id) })).toEqual({
			fields: [],
			emptyFieldsNotice: expect.stringContaining('Choose an existing template'),
		});
		expect(service.received()).toHaveLength(id === ' ' ? 0 : 1);
	});
});

describe('the text', () => {
	test.each<[string, string, IDataObject, string]>([
		['a zero and a no', '{{a}} {{b}}', { a: 0, b: false }, '0 false'],
		['a date', '{{a}}', { a: '={{ DateTime.fromISO("2026-01-31", { zone: "utc" }) }}' }, DATE],
		['lists and objects as JSON', '{{a}}', { a: ['x', { y: 1 }] }, '["x",{"y":1}]'],
	])('takes %s', async (_what, body, value, text) => {
		const { json, error } = await fill(body, value);
		expect(error).toBeUndefined();
		expect(json).toEqual([{ templateId: 10_001, name: 'Appointment reminder', text, missing: [] }]);
	});

	test('takes expressions, whose values are not read as expressions again', async () => {
		const { json, hints } = await fill(
			'{{name}}: {{note}}',
			{ name: '={{ $json.name }}', note: '={{ $json.note }}' },
			{ input: { name: 'Null', note: '{{ 1 + 1 }} =1+1' } },
		);
		expect(json).toEqual([expect.objectContaining({ text: 'Null: {{ 1 + 1 }} =1+1' })]);
		// It may have been a placeholder for something else.
		expect(hints).toEqual([
			expect.stringMatching(/^The value of "note" has .*: \{\{ 1 \+ 1 \}\}$/),
		]);
	});

	test('is given with a notice about braces that are no placeholder', async () => {
		const { json, hints } = await fill('Hi {{name}, {{{name}}}', { name: 'Ada' });
		expect(json).toEqual([expect.objectContaining({ text: 'Hi {{name}, Ada' })]);
		expect(hints).toEqual([expect.stringContaining('no placeholder like {{name}}: {{name}.')]);
	});
});

describe('a placeholder without a value', () => {
	const body = 'Hi {{name}}, {{ time }} on {{date}}, {{name}}';

	test.each([
		['is missing or empty', { name: '', time: '8' }],
		['is blank', { name: ' ', time: '8', date: '={{ $json.nope }} ' }],
		['is no date', { name: '', time: '8', date: "={{ DateTime.fromISO('31/01/2026') }}" }],
		[
			'is a word for nothing',
			{ name: "={{ 'Ms ' + $json.nope }}", time: '8', date: "={{ '' + {} }}" },
		],
		['is no number', { name: '', time: '8', date: '={{ 1 * $json.nope }}' }],
		[
			'is an expression that gives nothing',
			{ name: '={{ $json.nope }}', time: '8', date: '={{ "" }}' },
		],
	])('stops with its name when it %s', async (_how, value) => {
		const result = await fill(body, value);
		expect(wordsOf(result)).toMatchObject({
			message: 'Missing values: name, date',
			description: expect.stringContaining('"Missing Values"'),
		});
	});

	test('stays as it stands by choice, and is named', async () => {
		const { json } = await fill(body, { time: '8' }, { leave: true });
		expect(json).toEqual([
			expect.objectContaining({
				text: 'Hi {{name}}, 8 on {{date}}, {{name}}',
				missing: ['name', 'date'],
			}),
		]);
	});
});

describe('the list of templates', () => {
	/** Fills the templates with these IDs, one for each item. */
	async function fillAll(service: Service, ids: unknown[]) {
		const parameters = {
			templateId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
			options: { missingValues: 'leave' },
		};
		const input = ids.map((id) => ({ id: String(id) }));
		return await run(service, 'messageTemplate.fillIn', parameters, {
			input,
			onError: 'continueRegularOutput',
		});
	}

	const filledIn = ({ json }: EngineResult) => json.map(({ templateId }) => templateId);

	test('is read once, whatever the items want of it', async () => {
		const service = await start({ messages: 0, templates: 400 });
		const ids = Array.from({ length: 400 }, (_, i) => 10_001 + ((i * 7) % 400));
		expect(filledIn(await fillAll(service, ids))).toEqual(ids);
		expect(service.received()).toHaveLength(8);
	});

	test('that fails for one item is read again for the next', async () => {
		const faults: Fault[] = [{ kind: 'status', status: 500, requests: { exactly: 1 } }];
		const service = await start({ messages: 0, templates: 120, faults });
		const result = await fillAll(service, [10_001, 10_051, 10_002]);
		expect(filledIn(result)).toEqual([undefined, 10_051, 10_002]);
		expect(service.received()).toHaveLength(1 + 3);
	});
});
