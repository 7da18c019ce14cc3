import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { DEFAULT_TRANSPORT } from '../../../nodes/MessagingService/transport/client';
import {
	type ListRequest,
	type ListResult,
	readList,
} from '../../../nodes/MessagingService/transport/paginate';
import { type Answer, clientOf } from '../helpers/api';
import { type Dialect, type Fault, ListService } from '../helpers/listService';
import { VirtualClock } from '../helpers/virtualClock';

const LIST: ListRequest = {
	request: { method: 'GET', path: '/public/messages' },
	limitParameter: 'limit',
	pageParameter: 'page',
	limit: Infinity,
	concurrency: 10,
};
const TRANSPORT = { ...DEFAULT_TRANSPORT, maxRetries: 2 };
const TRIES = 3;

jest.setTimeout(120_000);

const PLAIN: Dialect = {
	firstPage: 1,
	links: 'absolute',
	total: 'right',
	maxPageSize: 50,
	pageParameter: 'page',
	ignoresPage: false,
	repeatsLastPage: false,
	newItems: 0,
};

interface Case {
	dialect: Dialect;
	size: number;
	hasIds: boolean;
	limit: number;
	concurrency: number;
	faults: Fault[];
	latencies: number[];
}

interface Run {
	result?: ListResult;
	error?: unknown;
	requests: number;
}

const anyCase: fc.Arbitrary<Case> = fc.record({
	dialect: fc.record({
		firstPage: fc.constantFrom<Dialect['firstPage'][]>(0, 1),
		links: fc.constantFrom<Dialect['links'][]>('absolute', 'relative', 'empty', 'none'),
		total: fc.constantFrom<Dialect['total'][]>('right', 'missing', 'tooSmall', 'tooLarge'),
		maxPageSize: fc.oneof(fc.constant(50), fc.integer({ min: 5, max: 60 })),
		pageParameter: fc.constantFrom('page', 'page', 'p'),
		ignoresPage: fc.integer({ max: 7, min: 0 }).map((chance) => chance === 0),
		repeatsLastPage: fc.boolean(),
		newItems: fc.constant(0),
	}),
	size: fc.oneof(fc.nat({ max: 400 }), fc.constantFrom(0, 1, 49, 50, 51, 99, 100, 101, 150)),
	hasIds: fc.boolean(),
	limit: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 450 })),
	concurrency: fc.constantFrom(1, 2, 3, 10, 50),
	faults: fc.constant([]),
	latencies: fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 5 }),
});

/** Faults that pass within the retries, and a few that stay. */
const anyFaults = fc.array(
	fc.record({ page: fc.nat({ max: 10 }), times: fc.constantFrom(1, 2, TRIES, Infinity) }),
	{ maxLength: 4 },
);

function itemsOf({ size, hasIds }: Pick<Case, 'size' | 'hasIds'>): IDataObject[] {
	return Array.from({ length: size }, (_, i) => (hasIds ? { id: i + 1 } : { body: `Text ${i}` }));
}

async function read({ dialect, limit, concurrency, ...rest }: Case): Promise<Run> {
	const clock = new VirtualClock();
	const service = new ListService(dialect, itemsOf(rest), rest.faults);
	const client = await clientOf(service.answerer(clock, rest.latencies), clock);
	try {
		const work = readList(client, { ...LIST, limit, concurrency }, TRANSPORT);
		return { result: await clock.run(work), requests: service.requests };
	} catch (error) {
		return { error, requests: service.requests };
	}
}

/** Whether the result says that it may not be complete. */
function isSign({ failure, cameAgain, missing }: ListResult): boolean {
	return failure !== undefined || cameAgain || (missing ?? 0) > 0;
}

/** Whether a service gives nothing but its first page, because it does not know our page number. */
function isStuck({ ignoresPage, pageParameter, links }: Dialect): boolean {
	const isLinked = links === 'absolute' || links === 'relative';
	return ignoresPage || (pageParameter !== 'page' && !isLinked);
}

