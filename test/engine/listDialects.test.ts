import { setTimeout as sleep } from 'node:timers/promises';

import fc from 'fast-check';

import type { Fault, Service, Settings } from '../../sandbox/service/service.ts';
import { allAnswered, idsOf, messagesOf, run, startQuietly, wordsOf } from './service.ts';

type Dialect = Settings['dialect'];

const MESSAGES = 120;
const plain: Partial<Dialect> = {
	links: 'absolute',
	endLinks: 'empty',
	firstPage: 1,
	total: 'right',
	defaultPageSize: 20,
	maxPageSize: null,
	ignorePage: false,
	repeatLastPage: false,
	drift: 0,
};

let service: Service;
beforeAll(async () => {
	service = await startQuietly({ messages: MESSAGES });
});
afterEach(() => allAnswered(service));
afterAll(async () => {
	await sleep(100);
	await allAnswered(service);
	await service.close();
});

/** Makes the service speak so, with nothing left of earlier tests. */
async function speak(dialect: Partial<Dialect>) {
	await service.reset('log', ...(dialect.drift ? (['data'] as const) : []));
	await service.configure({ dialect: { ...plain, ...dialect } });
}

const links = ['absolute', 'relative', 'none'] as const;
const totals = ['right', 'missing', 'tooSmall', 'tooLarge'] as const;
const dialects = links.flatMap((link) =>
	totals.flatMap((total) =>
		([0, 1] as const).flatMap((firstPage) =>
			[false, true].map((repeatLastPage) => ({ links: link, total, firstPage, repeatLastPage })),
		),
	),
);

describe.each(dialects)(
	'links $links, total $total, first page $firstPage, repeats the last page: $repeatLastPage',
	(dialect) => {
		test.each([
			['pages as asked for', {}],
			['small pages', { maxPageSize: 17, endLinks: 'omitted' }],
			['a last page that is full', { maxPageSize: 40 }],
		] as const)('nothing is lost or doubled with %s', async (_name, more) => {
			await speak({ ...dialect, ...more });
			const { json, error } = await run(service, 'message.getAll', { returnAll: true });
			expect(error).toBeUndefined();
			expect(idsOf(json)).toEqual(idsOf(messagesOf(service)));
			expect(service.received().length).toBeLessThan(25);
		});
	},
);

test('whatever the dialect, a limit gives the first of the list', async () => {
	const anyDialect = fc.record({
		links: fc.constantFrom(...links),
		endLinks: fc.constantFrom('empty', 'omitted'),
		firstPage: fc.constantFrom(0, 1),
		total: fc.constantFrom(...totals),
		maxPageSize: fc.option(fc.integer({ min: 5, max: 60 })),
		repeatLastPage: fc.boolean(),
	} satisfies { [Name in keyof Dialect]?: fc.Arbitrary<Dialect[Name]> });
	const limits = fc.integer({ min: 1, max: MESSAGES + 10 });
	const widths = fc.integer({ min: 1, max: 12 });
	await fc.assert(
		fc.asyncProperty(anyDialect, limits, widths, async (dialect, limit, concurrency) => {
			await speak(dialect);
			const parameters = { limit, options: { concurrency } };
			const { json, error } = await run(service, 'message.getAll', parameters);
			await allAnswered(service);
			expect(error).toBeUndefined();
			expect(idsOf(json)).toEqual(idsOf(messagesOf(service).slice(0, limit)));
			expect(service.counts().peakRequests).toBeLessThanOrEqual(concurrency);
		}),
		{ numRuns: 40, seed: 20_260_615 },
	);
});

describe('messages that arrive while a list is read', () => {
	test.each([
		['by the names of the interface', {}],
		['where the filters are ignored', { afterParameter: 'from', beforeParameter: 'until' }],
	])('double nothing and push nothing out %s', async (_name, customNames) => {
		await service.reset('data');
		const before = idsOf(messagesOf(service));
		await service.configure({
			dialect: {
				...plain,
				drift: 7,
				customNames: { ...service.settings().dialect.customNames, ...customNames },
			},
		});
		const { json, error } = await run(service, 'message.getAll', { returnAll: true });
		const ids = idsOf(json);
		await service.reset();
		expect(error).toBeUndefined();
		expect(new Set(ids).size).toBe(ids.length);
		expect(ids.filter((id) => before.includes(id))).toEqual(before);
	});
});

test.each(['right', 'tooLarge'] as const)(
	'a service that ignores the page is an error that says so, not half a list (total %s)',
	async (total) => {
		await speak({ ignorePage: true, links: 'none', total });
		const result = await run(service, 'message.getAll', {
			returnAll: true,
			options: { maxRetries: 0 },
		});
		expect(wordsOf(result).message).toContain('not complete');
		expect(wordsOf(result).itemIndex).toBe(0);
		await allAnswered(service);
		expect(service.received().length).toBeLessThan(10);
	},
);

test('what came is there with On Error: Continue, and then the error', async () => {
	await speak({ ignorePage: true, links: 'none' });
	const { json } = await run(
		service,
		'message.getAll',
		{ returnAll: true, options: { maxRetries: 0 } },
		{ onError: 'continueRegularOutput' },
	);
	expect(idsOf(json.slice(0, -1))).toEqual(idsOf(messagesOf(service).slice(0, 50)));
	expect(json.at(-1)).toMatchObject({ error: expect.stringContaining('not complete') });
});

test('a service that ignores the page is no trouble when one page is enough', async () => {
	await speak({ ignorePage: true });
	const { json, error } = await run(service, 'message.getAll', { limit: 50 });
	expect(error).toBeUndefined();
	expect(json).toHaveLength(50);
});

test('a page that cannot be read leaves the others, and the error says which is missing', async () => {
	await speak({});
	const faults: Fault[] = [{ kind: 'status', status: 500, requests: { exactly: 2 } }];
	await service.configure({ faults });
	const parameters = { returnAll: true, options: { concurrency: 2 } };
	const failed = await run(service, 'message.getAll', parameters);
	await service.configure({ faults });
	const onError = 'continueRegularOutput' as const;
	const { json } = await run(service, 'message.getAll', parameters, { onError });
	await service.configure({ faults: [] });
	const messages = idsOf(messagesOf(service));
	expect(wordsOf(failed).description).toContain('Missing from the list: page 2.');
	expect(idsOf(json.slice(0, -1))).toEqual(messages.toSpliced(50, 50));
	expect(json.at(-1)).toMatchObject({
		error: expect.stringContaining('failed to answer'),
		message: expect.stringContaining('page 2.'),
	});
});

test('a total that promises too much is a hint, and nothing is lost', async () => {
	await speak({ total: 'tooLarge', links: 'none' });
	const { json, hints } = await run(service, 'message.getAll', { returnAll: true });
	expect(json).toHaveLength(MESSAGES);
	expect(hints).toEqual([expect.stringContaining('announced')]);
});
