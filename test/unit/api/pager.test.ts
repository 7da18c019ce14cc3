import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../../nodes/MessagingService/api/client';
import type { ListEndpoint } from '../../../nodes/MessagingService/api/listEndpoints';
import { type Verdict, WHOLE } from '../../../nodes/MessagingService/api/listProgress';
import { readPages } from '../../../nodes/MessagingService/api/pager';
import type { ApiResponse, Http } from '../../../nodes/MessagingService/api/request';
import { clientOf, response } from '../helpers/api';
import {
	type Dialect,
	ENDS,
	type Fault,
	LINKS,
	ListService,
	PLAIN,
	TOTALS,
} from '../helpers/listService';
import { VirtualClock } from '../helpers/virtualClock';

const MESSAGES: ListEndpoint = {
	noun: 'messages',
	request: { method: 'GET', path: '/public/messages', repeat: 'idempotent' },
	limitParameter: 'limit',
	pageParameter: 'page',
};
const TRIES = 3;
const TRANSPORT = { maxRetries: TRIES - 1 };
/** How many lists are simulated in each test: such as stand still, and such as move. `LISTS=12000 npx jest …` tries more. */
const RUNS = Number(process.env.LISTS ?? 600);
const MOVING_RUNS = RUNS / 2;

const UNCONFIRMED = { kind: 'warning', reason: 'unconfirmed' };
/** It gave so many, and no more although its total is larger. */
const short = (read: number, total: number, reason = 'short') => ({
	kind: 'warning',
	reason,
	read,
	total,
});
const failed = (read: number, status: number) => ({ kind: 'error', read, failure: { status } });

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
	/** Undefined for a reader who had enough before the end. */
	verdict?: Verdict;
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
		beyondEnd: fc.constantFrom(...ENDS),
		window: fc.constant(Infinity),
		newItems: fc.constant(0),
		lostItems: fc.constant(0),
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
async function readUpTo(client: Client, limit = Infinity): Promise<Omit<Result, 'requests'>> {
	const items: IDataObject[] = [];
	const pages = readPages(client, MESSAGES, limit);
	while (items.length < limit) {
		const { done, value } = await pages.next();
		if (done) return { items, verdict: value };
		items.push(...value.slice(0, limit - items.length));
	}
	await pages.return(WHOLE);
	return { items };
}

async function read(given: Case): Promise<Result> {
	const { dialect, size, hasIds, faults, latencies, limit } = given;
	const clock = new VirtualClock(0);
	const service = new ListService(dialect, itemsOf({ size, hasIds }), faults);
	const client = clientOf(service.http(clock, latencies), clock, { transport: TRANSPORT });
	const result = await clock.run(readUpTo(client, limit));
	expect(service.underWay).toBe(0);
	return { ...result, requests: service.requests };
}

/** Whether a service gives nothing but its first page, because it does not know our page number. */
function isStuck({ ignoresPage, pageParameter, links }: Dialect): boolean {
	if (links === 'cursor') return false;
	const isLinked = ['absolute', 'relative', 'lastToItself'].includes(links);
	return ignoresPage || (pageParameter !== 'page' && !isLinked);
}

/** Whether nothing can tell that entries are held back: by what the service says, what it gives is all. */
function isHidden({ dialect, size }: Pick<Case, 'dialect' | 'size'>): boolean {
	const { maxPageSize, total, window, links } = dialect;
	const given = Math.min(size, window);
	const onFirst = Math.min(50, maxPageSize, given);
	const totals: Partial<Record<Dialect['total'], number>> = {
		ofPage: onFirst,
		ofWindow: given,
		tooSmall: Math.floor(size / 2),
		capped: Math.min(size, 100),
	};
	const counted = totals[total];
	if (isStuck(dialect)) return counted !== undefined;
	const isRight = total === 'right' || total === 'tooLarge';
	const isHeldBack = given < size && !isRight && (counted ?? 0) <= given;
	return isHeldBack || (links === 'self' && counted === onFirst && onFirst < 50);
}

