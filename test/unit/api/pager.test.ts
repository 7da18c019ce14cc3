import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../../nodes/MessagingService/api/client';
import type { ListEndpoint } from '../../../nodes/MessagingService/api/listEndpoints';
import { type Doubt, IncompleteList } from '../../../nodes/MessagingService/api/incompleteList';
import { readPages } from '../../../nodes/MessagingService/api/pager';
import {
	type ApiResponse,
	type Http,
	RequestFailure,
} from '../../../nodes/MessagingService/api/request';
import { clientOf, response } from '../helpers/api';
import {
	type Dialect,
	type Fault,
	LINKS,
	ListService,
	PLAIN,
	TOTALS,
} from '../helpers/listService';
import { VirtualClock } from '../helpers/virtualClock';

const MESSAGES: ListEndpoint = {
	entries: 'messages',
	request: { method: 'GET', path: '/public/messages', repeat: 'idempotent' },
	limitParameter: 'limit',
	pageParameter: 'page',
};
const TRIES = 3;
const TRANSPORT = { maxRetries: TRIES - 1 };

interface Case {
	/** The most entries to take. */
	limit: number;
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
}

const anyCase: fc.Arbitrary<Case> = fc.record({
	dialect: fc.record({
		firstPage: fc.constantFrom<Dialect['firstPage'][]>(0, 1),
		links: fc.constantFrom(...LINKS),
		total: fc.constantFrom(...TOTALS),
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
async function readUpTo(client: Client, limit = Infinity): Promise<Result> {
	const result: Result = { items: [] };
	const pages = readPages(client, MESSAGES, limit);
	try {
		while (result.items.length < limit) {
			const { done, value } = await pages.next();
			if (done) return value ? { ...result, doubt: value } : result;
			result.items.push(...value.slice(0, limit - result.items.length));
		}
		await pages.return(undefined);
	} catch (error) {
		if (!(error instanceof IncompleteList)) throw error;
		result.lack = error;
	}
	return result;
}

async function read(given: Case): Promise<Run> {
	const { dialect, size, hasIds, faults, latencies, limit } = given;
	const clock = new VirtualClock(0);
	const service = new ListService(dialect, itemsOf({ size, hasIds }), faults);
	const client = clientOf(service.http(clock, latencies), clock, { transport: TRANSPORT });
	try {
		const result = await clock.run(readUpTo(client, limit));
		expect(service.underWay).toBe(0);
		return { result, requests: service.requests };
	} catch (error) {
		if (!(error instanceof RequestFailure)) throw error;
		return { error, requests: service.requests };
	}
}

/** Whether a service gives nothing but its first page, because it does not know our page number. */
function isStuck({ ignoresPage, pageParameter, links }: Dialect): boolean {
	if (links === 'cursor') return false;
	const isLinked = ['absolute', 'relative', 'lastToItself'].includes(links);
	return ignoresPage || (pageParameter !== 'page' && !isLinked);
}

/** Whether nothing can tell that entries are held back: by what the service says, its first page is all. */
function isHidden({ dialect, size }: Pick<Case, 'dialect' | 'size'>): boolean {
	const onFirst = Math.min(50, dialect.maxPageSize, size);
	const totals: Partial<Record<Dialect['total'], number>> = {
		ofPage: onFirst,
		tooSmall: Math.floor(size / 2),
		capped: Math.min(size, 100),
	};
	const total = totals[dialect.total];
	if (isStuck(dialect)) return total !== undefined;
	return dialect.links === 'self' && total === onFirst && onFirst < 50;
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
				fc.pre(!isStuck(given.dialect) && !isHidden(given));
				const { result, requests } = await read(given);
				expect(result?.items).toEqual(itemsOf(given).slice(0, given.limit));
				// A total that is too large promises entries that do not come.
				if (given.dialect.total !== 'tooLarge') expect(result?.lack).toBeUndefined();
				expect(requests).toBeLessThanOrEqual(mostRequests(given));
			}),
			{ numRuns: 600 },
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
				if (isWhole && !isHidden(given))
					expect(result.items).toEqual(expected.slice(0, given.limit));
			}),
			{ numRuns: 600 },
		);
	});

	test('does not lose or double what new items push from page to page', async () => {
		await fc.assert(
			fc.asyncProperty(anyCase, fc.integer({ min: 1, max: 2 }), async (any, newItems) => {
				// What is pushed past the reader looks like a page that is missing.
				const dialect: Dialect = { ...any.dialect, newItems, beyondEnd: 'empty' };
				const given = { ...any, hasIds: true, limit: Infinity, dialect };
				fc.pre(!isStuck(dialect) && !isHidden(given) && dialect.total !== 'tooLarge');
				const { result } = await read(given);
				expect(result?.lack).toBeUndefined();
				const ids = result?.items.map(({ id }) => id) ?? [];
				expect(new Set(ids).size).toBe(ids.length);
				expect(result?.items.filter(({ id }) => typeof id === 'number')).toEqual(itemsOf(given));
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
	// A full page may not be all, whatever the total says.
	[{ size: 50 }, 3],
	[{ size: 49 }, 1],
	[{ size: 0 }, 1],
	[{ limit: 60 }, 2],
	[{ limit: 7 }, 1],
	[{ size: 50, dialect: { total: 'missing', links: 'none' } }, 3],
	[{ dialect: { total: 'missing', links: 'cursor' } }, 4],
	// A page that comes again is put up with three times where more is promised.
	[{ dialect: { ignoresPage: true } }, 4],
] satisfies Array<[Parameters<typeof plain>[0], number]>)(
	'nothing is asked for that is not needed: %j takes %i requests',
	async (given, requests) => {
		expect((await read(plain(given))).requests).toBe(requests);
	},
);

describe('a list that moves while it is read', () => {
	test('is read once where its pages come one after the other', async () => {
		const given = plain({ dialect: { links: 'cursor', newItems: 1 } });
		const { result, requests } = await read(given);
		const old = result?.items.filter(({ id }) => typeof id === 'number');
		expect(old).toEqual(itemsOf(given));
		expect(result?.doubt).toBeUndefined();
		expect(requests).toBe(4);
	});

	test.each([Infinity, 6])('each time is said to, also if request %s fails', async (failing) => {
		const clock = new VirtualClock(0);
		let requests = 0;
		let items = itemsOf({ size: 200, hasIds: true });
		// The first item is taken away after each request.
		const http: Http = async ({ url }) => {
			if (++requests >= failing) return response(500);
			const number = Number(new URL(url).searchParams.get('page') ?? 1);
			const data = items.slice((number - 1) * 50, number * 50);
			const next = number * 50 < items.length ? `?page=${number + 1}` : '';
			const page = { data, total: items.length, links: { self: url, next } };
			items = items.slice(1);
			await clock.wait(100);
			return response(200, JSON.stringify(page));
		};
		const client = clientOf(http, clock, { transport: { maxRetries: 0 } });
		const result = await clock.run(readUpTo(client));
		expect(result.doubt).toEqual({ kind: 'moved' });
		const ids = idsOf(result);
		expect(new Set(ids).size).toBe(ids.length);
		expect(ids).toContain(200);
		expect(requests).toBeLessThanOrEqual(9);
	});
});

/** What a service answers, by the query behind "limit=50": such as `page=2`, or nothing for the first request. */
type Answers = Record<string, object>;

/** Reads a list of which each answer is written out; there is nothing behind any other query. */
async function readFrom(answers: Answers) {
	let requests = 0;
	const client = clientOf(
		async ({ url }) => {
			requests++;
			const query = new URL(url).search.replace(/^\?(limit=50)?&?/, '');
			const answer = answers[query] ?? { data: [] };
			return isAnswer(answer) ? answer : response(200, JSON.stringify(answer));
		},
		new VirtualClock(),
		{ transport: { maxRetries: 0 } },
	);
	return { ...(await readUpTo(client)), requests };
}

const isAnswer = (answer: object): answer is ApiResponse => 'kind' in answer;

const idsOf = ({ items }: Pick<Result, 'items'>) => items.map(({ id }) => id);

/** A page with the entries from here on. */
const page = (from: number, rest: object = {}, size = 50) => ({
	data: Array.from({ length: size }, (_, index) => ({ id: from + index })),
	...rest,
});
const next = (link: unknown) => ({ links: { next: link } });
const NO_LINKS = { links: { self: '?page=1', next: null } };
const UNCONFIRMED = { kind: 'unconfirmedEnd' };

/** A list of two pages whose numbers begin with 1, and its third page. */
const twoPages = (first: object, second: object, third: object): Answers => ({
	'': page(1, first),
	'page=1': page(1, first),
	'page=2': page(51, second),
	'page=3': third,
});

/** A list of one page whose number is 1, and its second page. */
const onePage = (first: object, second: object): Answers => ({
	'': first,
	'page=1': first,
	'page=2': second,
});

/** A service that gives the same page whatever its number. */
const always = (answer: object): Answers =>
	Object.fromEntries(['', ...[1, 2, 3, 4, 5].map((n) => `page=${n}`)].map((q) => [q, answer]));

interface Read {
	count: number;
	doubt?: object;
	lack?: object;
	/** The most requests. */
	requests?: number;
}

test.each<[name: string, Answers, Read]>([
	[
		'links in a circle end, which is no whole list',
		{
			'': page(1, { total: 4, ...next('?cursor=2') }, 1),
			'cursor=2': page(2, { total: 4, ...next('?cursor=3') }, 1),
			'cursor=3': page(3, { total: 4, ...next('?cursor=2') }, 1),
		},
		{ count: 3, lack: { missing: 1 }, requests: 9 },
	],
	[
		'a page without entries before others is no end',
		{
			'': page(1, { total: 3, ...next('?cursor=2') }, 1),
			'cursor=2': page(2, { total: 3, ...next('?cursor=3') }, 0),
			'cursor=3': page(3, { total: 3, links: { prev: '?cursor=2', next: '' } }, 1),
		},
		{ count: 2, doubt: { kind: 'short', missing: 1 } },
	],
	[
		'a link that is no text is none',
		onePage(page(1, { total: 2, ...next({}) }, 1), page(2, { total: 2, ...next(null) }, 1)),
		{ count: 2 },
	],
	...[{ total: 50 }, { total: 40, ...next('?page=2') }].map((more): [string, Answers, Read] => [
		`the same page whatever its number, with ${JSON.stringify(more)}, may not be all`,
		always(page(1, more)),
		{ count: 50, doubt: UNCONFIRMED },
	]),
	[
		'the same page whatever its number is all, if the total says so',
		always(page(1, { total: 3 }, 3)),
		{ count: 3 },
	],
	[
		'pages shorter than they were asked for do not end a list, although they link to themselves only',
		{
			'': page(1, NO_LINKS, 20),
			'page=1': page(1, NO_LINKS, 20),
			'page=2': page(21, NO_LINKS, 20),
			'page=3': page(41, NO_LINKS, 5),
		},
		{ count: 45 },
	],
	['a list without entries may come as null', { '': { data: null, total: 0 } }, { count: 0 }],
	[
		'a page that is promised by a link is missing',
		twoPages(next('?page=2'), next('?page=3'), response(404)),
		{ count: 100, lack: { failed: { after: 100, cause: { status: 404 } } } },
	],
	[
		'a page that is promised by a total is missing',
		twoPages({ total: 150 }, { total: 150 }, response(404)),
		{ count: 100, lack: { failed: { after: 100, cause: { status: 404 } } } },
	],
	[
		'a full page may lack what comes after it',
		{ '': page(1), 'page=1': response(404) },
		{ count: 50, doubt: UNCONFIRMED },
	],
	[
		'behind a total that is reached, 404 is the end',
		twoPages({ total: 100 }, { total: 100 }, response(404)),
		{ count: 100 },
	],
	[
		'behind links to no other page, 404 is the end',
		onePage(page(1, NO_LINKS), response(404)),
		{ count: 50 },
	],
	...[{ total: 50 }, { total: 0 }, NO_LINKS].map((more): [string, Answers, Read] => [
		`behind pages with ${JSON.stringify(more)}, which was not all, 404 is no end`,
		twoPages(more, more, response(404)),
		{ count: 100, doubt: UNCONFIRMED },
	]),
	[
		'a page that nothing promises may be missing after an outage',
		onePage(page(1), response(500)),
		{ count: 50, lack: { failed: { after: 50, cause: { status: 500 } } } },
	],
	[
		'where the links end a list before its total, it is short, and has no gap',
		onePage(page(1, { total: 70, ...NO_LINKS }), response(404)),
		{ count: 50, doubt: { kind: 'short', missing: 20 } },
	],
	[
		'a full page with links to no other is not the end, with a total that is too small',
		twoPages({ total: 10, ...NO_LINKS }, { total: 10, ...NO_LINKS }, page(0, NO_LINKS, 0)),
		{ count: 100 },
	],
	[
		'a total that counts only its page is no sign that the list has moved',
		{
			'': page(1, { total: 50, links: { self: '?page=1', next: '?page=2' } }),
			'page=2': page(51, { total: 50, links: { self: '?page=2', next: '?page=3' } }),
			'page=3': page(101, { total: 20, links: { self: '?page=3', next: '' } }, 20),
		},
		// And one more, which finds nothing.
		{ count: 120, requests: 4 },
	],
])('%s', async (_name, answers, { count, doubt, lack, requests = Infinity }) => {
	const read = await readFrom(answers);
	expect(new Set(idsOf(read)).size).toBe(count);
	expect(read.items).toHaveLength(count);
	expect(read.doubt).toEqual(doubt);
	if (lack) expect(read.lack?.lack).toMatchObject(lack);
	else expect(read.lack).toBeUndefined();
	expect(read.requests).toBeLessThanOrEqual(requests);
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
	const all = { data: [...data, null, 'text'], total: 9, links: { self: '?limit=50', next: '' } };
	const { items } = await readFrom({ '': all, 'page=1': all });
	expect(items).toEqual(data.filter(({ body }) => body !== 'again'));
});
