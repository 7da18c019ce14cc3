/** The lists of the panel to choose from, with a large account, as n8n's editor asks for them. */
import type { INodeListSearchItems } from 'n8n-workflow';

import type { Service, Settings } from '../../sandbox/service/service.ts';
import { pick, type Picker } from './editor.ts';
import { allAnswered, demoTeam, startAnswering, startQuietly } from './service.ts';

type Dialect = Settings['dialect'];

const INBOXES = 500;
const TEMPLATES = 300;
const SIZES = { searchInboxes: INBOXES, searchTemplates: TEMPLATES };
const PICKERS: Picker[] = ['searchInboxes', 'searchTemplates'];

let service: Service;
let plain: Dialect;
beforeAll(async () => {
	service = await startQuietly({ messages: 0, inboxes: INBOXES, templates: TEMPLATES });
	plain = { ...service.settings().dialect };
	demoTeam(service).inboxes.forEach((inbox, index) => {
		inbox.name = nameOf(index);
		inbox.phone = phoneOf(index);
	});
	demoTeam(service).templates.forEach((template, index) => {
		template.name = nameOf(index);
	});
});
afterAll(async () => {
	await allAnswered(service);
	await service.close();
});

function nameOf(index: number): string {
	return `Café Grüße No. ${String(index).padStart(3, '0')}`;
}

function phoneOf(index: number): string {
	return `+1555010${String(index).padStart(4, '0')}`;
}

/** Makes the service speak so. */
async function speak(dialect: Partial<Dialect> = {}) {
	await service.reset('log');
	await service.configure({ dialect: { ...plain, ...dialect } });
}

/** The values that n8n's editor offers, and how many requests they cost. */
async function ask(picker: Picker, filter?: string) {
	const before = service.received().length;
	const { results } = await pick(service, picker, filter);
	return { values: valuesOf(results), requests: service.received().length - before };
}

function valuesOf(entries: readonly INodeListSearchItems[]): unknown[] {
	return entries.map(({ value }) => value);
}

/** The IDs in the order of the service. */
function idsOf(picker: Picker): string[] {
	const { inboxes, templates } = demoTeam(service);
	return (picker === 'searchInboxes' ? inboxes : templates).map(({ id }) => String(id));
}

describe.each(PICKERS)('%s', (picker) => {
	test('shows all, each once, and asks once for each page', async () => {
		await speak();
		const requests = SIZES[picker] / 50;
		expect(await ask(picker)).toEqual({ values: idsOf(picker), requests });
	});

	test('ends although the service always gives the same page', async () => {
		await speak({ ignorePage: true, links: 'none' });
		const { values, requests } = await ask(picker);
		expect(values).toEqual(idsOf(picker).slice(0, 50));
		expect(requests).toBeLessThan(30);
	});

	test.each([
		['299', [299]],
		['no. 299', [299]],
		['CAFE gruße  no 299', [299]],
		['nothing like this', []],
	])('finds by name, whatever its case, accents and spaces: %s', async (filter, found) => {
		await speak();
		const all = idsOf(picker);
		expect((await ask(picker, filter)).values).toEqual(found.map((index) => all[index]));
	});
});

test.each(['+1 (555) 010-0480', '0100480'])(
	'an inbox is found by its phone number: %s',
	async (typed) => {
		await speak();
		expect((await ask('searchInboxes', typed)).values).toEqual([idsOf('searchInboxes')[480]]);
	},
);

test('of more than a thousand, the first are shown, and the others are found by typing', async () => {
	const data = Array.from({ length: 1_001 }, (_, id) => ({ id: String(id), name: `No. ${id}` }));
	const large = await startAnswering(200, { data, total: data.length });
	expect((await pick(large, 'searchTemplates')).results).toHaveLength(1_000);
	expect(valuesOf((await pick(large, 'searchTemplates', 'No. 1000')).results)).toEqual(['1000']);
});

test('what the service gives is shown as far as it can be', async () => {
	const stranger = await startAnswering(200, {
		data: [
			{ id: '1', name: 'Sales', phone: '+15555550100' },
			{ id: '2', name: null, phone: '+15555550101' },
			{ id: '3', name: ' ', phone: { number: 1 } },
			{ id: 4, name: ['Support'], phone: '' },
			{ id: '5', name: 'Front desk' },
			{ id: '6', name: 'Hello', body: 'Hi {{firstName}},\n\nwelcome' + '.'.repeat(80) },
			{ name: 'Without ID' },
		],
		total: 7,
	});
	const { results } = await pick(stranger, 'searchInboxes');

	expect(results).toEqual([
		{ name: 'Sales · +15555550100', value: '1' },
		{ name: '+15555550101', value: '2' },
		{ name: '3', value: '3' },
		{ name: '4', value: '4' },
		{ name: 'Front desk', value: '5' },
		{ name: `Hello · Hi {{firstName}}, welcome${'.'.repeat(55)}…`, value: '6' },
	]);
});
