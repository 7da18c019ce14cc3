import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../../nodes/MessagingService/api/client';
import type { ListEndpoint } from '../../../nodes/MessagingService/api/listEndpoints';
import { type Doubt, IncompleteList } from '../../../nodes/MessagingService/api/incompleteList';
import type { ListRange } from '../../../nodes/MessagingService/api/page';
import { readPages } from '../../../nodes/MessagingService/api/pager';
import { type ApiResponse, RequestFailure } from '../../../nodes/MessagingService/api/request';
import { clientOf, response } from '../helpers/api';
import { type Dialect, type Fault, ListService, PLAIN } from '../helpers/listService';
import { VirtualClock } from '../helpers/virtualClock';

const MESSAGES: ListEndpoint = {
	entries: 'messages',
	request: { method: 'GET', path: '/public/messages', repeat: 'idempotent' },
	limitParameter: 'limit',
	pageParameter: 'page',
	hasCustomNames: true,
};
const TRIES = 3;
const TRANSPORT = { maxRetries: TRIES - 1 };

interface Case {
	/** The most entries to take. */
	limit: number;
	/** Which entries to take; all unless given. */
	isWanted?: (entry: IDataObject) => boolean;
	dialect: Dialect;
	size: number;
	hasIds: boolean;
	faults: Fault[];
	latencies: number[];
}

/** What the reader of a list got. */
interface Result {
	items: IDataObject[];
	doubt?: Doubt;
	/** What is certainly missing. */
	lack?: IncompleteList;
}

interface Run {
	result?: Result;
	error?: unknown;
	requests: number;
	/** Milliseconds that it took. */
	took: number;
}

const anyCase: fc.Arbitrary<Case> = fc.record({
	dialect: fc.record({
		firstPage: fc.constantFrom<Dialect['firstPage'][]>(0, 1),
		links: fc.constantFrom<Dialect['links'][]>(
			'absolute',
			'relative',
			'lastToItself',
			'cursor',
			'empty',
			'none',
		),
		total: fc.constantFrom<Dialect['total'][]>('right', 'missing', 'tooSmall', 'tooLarge'),
		maxPageSize: fc.oneof(fc.constant(50), fc.integer({ min: 5, max: 60 })),
		pageParameter: fc.constantFrom('page', 'page', 'p'),
		ignoresPage: fc.integer({ max: 7, min: 0 }).map((chance) => chance === 0),
		beyondEnd: fc.constantFrom<Dialect['beyondEnd'][]>('empty', 'lastPage', 400, 404),
		newItems: fc.constant(0),
	}),
	size: fc.oneof(fc.nat({ max: 400 }), fc.constantFrom(0, 1, 49, 50, 51, 99, 100, 101, 150)),
	hasIds: fc.boolean(),
	limit: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 450 })),
	faults: fc.constant([]),
	latencies: fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 5 }),
});

const faultsOf = (...times: number[]) =>
	fc.uniqueArray(fc.record({ page: fc.nat({ max: 10 }), times: fc.constantFrom(...times) }), {
		maxLength: 4,
		// Two faults of a page would count together.
		selector: ({ page }) => page,
	});

const withFaults = (...times: number[]) =>
	fc.tuple(anyCase, faultsOf(...times)).map(([given, faults]) => ({ ...given, faults }));

function itemsOf({ size, hasIds }: Pick<Case, 'size' | 'hasIds'>): IDataObject[] {
	return Array.from({ length: size }, (_, i) => (hasIds ? { id: i + 1 } : { body: `Text ${i}` }));
}

/** Reads a list as far as it is wanted. */
async function readUpTo(
	client: Client,
	range: ListRange = { limit: Infinity },
	isWanted: (entry: IDataObject) => boolean = () => true,
): Promise<Result> {
	const result: Result = { items: [] };
	const pages = readPages(client, MESSAGES, range);
	try {
		while (result.items.length < range.limit) {
			const { done, value } = await pages.next();
			if (done) return value ? { ...result, doubt: value } : result;
			result.items.push(...value.filter(isWanted).slice(0, range.limit - result.items.length));
		}
		await pages.return(undefined);
	} catch (error) {
		if (!(error instanceof IncompleteList)) throw error;
		result.lack = error;
	}
	return result;
}

