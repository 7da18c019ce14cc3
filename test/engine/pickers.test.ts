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
		inbox.name = `Café Grüße ${spelled(index)} No. ${index}`;
		inbox.phone = phoneOf(index);
	});
	demoTeam(service).templates.forEach((template, index) => {
		template.name = `Café Grüße ${spelled(index)} No. ${index}`;
	});
});
afterAll(async () => {
	await allAnswered(service);
	await service.close();
});

/** A word of its own for each number. */
function spelled(index: number): string {
	const letters = [...'abcdefghij'];
	return `q${[...String(index)].map((digit) => letters[Number(digit)]).join('')}x`;
}

function phoneOf(index: number): string {
	return `+1555010${String(index).padStart(4, '0')}`;
}

/** Makes the service speak so. */
async function speak(dialect: Partial<Dialect> = {}) {
	await service.reset('log');
	await service.configure({ dialect: { ...plain, ...dialect } });
}

/** What n8n's editor gets, and how many requests that cost. */
async function ask(picker: Picker, question: Parameters<typeof pick>[2] = {}) {
	const before = service.received().length;
	const { results, paginationToken: token } = await pick(service, picker, question);
	return { results, token, requests: service.received().length - before };
}

/** Asks on and on as n8n's editor does when someone scrolls to the end again and again. */
async function scroll(picker: Picker) {
	const answers = [];
	for (let token: unknown; answers.length < 100; ) {
		const answer = await ask(picker, { token });
		answers.push(answer);
		token = answer.token;
		if (token === undefined) break;
	}
	return {
		entries: answers.flatMap(({ results }) => results),
		requests: answers.map(({ requests }) => requests),
	};
}

function valuesOf(entries: readonly INodeListSearchItems[]): unknown[] {
	return entries.map(({ value }) => value);
}

/** The IDs in the order of the service. */
function idsOf(picker: Picker): string[] {
	const { inboxes, templates } = demoTeam(service);
	return (picker === 'searchInboxes' ? inboxes : templates).map(({ id }) => String(id));
}

const dialects: Array<Partial<Dialect>> = [
	{},
	{ links: 'relative', firstPage: 0, total: 'missing' },
	{ links: 'none', firstPage: 0, total: 'tooLarge' },
	{ links: 'none', total: 'missing', repeatLastPage: true },
	{ total: 'tooLarge', maxPageSize: 17, endLinks: 'omitted' },
];

describe.each(PICKERS)('%s', (picker) => {
	test.each(dialects)('scrolls through all, each once: %j', async (dialect) => {
		await speak(dialect);
		const { entries, requests } = await scroll(picker);
		expect(valuesOf(entries)).toEqual(idsOf(picker));
		// It opens with one page. When somebody scrolls to its end, it may ask twice, to learn how pages are counted.
		expect(requests[0]).toBe(1);
		expect(Math.max(...requests)).toBeLessThanOrEqual(2);
	});

	test('ends although the service always gives the same page', async () => {
		await speak({ ignorePage: true, links: 'none' });
		const { entries, requests } = await scroll(picker);
		expect(valuesOf(entries)).toEqual(idsOf(picker).slice(0, 50));
		expect(requests.length).toBeLessThan(4);
	});

	test('finds one at its end by its name, at once', async () => {
		await speak();
		const { results } = await ask(picker, { filter: `no. 299 ${spelled(299).toUpperCase()}` });
		expect(valuesOf(results)).toEqual([idsOf(picker)[299]]);
	});

	test('finds a name whatever its case and accents', async () => {
		await speak();
		const { results, requests } = await ask(picker, { filter: 'CAFE gruße' });
		expect(results).toHaveLength(50);
		expect(requests).toBe(1);
	});

	test('ends with nothing when nothing is found', async () => {
		await speak();
		const answer = await ask(picker, { filter: 'nothing like this' });
		expect(answer).toEqual({ results: [], token: undefined, requests: SIZES[picker] / 50 });
	});
});

describe('searchInboxes by phone number', () => {
	test.each([
		['in full', phoneOf(480)],
		['with blanks and brackets', '+1 (555) 010-0480'],
		['in part', '0100480'],
	])('finds any of them, %s', async (_name, filter) => {
		await speak();
		const { results } = await ask('searchInboxes', { filter });

		expect(valuesOf(results)).toEqual([idsOf('searchInboxes')[480]]);
	});
});

describe('what the service gives', () => {
	test('is shown as far as it can be', async () => {
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
		expect(valuesOf((await pick(stranger, 'searchInboxes', { filter: 'SALES' })).results)).toEqual([
			'1',
		]);
	});

	test('may be nothing', async () => {
		const empty = await startAnswering(200, { data: [], total: 0 });
		expect(await pick(empty, 'searchTemplates')).toEqual({ results: [] });
		expect(await pick(empty, 'searchTemplates', { filter: 'a' })).toEqual({ results: [] });
	});
});
