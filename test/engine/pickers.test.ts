/** The lists of the panel to choose from, with a large account, as n8n's editor asks for them. */
import type { INodeListSearchItems } from 'n8n-workflow';

import type { Service } from '../../sandbox/service/service.ts';
import { pick, type Picker } from './editor.ts';
import { allAnswered, demoTeam, startAnswering, startQuietly } from './service.ts';

const INBOXES = 500;
const TEMPLATES = 300;
const SIZES = { searchInboxes: INBOXES, searchTemplates: TEMPLATES };
const PICKERS: Picker[] = ['searchInboxes', 'searchTemplates'];

let service: Service;
beforeAll(async () => {
	service = await startQuietly({ messages: 0, inboxes: INBOXES, templates: TEMPLATES });
	demoTeam(service).inboxes.forEach((inbox, index) => {
		inbox.name = nameOf(index);
		inbox.phone = phoneOf(index);
	});
	demoTeam(service).templates.forEach((template, index) => {
		template.name = nameOf(index);
	});
});
beforeEach(() => service.reset('log', 'settings'));
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

/** The values that n8n's editor offers, and how many requests they cost. */
async function ask(picker: Picker, filter?: string) {
	const { results } = await pick(service, picker, filter);
	return { values: valuesOf(results), requests: service.received().length };
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
		const requests = SIZES[picker] / 50;
		expect(await ask(picker)).toEqual({ values: idsOf(picker), requests });
	});

	test('ends although the service always gives the same page', async () => {
		await service.configure({ dialect: { ignorePage: true, links: 'none' } });
		const { values, requests } = await ask(picker);
		expect(values).toEqual(idsOf(picker).slice(0, 50));
		expect(requests).toBeLessThan(30);
	});

	test('finds one at its end by its name, whatever its case, accents and spaces', async () => {
		expect((await ask(picker, 'CAFE gruße  no 299')).values).toEqual([idsOf(picker)[299]]);
		expect((await ask(picker, 'nothing like this')).values).toEqual([]);
	});
});

test('an inbox is found by its phone number', async () => {
	const [inbox] = idsOf('searchInboxes').slice(480);
	expect((await ask('searchInboxes', '+1 (555) 010-0480')).values).toEqual([inbox]);
	expect((await ask('searchInboxes', '0100480')).values).toEqual([inbox]);
});

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
			// n8n would evaluate it.
			{ id: '={{ 1 }}', name: 'An expression' },
			{ id: '7', name: '={{ 1 }}' },
		],
		total: 9,
	});
	const { results } = await pick(stranger, 'searchInboxes');

	expect(results).toEqual([
		{ name: 'Sales · +15555550100', value: '1' },
		{ name: '+15555550101', value: '2' },
		{ name: '3', value: '3' },
		{ name: '4', value: '4' },
		{ name: 'Front desk', value: '5' },
		{ name: `Hello · Hi {{firstName}}, welcome${'.'.repeat(55)}…`, value: '6' },
		{ name: ' ={{ 1 }}', value: '7' },
	]);
});