async function read(given: Case): Promise<Run> {
	const { dialect, size, hasIds, faults, latencies, limit, isWanted } = given;
	const clock = new VirtualClock(0);
	const service = new ListService(dialect, itemsOf({ size, hasIds }), faults);
	const answer = service.http(clock, latencies);
	let underWay = 0;
	const client = clientOf(
		async (request) => {
			underWay++;
			const outcome = await answer(request);
			underWay--;
			return outcome;
		},
		clock,
		{ transport: TRANSPORT },
	);
	const ended = () => ({ requests: service.requests, took: clock.now() });
	try {
		const result = await clock.run(readUpTo(client, { limit }, isWanted));
		expect(underWay).toBe(0);
		return { result, ...ended() };
	} catch (error) {
		if (!(error instanceof RequestFailure)) throw error;
		return { error, ...ended() };
	}
}

/** Whether a service gives nothing but its first page, because it does not know our page number. */
function isStuck({ ignoresPage, pageParameter, links }: Dialect): boolean {
	if (links === 'cursor') return false;
	const isLinked = ['absolute', 'relative', 'lastToItself'].includes(links);
	return ignoresPage || (pageParameter !== 'page' && !isLinked);
}

/**
 * The most requests that a list may take: one per page, and beyond the end as many as are under way at
 * once, three pages without anything new, and the first page once more; each as often as it is tried.
 */
function mostRequests({ dialect, size }: Case): number {
	const pageSize = Math.min(50, dialect.maxPageSize);
	return TRIES * (Math.ceil(size / pageSize) + 32 + 5);
}

describe('a list', () => {
	test('comes whole, in order and each item once, from every service that gives its pages', async () => {
		await fc.assert(
			fc.asyncProperty(withFaults(1, TRIES - 1), async (given) => {
				fc.pre(!isStuck(given.dialect));
				const { result, requests } = await read(given);
				expect(result?.items).toEqual(itemsOf(given).slice(0, given.limit));
				// A total that is too large promises entries that do not come.
				if (given.dialect.total !== 'tooLarge') expect(result?.lack).toBeUndefined();
				expect(requests).toBeLessThanOrEqual(mostRequests(given));
			}),
			{ numRuns: 1_000 },
		);
	});

	test('is never silently short, never has an item twice and always ends, whatever fails', async () => {
		await fc.assert(
			fc.asyncProperty(withFaults(1, 2, TRIES, Infinity), async (given) => {
				const { result, error, requests } = await read(given);
				expect(requests).toBeLessThanOrEqual(mostRequests(given));
				if (!result) {
					expect(error).toMatchObject({ status: 503 });
					expect(given.faults.some(({ page, times }) => page === 0 && times >= TRIES)).toBe(true);
					return;
				}
				const expected = itemsOf(given);
				expectOrdered(result.items, expected);
				const isWhole = !result.lack && !result.doubt;
				// A total that is too small tells of nothing that is held back.
				const isHidden = isStuck(given.dialect) && given.dialect.total === 'tooSmall';
				if (isWhole && !isHidden) expect(result.items).toEqual(expected.slice(0, given.limit));
			}),
			{ numRuns: 1_000 },
		);
	});

	test('does not lose or double what new items push from page to page', async () => {
		await fc.assert(
			fc.asyncProperty(anyCase, fc.integer({ min: 1, max: 2 }), async (any, newItems) => {
				// What is pushed past the reader looks like a page that is missing.
				const dialect: Dialect = { ...any.dialect, newItems, beyondEnd: 'empty' };
				const given = { ...any, hasIds: true, limit: Infinity, dialect };
				fc.pre(!isStuck(dialect) && dialect.total !== 'tooLarge');
				const { result } = await read(given);
				expect(result?.lack).toBeUndefined();
				const ids = result?.items.map(({ id }) => id) ?? [];
				expect(new Set(ids).size).toBe(ids.length);
				expect(result?.items.filter(({ id }) => typeof id === 'number')).toEqual(itemsOf(given));
			}),
			{ numRuns: 500 },
		);
	});

	test('that the reader thins out has all that passes', async () => {
		await fc.assert(
			fc.asyncProperty(anyCase, fc.integer({ min: 2, max: 5 }), async (any, divisor) => {
				fc.pre(!isStuck(any.dialect));
				const isWanted = ({ id }: IDataObject) => Number(id) % divisor === 0;
				const { result } = await read({ ...any, hasIds: true, isWanted });
				const items = itemsOf({ ...any, hasIds: true });
				expect(result?.items).toEqual(items.filter(isWanted).slice(0, any.limit));
			}),
			{ numRuns: 300 },
		);
	});
});