/**
 * The most requests that a list may take: one per page, and beyond the end as many as are under way at
 * once, three pages without anything new, and the first page once more; each as often as it is tried.
 */
function mostRequests({ dialect, size, limit, concurrency }: Case): number {
	const pageSize = Math.min(limit, 50, dialect.maxPageSize) - dialect.newItems;
	return TRIES * (Math.ceil(size / pageSize) + concurrency + 5);
}

describe('a list', () => {
	test('comes whole, in order and each item once, from every service that gives its pages', async () => {
		await fc.assert(
			fc.asyncProperty(anyCase, async (given) => {
				fc.pre(!isStuck(given.dialect));
				const { result, requests } = await read(given);
				expect(result?.items).toEqual(itemsOf(given).slice(0, given.limit));
				expect(result?.failure).toBeUndefined();
				expect(requests).toBeLessThanOrEqual(mostRequests(given));
			}),
			{ numRuns: 1_500 },
		);
	});

	test('is never silently short, never has an item twice and always ends, whatever fails', async () => {
		const cases = fc.tuple(anyCase, anyFaults).map(([given, faults]) => ({ ...given, faults }));
		await fc.assert(
			fc.asyncProperty(cases, async (given) => {
				const { result, error, requests } = await read(given);
				expect(requests).toBeLessThanOrEqual(mostRequests(given));
				if (!result) {
					expect(error).toBeInstanceOf(Error);
					expect(given.faults.some(({ page, times }) => page === 0 && times >= TRIES)).toBe(true);
					return;
				}
				const expected = itemsOf(given);
				expectOrdered(result.items, expected);
				if (!isSign(result)) expect(result.items).toEqual(expected.slice(0, given.limit));
			}),
			{ numRuns: 1_500 },
		);
	});

	test('does not lose or double what new items push from page to page', async () => {
		const drifting = anyCase.chain((given) =>
			fc.integer({ min: 1, max: 2 }).map((newItems) => ({
				...given,
				hasIds: true,
				limit: Infinity,
				dialect: { ...given.dialect, newItems },
			})),
		);
		await fc.assert(
			fc.asyncProperty(drifting, async (given) => {
				const { pageParameter, total } = given.dialect;
				fc.pre(!isStuck(given.dialect) && (pageParameter === 'page' || total !== 'tooLarge'));
				const { result } = await read(given);
				expect(result?.failure).toBeUndefined();
				const ids = result?.items.map(({ id }) => id) ?? [];
				expect(new Set(ids).size).toBe(ids.length);
				const old = result?.items.filter(({ id }) => typeof id === 'number');
				expect(old).toEqual(itemsOf(given));
			}),
			{ numRuns: 1_000 },
		);
	});

	test('survives failures that pass', async () => {
		const passing = fc.array(
			fc.record({ page: fc.nat({ max: 10 }), times: fc.constantFrom(1, 2) }),
			{ maxLength: 4 },
		);
		const cases = fc.tuple(anyCase, passing).map(([given, faults]) => {
			// Two faults of a page would count together.
			const pages = new Map(faults.map((fault) => [fault.page, fault]));
			return { ...given, faults: [...pages.values()] };
		});
		await fc.assert(
			fc.asyncProperty(cases, async (given) => {
				fc.pre(!isStuck(given.dialect));
				const { result } = await read(given);
				expect(result?.items).toEqual(itemsOf(given).slice(0, given.limit));
				expect(result?.failure).toBeUndefined();
			}),
			{ numRuns: 500 },
		);
	});

	test('that a filter thins out here has all that passes and tells how many did not', async () => {
		await fc.assert(
			fc.asyncProperty(anyCase, fc.integer({ min: 2, max: 5 }), async (given, divisor) => {
				fc.pre(!isStuck(given.dialect) && given.limit === Infinity);
				const clock = new VirtualClock();
				const items = Array.from({ length: given.size }, (_, i) => ({ id: i + 1 }));
				const service = new ListService(given.dialect, items);
				const client = await clientOf(service.answerer(clock, given.latencies), clock);
				const keep = ({ id }: IDataObject) => Number(id) % divisor === 0;
				const result = await clock.run(readList(client, { ...LIST, keep }, TRANSPORT));
				const kept = items.filter(keep);
				expect(result.items).toEqual(kept);
				expect(result.foreign).toBe(items.length - kept.length);
			}),
			{ numRuns: 300 },
		);
	});
});