/** Whether even the first page has no list, as the service gives an empty one. */
function isNothing({ dialect: { beyondEnd }, size }: Case): boolean {
	return size === 0 && !['empty', 'lastPage', 'null'].includes(String(beyondEnd));
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
		let compared = 0;
		await fc.assert(
			fc.asyncProperty(withFaults(1, TRIES - 1), async (given) => {
				if (isStuck(given.dialect) || isHidden(given)) return;
				const { items, verdict, requests } = await read(given);
				compared++;
				expect(items).toEqual(itemsOf(given).slice(0, given.limit));
				expect(verdict?.kind).not.toBe('error');
				expect(requests).toBeLessThanOrEqual(mostRequests(given));
			}),
			{ numRuns: RUNS },
		);
		expect(compared).toBeGreaterThan(RUNS / 3);
	});

	test('is never silently short, never has an item twice and always ends, whatever fails', async () => {
		const ends = { whole: 0, warning: 0, error: 0 };
		const windows = fc.oneof(fc.constant(Infinity), fc.integer({ min: 50, max: 300 }));
		await fc.assert(
			fc.asyncProperty(withFaults(1, 2, TRIES, Infinity), windows, async (any, window) => {
				const given = { ...any, dialect: { ...any.dialect, window } };
				const { items, verdict, requests } = await read(given);
				expect(requests).toBeLessThanOrEqual(mostRequests(given));
				const expected = itemsOf(given);
				expectOrdered(items, expected);
				if (verdict) ends[verdict.kind]++;
				if (verdict && verdict.kind !== 'whole') return;
				if (!isHidden(given)) expect(items).toEqual(expected.slice(0, given.limit));
			}),
			{ numRuns: RUNS },
		);
		for (const count of Object.values(ends)) expect(count).toBeGreaterThan(RUNS / 20);
	});

	test('that is whole is said to be whole, however it ends', async () => {
		let compared = 0;
		await fc.assert(
			fc.asyncProperty(anyCase, async (any) => {
				const dialect: Dialect = { ...any.dialect, total: 'right' };
				const { beyondEnd, pageParameter, ignoresPage } = dialect;
				const given = { ...any, dialect, limit: Infinity };
				if (isStuck(dialect) || isNothing(given)) return;
				const { verdict } = await read(given);
				compared++;
				// The same full page again and again may be all that the service gives.
				const isRepeated = beyondEnd === 'lastPage' || pageParameter !== 'page' || ignoresPage;
				const isDoubtful = isRepeated && given.size === 50;
				if (!isDoubtful) expect(verdict).toEqual(WHOLE);
			}),
			{ numRuns: RUNS },
		);
		expect(compared).toBeGreaterThan(RUNS / 2);
	});

	test('does not lose or double what new items push from page to page', async () => {
		let compared = 0;
		await fc.assert(
			fc.asyncProperty(anyCase, fc.integer({ min: 1, max: 2 }), async (any, newItems) => {
				const dialect: Dialect = { ...any.dialect, newItems };
				const given = { ...any, hasIds: true, limit: Infinity, dialect };
				if (isStuck(dialect) || isHidden(given)) return;
				const { items, verdict } = await read(given);
				expect(verdict?.kind).not.toBe('error');
				const ids = items.map(({ id }) => id);
				expect(new Set(ids).size).toBe(ids.length);
				const old = items.filter(({ id }) => typeof id === 'number');
				// What is pushed past the reader looks like an end, which is not silent.
				if (verdict?.kind === 'whole' || dialect.beyondEnd === 'empty') {
					expect(old).toEqual(itemsOf(given));
					compared++;
				}
			}),
			{ numRuns: MOVING_RUNS },
		);
		expect(compared).toBeGreaterThan(MOVING_RUNS / 10);
	});

	test('does not lose in silence what others pull up that are taken away', async () => {
		let compared = 0;
		await fc.assert(
			fc.asyncProperty(anyCase, async (any) => {
				// Without the total, nothing tells.
				const dialect: Dialect = { ...any.dialect, total: 'right', lostItems: 1 };
				const given = { ...any, hasIds: true, limit: Infinity, dialect };
				if (isStuck(dialect)) return;
				const { items, verdict, requests } = await read(given);
				const ids = items.map(({ id }) => id);
				expect(new Set(ids).size).toBe(ids.length);
				if (verdict?.kind !== 'whole') return;
				compared++;
				const left = itemsOf(given).slice(requests - 1);
				expect(ids).toEqual(expect.arrayContaining(left.map(({ id }) => id)));
			}),
			{ numRuns: MOVING_RUNS },
		);
		expect(compared).toBeGreaterThan(MOVING_RUNS / 20);
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

describe('a service that gives no more than 10,000 entries', () => {
	const totals = ['right', 'ofWindow', 'missing'] as const;
	const cases = ENDS.flatMap((beyondEnd, index) => {
		const links = index % 2 === 0 ? ('none' as const) : ('absolute' as const);
		return totals.map((total) => ({ beyondEnd, links, total }));
	});

	test.each(cases)('is found out, unless nothing tells: %j', async (way) => {
		const dialect = { ...PLAIN, ...way, window: 10_000 };
		const { items, verdict } = await read(plain({ dialect, size: 12_000 }));
		expect(items).toEqual(itemsOf({ size: 10_000, hasIds: true }));
		const isRefused = typeof way.beyondEnd === 'number' && way.beyondEnd >= 400;
		if (way.total === 'right') expect(verdict).toMatchObject(short(10_000, 12_000, 'window'));
		else if (!isRefused && way.beyondEnd !== 'lastPage') expect(verdict).toEqual(WHOLE);
		// Links that lead from page to page, and no total: the end is announced.
		else if (way.total === 'missing' && way.links !== 'none') expect(verdict).toEqual(WHOLE);
		else if (isRefused) expect(verdict).toMatchObject({ reason: 'window', read: 10_000 });
	});

	test('is not suspected where a list of so many ends as others do, which takes one request more', async () => {
		const { verdict, requests } = await read(plain({ size: 10_000 }));
		expect(verdict).toEqual(WHOLE);
		expect(requests).toBe(201);
	});
});

describe('a first page without a list', () => {
	test.each<[string, object, object]>([
		['an empty list', { data: [] }, WHOLE],
		['null', { data: null }, WHOLE],
		['status 204', response(204), { kind: 'warning', reason: 'nothing' }],
		['an empty body', response(200), { kind: 'warning', reason: 'nothing' }],
		['an empty object', {}, { kind: 'warning', reason: 'nothing' }],
		['null in place of 5', { data: null, total: 5 }, short(0, 5)],
		['a web page', response(200, '<html></html>'), failed(0, 200)],
		['an error', { error: 'Sorry' }, failed(0, 200)],
		['an error with an empty list', { data: [], error: 'Sorry' }, failed(0, 200)],
		['no success with an empty list', { data: [], success: false }, failed(0, 200)],
		['no list with an error', { data: null, status: 'error', message: 'busy' }, failed(0, 200)],
		['no list with a code', { data: null, code: 500, msg: 'internal' }, failed(0, 200)],
		['errors', { data: null, errors: [{ message: 'busy' }] }, failed(0, 200)],
		['a part of a list with an error', { data: [{ id: 1 }], error: 'timed out' }, failed(0, 200)],
		['no page', response(404), failed(0, 404)],
	])('%s', async (_name, answer, verdict) => {
		const read = await readFrom({ '': answer });
		expect(read).toMatchObject({ items: [], verdict, requests: 1 });
	});
});

describe('a list that moves while it is read', () => {
	test('is read once where its pages come one after the other', async () => {
		const given = plain({ dialect: { links: 'cursor', newItems: 1 } });
		const { items, verdict, requests } = await read(given);
		const old = items.filter(({ id }) => typeof id === 'number');
		expect(old).toEqual(itemsOf(given));
		expect(verdict).toEqual(WHOLE);
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
		expect(result.verdict).toMatchObject({ kind: 'warning', reason: 'moved' });
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
	const clock = new VirtualClock();
	const client = clientOf(
		async ({ url }) => {
			requests++;
			const query = new URL(url).search.replace(/^\?(limit=50)?&?/, '');
			const answer = answers[query] ?? { data: [] };
			return isAnswer(answer) ? answer : response(200, JSON.stringify(answer));
		},
		clock,
		{ transport: { maxRetries: 0 } },
	);
	return { ...(await clock.run(readUpTo(client))), requests };
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

/** A service whose pages link from one to the next for ever, and have no entries but on the first. */
const endless = (first: object): Answers =>
	Object.fromEntries(
		Array.from({ length: 200 }, (_, index) => [
			index === 0 ? '' : `cursor=${index + 1}`,
			index === 0 ? first : page(0, next(`?cursor=${index + 2}`), 0),
		]),
	);

interface Read {
	count: number;
	/** Whole when left out. */
	verdict?: object;
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
		{ count: 3, verdict: short(3, 4, 'repeated'), requests: 4 },
	],
	[
		'links from one empty page to the next are followed for a while, and never make a whole list',
		endless(page(1, next('?cursor=2'), 1)),
		{ count: 1, verdict: { kind: 'error', read: 1 }, requests: 101 },
	],
	[
		'a page without entries before others is no end',
		{
			'': page(1, { total: 3, ...next('?cursor=2') }, 1),
			'cursor=2': page(2, { total: 3, ...next('?cursor=3') }, 0),
			'cursor=3': page(3, { total: 3, links: { prev: '?cursor=2', next: '' } }, 1),
		},
		{ count: 2, verdict: short(2, 3) },
	],
	[
		'a link that is no text is none',
		onePage(page(1, { total: 2, ...next({}) }, 1), page(2, { total: 2, ...next(null) }, 1)),
		{ count: 2 },
	],
	...[{ total: 50 }, { total: 40, ...next('?page=2') }].map((more): [string, Answers, Read] => [
		`the same page whatever its number, with ${JSON.stringify(more)}, may not be all`,
		always(page(1, more)),
		{ count: 50, verdict: UNCONFIRMED },
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
		{ count: 100, verdict: UNCONFIRMED },
	],
	[
		'a page that is promised by a total is missing',
		twoPages({ total: 150 }, { total: 150 }, response(404)),
		{ count: 100, verdict: { ...short(100, 150, 'window'), failure: { status: 404 } } },
	],
	[
		'a full page may lack what comes after it',
		{ '': page(1), 'page=1': response(404) },
		{ count: 50, verdict: UNCONFIRMED },
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
		`behind pages with ${JSON.stringify(more)}, which was not all, 404 is the end`,
		twoPages(more, more, response(404)),
		{ count: 100 },
	]),
	[
		'a page that nothing promises may be missing after an outage',
		onePage(page(1), response(500)),
		{ count: 50, verdict: failed(50, 500) },
	],
	[
		'a page that fails behind a total that is reached may be none',
		twoPages({ total: 100 }, { total: 100 }, response(500)),
		{ count: 100, verdict: UNCONFIRMED },
	],
	[
		'a page that fails behind links to no other page may be none',
		onePage(page(1, NO_LINKS), response(500)),
		{ count: 50, verdict: UNCONFIRMED },
	],
	[
		'where the links end a list before its total, it is short, and has no gap',
		onePage(page(1, { total: 70, ...NO_LINKS }), response(404)),
		{ count: 50, verdict: short(50, 70, 'window') },
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
])('%s', async (_name, answers, { count, verdict = WHOLE, requests = Infinity }) => {
	const read = await readFrom(answers);
	expect(new Set(idsOf(read)).size).toBe(count);
	expect(read.items).toHaveLength(count);
	expect(read.verdict).toMatchObject(verdict);
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