/** Checks that the items are some of the expected ones, in their order and each once. */
function expectOrdered(items: readonly IDataObject[], expected: readonly IDataObject[]): void {
	const positions = new Map(expected.map((item, index) => [JSON.stringify(item), index]));
	const places = items.map((item) => positions.get(JSON.stringify(item)) ?? -1);
	expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
	expect(places).not.toContain(-1);
}

const plain = ({
	dialect,
	...given
}: Partial<Omit<Case, 'dialect'>> & { dialect?: Partial<Dialect> }): Case => ({
	dialect: { ...PLAIN, ...dialect },
	size: 175,
	hasIds: true,
	limit: Infinity,
	faults: [],
	latencies: [100],
	...given,
});

test.each([
	[{}, 4],
	[{ size: 50 }, 1],
	[{ size: 0 }, 1],
	[{ limit: 60 }, 2],
	[{ limit: 7 }, 1],
	[{ size: 50, dialect: { total: 'missing', links: 'none' } }, 3],
	[{ dialect: { total: 'missing', links: 'cursor' } }, 4],
	// A page that comes again is put up with three times where more is promised.
	[{ dialect: { ignoresPage: true } }, 6],
] satisfies Array<[Parameters<typeof plain>[0], number]>)(
	'nothing is asked for that is not needed: %j takes %i requests',
	async (given, requests) => {
		expect((await read(plain(given))).requests).toBe(requests);
	},
);

test('several pages are read at a time', async () => {
	expect((await read(plain({ size: 33 * 50 }))).took).toBe(200);
	// Without numbers, one after the other.
	expect((await read(plain({ size: 400, dialect: { links: 'cursor' } }))).took).toBe(800);
});

test('of large pages, only as many are under way at a time as n8n can hold', async () => {
	const clock = new VirtualClock(0);
	const underWay = { now: 0, most: 0 };
	const client = clientOf(async ({ url }) => {
		underWay.most = Math.max(underWay.most, ++underWay.now);
		await clock.wait(100);
		underWay.now--;
		const id = Number(new URL(url).searchParams.get('page') ?? 1);
		const page = { data: [{ id }], total: 10, links: { self: url } };
		return response(200, JSON.stringify(page) + ' '.repeat(7_000_000));
	}, clock);
	expect((await clock.run(readUpTo(client))).items).toHaveLength(10);
	expect(underWay.most).toBe(2);
});

describe('a list that moves while it is read', () => {
	test('is read once more, one page after the other, for what is new', async () => {
		const given = plain({ dialect: { newItems: 3 } });
		const { result, requests } = await read(given);
		const ids = result?.items.map(({ id }) => id) ?? [];
		expect(ids.filter((id) => typeof id === 'number')).toEqual(idsOf({ items: itemsOf(given) }));
		expect(ids.length).toBeGreaterThan(175);
		expect(new Set(ids).size).toBe(ids.length);
		expect(result?.doubt).toBeUndefined();
		expect(requests).toBeLessThanOrEqual(15);
	});

	test.each<Partial<Dialect>>([{ links: 'cursor' }, { links: 'none', total: 'missing' }])(
		'is read once where its pages come one after the other: %j',
		async (dialect) => {
			const given = plain({ dialect: { ...dialect, newItems: 1 } });
			const { result, requests } = await read(given);
			const old = result?.items.filter(({ id }) => typeof id === 'number');
			expect(old).toEqual(itemsOf(given));
			expect(result?.doubt).toBeUndefined();
			expect(requests).toBeLessThanOrEqual(6);
		},
	);

	test('each time is said to', async () => {
		const clock = new VirtualClock(0);
		let requests = 0;
		let items = itemsOf({ size: 200, hasIds: true });
		// The first item is taken away after each request.
		const client = clientOf(async ({ url }) => {
			requests++;
			const number = Number(new URL(url).searchParams.get('page') ?? 1);
			const data = items.slice((number - 1) * 50, number * 50);
			const next = number * 50 < items.length ? `?page=${number + 1}` : '';
			const page = { data, total: items.length, links: { self: url, next } };
			items = items.slice(1);
			await clock.wait(100);
			return response(200, JSON.stringify(page));
		}, clock);
		const result = await clock.run(readUpTo(client));
		expect(result.doubt).toEqual({ kind: 'moved' });
		const ids = idsOf(result);
		expect(new Set(ids).size).toBe(ids.length);
		expect(ids).toContain(200);
		expect(requests).toBeLessThanOrEqual(9);
	});
});