/** Checks that the items are some of the expected ones, in their order and each once. */
function expectOrdered(items: readonly IDataObject[], expected: readonly IDataObject[]): void {
	const positions = new Map(expected.map((item, index) => [JSON.stringify(item), index]));
	let last = -1;
	for (const item of items) {
		const position = positions.get(JSON.stringify(item)) ?? -1;
		expect(position).toBeGreaterThan(last);
		last = position;
	}
}

const plain = (given: Partial<Case> = {}): Case => ({
	dialect: PLAIN,
	size: 175,
	hasIds: true,
	limit: Infinity,
	concurrency: 10,
	faults: [],
	latencies: [100],
	...given,
});

describe('the service that the interface describes', () => {
	test('gets one request for each page', async () => {
		expect((await read(plain())).requests).toBe(4);
		expect((await read(plain({ size: 50 }))).requests).toBe(1);
		expect((await read(plain({ size: 0 }))).requests).toBe(1);
	});

	test('gets no request for what is not wanted', async () => {
		expect((await read(plain({ limit: 60 }))).requests).toBe(2);
		expect((await read(plain({ limit: 7 }))).requests).toBe(1);
	});

	test('is asked for several pages at a time', async () => {
		const clock = new VirtualClock(0);
		const service = new ListService(PLAIN, itemsOf({ size: 400, hasIds: true }));
		const client = await clientOf(service.answerer(clock, [100]), clock);
		await clock.run(readList(client, { ...LIST, concurrency: 7 }, TRANSPORT));
		expect(clock.now()).toBe(200);
	});
});

describe('what was not read', () => {
	test.each([
		['a page in the middle', { faults: [{ page: 1, times: Infinity }] }, '2', 125],
		['the last page', { faults: [{ page: 3, times: Infinity }] }, '4', 150],
		[
			'a page and what comes after it',
			{ faults: [{ page: 1, times: Infinity }], concurrency: 1 },
			'2 and all from 3 on',
			50,
		],
	] satisfies Array<[string, Partial<Case>, string, number]>)(
		'is named: %s',
		async (_name, given, pages, count) => {
			const { result } = await read(plain(given));
			expect(result?.failure).toMatchObject({ pages, cause: { httpCode: '503' } });
			expect(result?.items).toHaveLength(count);
		},
	);

	test('is the whole list when its first page fails', async () => {
		const { result, error } = await read(plain({ faults: [{ page: 0, times: Infinity }] }));
		expect(result).toBeUndefined();
		expect(error).toMatchObject({ httpCode: '503' });
	});

	test.each([{ ignoresPage: true }, { pageParameter: 'p', links: 'none' as const }])(
		'is a list that begins again and again: %j',
		async (given) => {
			const { result } = await read(plain({ dialect: { ...PLAIN, ...given } }));
			expect(result).toMatchObject({ cameAgain: true, missing: 125 });
			expect(result?.items).toEqual(itemsOf({ size: 50, hasIds: true }));
		},
	);

	test('is counted when the service announced more than it gave', async () => {
		const { result } = await read(plain({ dialect: { ...PLAIN, total: 'tooLarge' } }));
		expect(result?.items).toHaveLength(175);
		expect(result).toMatchObject({ missing: 182, cameAgain: false });
	});
});

describe('a list that does not begin at its beginning', () => {
	test.each(['absolute', 'empty', 'none'] satisfies Array<Dialect['links']>)(
		'goes on from the chosen page, with links: %s',
		async (links) => {
			const clock = new VirtualClock();
			const service = new ListService({ ...PLAIN, links }, itemsOf({ size: 175, hasIds: true }));
			const client = await clientOf(service.answerer(clock), clock);
			const result = await clock.run(readList(client, { ...LIST, startPage: 2 }, TRANSPORT));
			expect(result.items).toEqual(itemsOf({ size: 175, hasIds: true }).slice(50));
			expect(result.missing).toBeUndefined();
		},
	);
});

