/** Filling in templates: what the panel asks for, and what comes of it. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Fault, Service } from '../../sandbox/service/service.ts';
import { placeholderFields } from './editor.ts';
import type { EngineResult } from './engine.ts';
import { demoTeam, run, start, wordsOf } from './service.ts';
import { byId } from './writes.ts';

const ID = '10001';

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
	return await run(service, 'messageTemplate.render', parameters, { input: [input] });
}

describe('the panel', () => {
	test.each([
		['{{ first name }}, {{first name}} and {{name}}', ['first name', 'name']],
		[
			'{{größe}} {{名前}} {{contact.firstName}} {{invoice-id}}',
			['größe', '名前', 'contact.firstName', 'invoice-id'],
		],
	])('has a field for each placeholder of %j', async (body, names) => {
		const service = await withTemplate(body);
		const { fields } = await placeholderFields(service, { templateId: byId(ID) });

		expect(fields.map(({ id }) => id)).toEqual(names);
		expect(fields.map(({ displayName }) => displayName)).toEqual(names);
	});

	test.each<[string, string | undefined, string]>([
		['This template has no placeholders', 'We are open', ID],
		['This template has no placeholders', undefined, ID],
		['Choose a template first', undefined, ' '],
		['There is no template with this ID', undefined, '4711'],
	])('says: %s (%j, ID "%s")', async (emptyFieldsNotice, body, id) => {
		const service = await withTemplate(body);
		expect(await placeholderFields(service, { templateId: byId(id) })).toEqual({
			fields: [],
			emptyFieldsNotice,
		});
		expect(service.received()).toHaveLength(id === ' ' ? 0 : 1);
	});
});

describe('the text', () => {
	test.each<[string, string, IDataObject, string]>([
		['every place of a name', '{{größe}}, {{ größe }} and {{größe}}', { größe: 'L' }, 'L, L and L'],
		['what looks like an expression', '{{a}}', { a: '{{ $json.secret }}' }, '{{ $json.secret }}'],
		['a zero and a no', '{{a}} {{b}}', { a: 0, b: false }, '0 false'],
		['lists and objects as JSON', '{{a}}', { a: ['x', { y: 1 }] }, '["x",{"y":1}]'],
	])('takes %s', async (_what, body, value, text) => {
		const { json, error } = await fill(body, value);
		expect(error).toBeUndefined();
		expect(json).toEqual([{ templateId: 10_001, name: 'Appointment reminder', text, missing: [] }]);
	});

	test('takes expressions, whose values are not read as expressions again', async () => {
		const { json } = await fill(
			'{{name}}: {{note}}',
			{ name: '={{ $json.name }}', note: '={{ $json.note }}' },
			{ input: { name: 'Ada', note: '{{ 1 + 1 }} =1+1' } },
		);
		expect(json).toEqual([expect.objectContaining({ text: 'Ada: {{ 1 + 1 }} =1+1' })]);
	});
});

describe('a placeholder without a value', () => {
	const body = 'Hi {{name}}, {{ time }} on {{date}}, {{name}}';

	test.each([
		['is missing', { time: '8' }],
		['is empty', { name: '', time: '8', date: null }],
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
		return await run(service, 'messageTemplate.render', parameters, {
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

	test.each([
		[1, [], 'The messaging service reported a server error', 1],
		[2, [10_001, 10_110, 10_050], 'Missing from the list: page 2.', 3],
	])(
		'that fails at page %i fails the items whose template is missing',
		async (page, ids, words, requests) => {
			const faults: Fault[] = [{ kind: 'status', status: 500, requests: { exactly: page } }];
			const service = await start({ messages: 0, templates: 120, faults });
			const result = await fillAll(service, [10_001, 10_110, 10_050, 10_051]);
			expect(filledIn(result).filter(Boolean)).toEqual(ids);
			expect(result.json).toHaveLength(4);
			for (const { templateId, error, errorDescription } of result.json) {
				if (templateId === undefined) expect(`${error} ${errorDescription}`).toContain(words);
			}
			expect(service.received()).toHaveLength(requests);
		},
	);
});