test.each([1, 2])(
	'names no page as missing when reading a list once more fails, at page %i',
	async (failing) => {
		let requests = 0;
		const client = clientOf(
			async ({ url }) => {
				const number = Number(new URL(url).searchParams.get('page') ?? 1);
				const isAgain = ++requests > 3;
				if (isAgain && number === failing) return response(500);
				const total = requests === 1 ? 151 : 150;
				const data = itemsOf({ size: 150, hasIds: true }).slice((number - 1) * 50, number * 50);
				const next = number < 3 ? `?page=${number + 1}` : '';
				return response(200, JSON.stringify({ data, total, links: { self: url, next } }));
			},
			new VirtualClock(),
			{ transport: { maxRetries: 0 } },
		);
		const { items, lack } = await readUpTo(client);
		expect(items).toHaveLength(150);
		expect(lack).toMatchObject({ pages: undefined, cause: { status: 500 } });
	},
);

test('a list without an end is given up when n8n cannot hold it', async () => {
	let id = 0;
	const client = clientOf(async () => {
		const page = JSON.stringify({ data: [{ id }], links: { next: `?cursor=${++id}` } });
		return response(200, page + ' '.repeat(9_900_000));
	}, new VirtualClock());
	const { lack } = await readUpTo(client);
	expect(lack).toMatchObject({ pages: undefined, missing: undefined, cause: undefined });
	expect(id).toBe(51);
});

type Written = Record<string, object | string | ApiResponse>;

/** Reads a list of which each answer is written out, by the query that gets it. */
async function readFrom(
	answers: Written,
	startPage?: number,
	urls: string[] = [],
): Promise<Result> {
	const clock = new VirtualClock();
	const client = clientOf(
		async ({ url }) => {
			urls.push(url);
			const answer = answers[new URL(url).search] ?? { data: [] };
			if (typeof answer === 'string') return response(200, answer);
			return 'kind' in answer ? answer : response(200, JSON.stringify(answer));
		},
		clock,
		{ transport: { maxRetries: 0 } },
	);
	return await clock.run(readUpTo(client, { limit: Infinity, startPage }));
}

const idsOf = ({ items }: Pick<Result, 'items'>) => items.map(({ id }) => id);

test('links in a circle end, which is no whole list', async () => {
	const urls: string[] = [];
	const answers = {
		'?limit=50': { data: [{ id: 1 }], total: 4, links: { next: '?cursor=2' } },
		'?cursor=2': { data: [{ id: 2 }], total: 4, links: { next: '?cursor=3' } },
		'?cursor=3': { data: [{ id: 3 }], total: 4, links: { next: '?cursor=2' } },
	};
	const result = await readFrom(answers, undefined, urls);
	expect(idsOf(result)).toEqual([1, 2, 3]);
	expect(result.lack).toMatchObject({ missing: 1 });
	expect(urls.length).toBeLessThan(10);
});

test.each([
	[undefined, undefined],
	[3, { kind: 'short', missing: 1 }],
])('a page without entries before others is no end, with the total %j', async (total, doubt) => {
	const result = await readFrom({
		'?limit=50': { data: [{ id: 1 }], total, links: { next: '?cursor=2' } },
		'?cursor=2': { data: [], total, links: { next: '?cursor=3' } },
		'?cursor=3': { data: [{ id: 3 }], total, links: { prev: '?cursor=2', next: '' } },
	});
	expect(result).toEqual({ items: [{ id: 1 }, { id: 3 }], ...(doubt && { doubt }) });
});

test.each([{ next: '?page=2' }, undefined])(
	'a list of which each page is the same may lack others, with the links %j',
	async (links) => {
		const page = { data: Array.from({ length: 20 }, (_, id) => ({ id })), links };
		const result = await readFrom(
			Object.fromEntries(
				['', '&page=1', '&page=2', '&page=3', '&page=4'].map((query) => [
					`?limit=50${query}`,
					page,
				]),
			),
		);
		expect(result).toEqual({ items: page.data, doubt: { kind: 'repeats' } });
	},
);

test.each([{ href: '?page=2' }, 2, true])('a link that is %j is none', async (next) => {
	const page = (id: number, link: unknown) => ({ data: [{ id }], total: 2, links: { next: link } });
	const answers = { '?limit=50': page(1, next), '?limit=50&page=1': page(1, next) };
	const result = await readFrom({ ...answers, '?limit=50&page=2': page(2, null) });
	expect(result).toEqual({ items: [{ id: 1 }, { id: 2 }] });
});