/** Reads a list of which each answer is written out. */
async function readFrom(answers: Record<string, object | string>): Promise<ListResult> {
	const clock = new VirtualClock();
	const client = await clientOf(async ({ url }): Promise<Answer> => {
		const { search } = new URL(url);
		const answer = answers[search] ?? { data: [] };
		return {
			statusCode: 200,
			body: typeof answer === 'string' ? answer : JSON.stringify(answer),
		};
	}, clock);
	return await clock.run(readList(client, LIST, TRANSPORT));
}

describe('links', () => {
	test.each([
		'https://elsewhere.example.com/api/public/messages?limit=50&page=2',
		'http://messaging.example.com/api/public/messages?limit=50&page=2',
		'//elsewhere.example.com/?cursor=2',
	])('to %s are not followed', async (next) => {
		const result = await readFrom({
			'?limit=50': { data: [{ id: 1 }], total: 2, links: { next } },
		});
		expect(result.items).toEqual([{ id: 1 }]);
		expect(result.failure?.cause).toMatchObject({
			message: 'The messaging service links to another address, which is not followed',
		});
	});

	test('to another address on a later page end the list with a failure', async () => {
		const result = await readFrom({
			'?limit=50': { data: [{ id: 1 }], links: { next: '?cursor=2' } },
			'?cursor=2': {
				data: [{ id: 2 }],
				links: { next: 'https://elsewhere.example.com/?cursor=3' },
			},
		});
		expect(result.items).toEqual([{ id: 1 }, { id: 2 }]);
		expect(result.failure).toBeDefined();
	});

	test('in a circle end', async () => {
		const result = await readFrom({
			'?limit=50': { data: [{ id: 1 }], links: { next: '?cursor=2' } },
			'?cursor=2': { data: [{ id: 2 }], links: { next: '?cursor=3' } },
			'?cursor=3': { data: [{ id: 3 }], links: { next: '?cursor=2' } },
		});
		expect(result.items).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
	});
});

describe('an answer that is no page', () => {
	test.each([
		['<html>Sign in</html>', 'The answer is a web page and not from the messaging service'],
		['', 'The answer of the messaging service is not as promised'],
		['{"data": {}}', 'The answer of the messaging service is not as promised'],
		['{"data": [1]}', 'The answer of the messaging service is not as promised'],
		['[]', 'The answer of the messaging service is not as promised'],
		['{"data": [{"id": 1}', 'The answer of the messaging service is not as promised'],
	])('is an error: %j', async (body, message) => {
		await expect(readFrom({ '?limit=50': body })).rejects.toMatchObject({ message });
	});

	test('is a failure after the first page', async () => {
		const result = await readFrom({
			'?limit=50': { data: [{ id: 1 }], links: { next: '?page=2' } },
			'?limit=50&page=2': '<html>Sign in</html>',
		});
		expect(result.items).toEqual([{ id: 1 }]);
		expect(result.failure?.pages).toBe('2 and all from 3 on');
	});
});

test('items without an ID are not doubled when each answer repeats its own address', async () => {
	const data = [{ body: 'Hello' }, { body: 'Bye' }];
	const result = await readFrom({
		'?limit=50': { data, total: 3, links: { self: '?limit=50', next: '' } },
		'?limit=50&page=1': { data, total: 3, links: { self: '?limit=50&page=1', next: '' } },
	});
	expect(result.items).toEqual(data);
});

test('new items at each request do not make an endless list of a page that comes again', async () => {
	const dialect: Dialect = { ...PLAIN, ignoresPage: true, newItems: 1 };
	const { requests } = await read(plain({ dialect }));
	expect(requests).toBeLessThan(50);
});
