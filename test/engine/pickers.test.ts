/** The lists of the panel to choose from, with a large account, as n8n's editor asks for them. */
import type { INodeListSearchItems } from 'n8n-workflow';

import type { Service, Settings } from '../../sandbox/service/service.ts';
import { pick, type Picker } from './editor.ts';
import { allAnswered, demoTeam, start, startAnswering, startQuietly } from './service.ts';

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
		inbox.name = `Café ${spelled(index)} No. ${index}`;
		inbox.phone = phoneOf(index);
	});
	demoTeam(service).templates.forEach((template, index) => {
		template.name = `Grüße ${spelled(index)} No. ${index}`;
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
async function scroll(picker: Picker, filter?: string) {
	const answers = [];
	for (let token: unknown; answers.length < 100; ) {
		const answer = await ask(picker, { filter, token });
		answers.push(answer);
		token = answer.token;
		if (token === undefined) break;
	}
	return {
		entries: answers.flatMap(({ results }) => results.filter(isEntry)),
		calls: answers.length,
		requests: answers.map(({ requests }) => requests),
	};
}

/** Whether an entry can be chosen. */
function isEntry({ value }: INodeListSearchItems): boolean {
	return typeof value === 'string';
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
	{ links: 'foreign', total: 'tooSmall', repeatLastPage: true },
	{ links: 'none', firstPage: 0, total: 'tooLarge' },
	{ links: 'none', total: 'missing', repeatLastPage: true },
	{ total: 'tooLarge', maxPageSize: 17, endLinks: 'omitted' },
	{ links: 'none', total: 'right', maxPageSize: 30 },
];

describe.each(PICKERS)('%s', (picker) => {
	test.each(dialects)('scrolls through all, each once: %j', async (dialect) => {
		await speak(dialect);
		const { entries, requests } = await scroll(picker);
		expect(valuesOf(entries)).toEqual(idsOf(picker));
		expect(Math.max(...requests)).toBeLessThanOrEqual(2);
	});

	// With the wrong total, and nothing else that tells of the end, the list may be cut off.
	test('scrolls through half at least where nothing tells of the end', async () => {
		await speak({ links: 'none', total: 'tooSmall', maxPageSize: 30 });
		const { entries } = await scroll(picker);
		expect(valuesOf(entries)).toEqual(idsOf(picker).slice(0, entries.length));
		expect(entries.length).toBeGreaterThanOrEqual(SIZES[picker] / 2);
	});

	test('opens with one page, and scrolls page by page', async () => {
		await speak();
		const { results, token, requests } = await ask(picker);
		expect(valuesOf(results)).toEqual(idsOf(picker).slice(0, 50));
		expect(token).toBeDefined();
		expect(requests).toBe(1);
		// It begins anew when it is opened again.
		expect((await scroll(picker)).requests).toEqual(Array(SIZES[picker] / 50).fill(1));
	});

	test('ends although the service always gives the same page', async () => {
		for (const total of ['right', 'missing', 'tooSmall', 'tooLarge'] as const) {
			await speak({ ignorePage: true, links: 'none', total });
			const { entries, calls } = await scroll(picker);
			expect(valuesOf(entries)).toEqual(idsOf(picker).slice(0, 50));
			expect(calls).toBeLessThan(4);
		}
	});

	test.each([0, 299])('finds no. %i by its name at once', async (index) => {
		await speak();
		const { results } = await ask(picker, { filter: spelled(index) });
		expect(valuesOf(results)).toEqual([idsOf(picker)[index]]);
	});

	test('does not read on while there are hits enough to scroll', async () => {
		await speak();
		const { results, token, requests } = await ask(picker, { filter: 'no' });

		expect(results).toHaveLength(50);
		expect(token).toBeDefined();
		expect(requests).toBe(1);
	});

	test('ends with nothing when nothing is found', async () => {
		await speak();
		const answer = await ask(picker, { filter: 'nothing like this' });
		expect(answer).toEqual({ results: [], token: undefined, requests: SIZES[picker] / 50 });
	});

	test('finds a name in another case and order, with blanks around', async () => {
		await speak();
		const { results } = await ask(picker, { filter: `  NO. 7  ${spelled(7).toUpperCase()} ` });
		expect(valuesOf(results)).toContain(idsOf(picker)[7]);
		expect(results.length).toBeLessThan(50);
	});

	test('gives two people who scroll at the same time all of it', async () => {
		await speak();
		const { token } = await ask(picker);
		const [mine, theirs] = await Promise.all([ask(picker, { token }), ask(picker, { token })]);

		const ids = idsOf(picker);
		expect(valuesOf(mine.results)).toEqual(ids.slice(50, 50 + mine.results.length));
		expect(valuesOf(theirs.results)).toEqual(ids.slice(50, 50 + theirs.results.length));
		expect(mine.results).toEqual(theirs.results);
	});

	test('begins from the start with a token of which it knows nothing', async () => {
		await speak({ basePath: '/elsewhere' });
		const { entries, requests } = await scroll(picker);
		await speak({ basePath: '/moved' });
		const { results } = await ask(picker, { token: 'page-7' });

		expect(valuesOf(results)).toEqual(valuesOf(entries.slice(0, 50)));
		expect(Math.max(...requests)).toBe(1);
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

	test('takes a short number for a part of a name too', async () => {
		await speak();
		await ask('searchInboxes');
		const { results, requests } = await ask('searchInboxes', { filter: '42' });

		expect(valuesOf(results)).toContain(idsOf('searchInboxes')[42]);
		expect(requests).toBeLessThanOrEqual(INBOXES / 50);
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
				{ name: 'Without ID' },
			],
			total: 6,
		});
		const { results } = await pick(stranger, 'searchInboxes');

		expect(results).toEqual([
			{ name: 'Sales · +15555550100', value: '1' },
			{ name: '+15555550101', value: '2' },
			{ name: '3', value: '3' },
			{ name: '4', value: '4' },
			{ name: 'Front desk', value: '5' },
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

	test('is an error in the words of the node', async () => {
		const stranger = await startAnswering(401, { message: 'No' });
		await expect(pick(stranger, 'searchInboxes')).rejects.toMatchObject({
			message: 'The messaging service does not accept the API key',
			description: expect.stringMatching(/Check the API key/),
			httpCode: '401',
		});
	});

	test('may be refused beyond its end', async () => {
		const refusing = await start({ messages: 0, templates: 50 });
		await refusing.configure({ dialect: { links: 'none', total: 'missing' } });
		const { token } = await openTemplates(refusing);
		await refusing.configure({ faults: [{ kind: 'status', status: 404 }] });

		expect(await pick(refusing, 'searchTemplates', { token })).toEqual({ results: [] });
	});

	test('goes on where it was after a failure', async () => {
		const shaky = await start({ messages: 0, templates: 150 });
		const { token } = await openTemplates(shaky);
		await shaky.configure({ faults: [{ kind: 'status', status: 400 }] });
		await expect(pick(shaky, 'searchTemplates', { token })).rejects.toThrow();
		await shaky.configure({ faults: [] });

		const { results } = await pick(shaky, 'searchTemplates', { token });
		const ids = demoTeam(shaky).templates.map(({ id }) => String(id));
		expect(valuesOf(results)).toEqual(ids.slice(50, 100));
	});
});

async function openTemplates(from: Service) {
	const { paginationToken: token } = await pick(from, 'searchTemplates');
	return { token };
}