test.each([null, undefined])('a list without entries may come as %j', async (data) => {
	expect(await readFrom({ '?limit=50': { data, total: 0, links: { self: '?page=1' } } })).toEqual({
		items: [],
	});
});

test.each([
	'<html>Sign in</html>',
	'',
	'{"data":{}}',
	'{"data":null,"total":1}',
	'[]',
	'{"data": [{"id": 1}',
])('an answer that is no page is a failure: %j', async (body) => {
	await expect(readFrom({ '?limit=50': body })).rejects.toMatchObject({
		answer: { kind: 'unexpected', text: body },
	});
});

test('a start page beyond the end is the only one that is read', async () => {
	const urls: string[] = [];
	const past = { '?limit=50&page=9': { data: [], total: 400 } };
	const result = await readFrom(past, 9, urls);
	expect(result).toEqual({ items: [] });
	expect(urls).toHaveLength(1);
});

test.each([{ next: '?limit=50&page=10' }, undefined])(
	'a page that fails behind a start page is named, with the links %j',
	async (links) => {
		const data = Array.from({ length: 50 }, (_, id) => ({ id }));
		const { items, lack } = await readFrom(
			{ '?limit=50&page=9': { data, links }, '?limit=50&page=10': '<html>' },
			9,
		);
		expect(items).toHaveLength(50);
		expect(lack?.pages).toBe('page 10 and all after it');
	},
);

test.each([0, 1])(
	'the pages that are missing are named as the service counts from %i, if that is known',
	async (firstNumber) => {
		const pageAt = (number: number) => ({
			data: Array.from({ length: 50 }, (_, index) => ({ id: 50 * (number - firstNumber) + index })),
			total: 200,
		});
		const [first, second] = [firstNumber, firstNumber + 1].map(pageAt);
		// The service may count from 0, so that page 1 is the second, or from 1, so that it is the first.
		const whole = { '?limit=50': first, '?limit=50&page=0': first };
		const unknown = await readFrom({ ...whole, '?limit=50&page=1': response(500) });
		expect(unknown.items).toHaveLength(50);
		expect(unknown.lack).toMatchObject({ pages: 'all after the first page' });
		const known = await readFrom({
			...whole,
			[`?limit=50&page=${firstNumber}`]: first,
			[`?limit=50&page=${firstNumber + 1}`]: second,
			[`?limit=50&page=${firstNumber + 2}`]: response(500),
		});
		expect(known.items).toHaveLength(100);
		expect(known.lack).toMatchObject({ pages: `page ${firstNumber + 2} and all after it` });
	},
);

describe('what is promised', () => {
	const page = (from: number, rest: object) => ({
		data: Array.from({ length: 50 }, (_, i) => ({ id: from + i })),
		...rest,
	});

	test.each([
		['a link', { links: { next: '?page=2' } }, { links: { next: '?page=3' } }],
		['a total', { total: 150 }, { total: 150 }],
	])('by %s is missing where its page is refused', async (_name, first, second) => {
		const result = await readFrom({
			'?limit=50': page(1, first),
			'?limit=50&page=1': page(1, first),
			'?limit=50&page=2': page(51, second),
			'?limit=50&page=3': response(404),
		});
		expect(result.items).toHaveLength(100);
		expect(result.lack).toMatchObject({ pages: 'page 3 and all after it', cause: { status: 404 } });
	});

	test.each([
		['a full page may lack what comes after it', 50, 404, { kind: 'unconfirmedEnd' }],
		['a shorter one is the last', 28, 404, undefined],
		['unless it may be the page number that is refused', 28, 400, { kind: 'unconfirmedEnd' }],
	])('by nothing, and the next page is refused: %s', async (_name, size, status, doubt) => {
		const data = page(1, {}).data.slice(0, size);
		const first = { '?limit=50': { data }, '?limit=50&page=1': response(status) };
		const result = await readFrom(first);
		expect(result).toEqual({ items: data, ...(doubt && { doubt }) });
	});

	test.each([
		['a shorter one is the last', 50, 28, undefined],
		['one that is full for this service may not be', 25, 25, { kind: 'unconfirmedEnd' }],
	])('by nothing, and a later page is refused: %s', async (_name, first, second, doubt) => {
		const result = await readFrom({
			'?limit=50': { data: page(1, {}).data.slice(0, first) },
			'?limit=50&page=1': { data: page(51, {}).data.slice(0, second) },
			'?limit=50&page=2': response(400),
		});
		expect(result.items).toHaveLength(first + second);
		expect(result.doubt).toEqual(doubt);
	});

	test.each([
		['404 after all pages', 404, 100, undefined],
		['500 after all pages', 500, 100, undefined],
		['404 after a total that is too small', 404, 70, undefined],
		['500 after a total that is too small', 500, 70, { kind: 'unconfirmedEnd' }],
		['500 after a total that may count only its page', 500, 50, { kind: 'unconfirmedEnd' }],
	])('by a total that is reached: %s', async (_name, status, total, doubt) => {
		const rest = { total, links: {} };
		const hasSecond = total > 50;
		const result = await readFrom({
			'?limit=50': page(1, rest),
			'?limit=50&page=1': page(1, rest),
			'?limit=50&page=2': hasSecond ? page(51, rest) : response(status),
			'?limit=50&page=3': response(status),
		});
		expect(result.items).toHaveLength(hasSecond ? 100 : 50);
		expect(result.lack).toBeUndefined();
		expect(result.doubt).toEqual(doubt);
	});

	test('by a total that is too large: where the links end the list, it is short, and has no gap', async () => {
		const rest = { total: 70, links: { self: '?page=1', next: null } };
		const result = await readFrom({
			'?limit=50': page(1, rest),
			'?limit=50&page=1': page(1, rest),
			'?limit=50&page=2': response(404),
		});
		expect(result.items).toHaveLength(50);
		expect(result.lack).toBeUndefined();
		expect(result.doubt).toEqual({ kind: 'short', missing: 20 });
	});

	test('comes although each page links to itself', async () => {
		const linked = (number: number) => page(50 * number, { links: { next: `?page=${number}` } });
		const result = await readFrom({
			'?limit=50': linked(1),
			...Object.fromEntries(
				[1, 2, 3].map((number) => [`?limit=50&page=${number}`, linked(number)]),
			),
		});
		expect(result.items).toHaveLength(150);
	});
});

test('items are told apart by ID, and those without one by all that they have', async () => {
	const data = [
		{ id: '1' },
		{ id: 1 },
		{ id: 1, body: 'again' },
		{ id: null, body: 'a' },
		{ body: 'a' },
		// Beyond 2^53, two IDs look the same.
		{ id: 2 ** 60, body: 'b' },
		{ id: 2 ** 60, body: 'c' },
	];
	// What is no object is no item.
	const page = { data: [...data, null, 'text'], total: 9, links: { self: '?limit=50', next: '' } };
	const result = await readFrom({ '?limit=50': page, '?limit=50&page=1': page });
	expect(result.items).toEqual(data.filter(({ body }) => body !== 'again'));
});

test('a total that counts only its page is no sign that the list has moved', async () => {
	const urls: string[] = [];
	const pageOf = (number: number, count: number, next: string) => ({
		data: Array.from({ length: count }, (_, i) => ({ id: number * 50 + i })),
		total: count,
		links: { self: `?page=${number}`, next },
	});
	const result = await readFrom(
		{
			'?limit=50': pageOf(1, 50, '?limit=50&page=2'),
			'?limit=50&page=2': pageOf(2, 50, '?limit=50&page=3'),
			'?limit=50&page=3': pageOf(3, 20, ''),
		},
		undefined,
		urls,
	);
	expect(result.items).toHaveLength(120);
	expect(result).toEqual({ items: result.items });
	// And one more, which finds nothing.
	expect(urls).toHaveLength(4);
});

test.each([
	['a total that is too small', 10],
	['no total', undefined],
])('a full page with links to no other and %s is not the end', async (_name, total) => {
	const links = { self: 'https://messaging.example.com/api/public/messages', next: null };
	const pageOf = (number: number) => ({
		data: Array.from({ length: 50 }, (_, i) => ({ id: number * 50 + i })),
		...{ total, links },
	});
	const result = await readFrom({
		'?limit=50': pageOf(0),
		'?limit=50&page=1': pageOf(0),
		'?limit=50&page=2': pageOf(1),
		'?limit=50&page=3': { data: [], total, links },
	});
	expect(result).toEqual({ items: result.items });
	expect(result.items).toHaveLength(100);
});

test('what was fetched ahead has ended when the reader breaks off', async () => {
	const given = plain({ size: 2_000, limit: 300, isWanted: () => true });
	const { result, requests } = await read(given);
	expect(result?.items).toHaveLength(300);
	expect(requests).toBeLessThan(20);
});
