/** The list of messages, in every reading of what the interface says about it. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { IncompleteList } from '../../../../nodes/MessagingService/api/list';
import { RequestFailure } from '../../../../nodes/MessagingService/api/requestFailure';
import {
	matches,
	type MessageFilters,
} from '../../../../nodes/MessagingService/resources/message/filters';
import { Readings } from '../../../../nodes/MessagingService/resources/message/readings';
import type { Item, Run } from '../../../../nodes/MessagingService/resources/operation';
import { clientOf } from '../../helpers/api';
import { fake } from '../../helpers/fake';
import { parametersOf } from '../../helpers/parameters';
import {
	type Entry,
	messageAt,
	MessageService,
	type Reading,
	type Traffic,
} from '../../helpers/messageService';
import { VirtualClock } from '../../helpers/virtualClock';

/** `LIST_CASES=20000 LIST_SEED=1` tries so many cases, the same ones each time. */
const { LIST_CASES = '300', LIST_SEED } = process.env;
const RUNS = { numRuns: Number(LIST_CASES), ...(LIST_SEED && { seed: Number(LIST_SEED) }) };

const NOW = Date.parse('2026-06-15T12:00:00Z');
const HOUR = 60 * 60_000;
const QUIET: Traffic = { arriving: 0, removing: 0, where: 0, requests: 0 };

interface Case {
	reading: Reading;
	traffic: Traffic;
	/** Ages of the messages in hours; what is below 0 is dated in the future. Null for an entry that is none. */
	ages: Array<number | null>;
	/** The bounds that the user set, in hours before now. */
	after?: number;
	before?: number;
	concurrency: number;
	latencies: number[];
}

const anyBound = fc.record({
	by: fc.constantFrom('moment' as const, 'day' as const),
	isInclusive: fc.boolean(),
});

const anyReading: fc.Arbitrary<Reading> = fc.record({
	lower: anyBound,
	upper: anyBound,
	zone: fc.integer({ min: -12, max: 14 }),
	bounds: fc.constantFrom<Reading['bounds'][]>(
		'applied',
		'applied',
		'applied',
		'ignored',
		400,
		422,
		500,
	),
	order: fc.constantFrom<Reading['order'][]>('newestFirst', 'newestFirst', 'oldestFirst'),
	firstPage: fc.constantFrom<Reading['firstPage'][]>(0, 1),
	maxPageSize: fc.constantFrom(3, 5, 10, 50),
	total: fc.constantFrom<Reading['total'][]>(
		'right',
		'right',
		'right',
		'missing',
		'stale',
		'tooSmall',
		'tooLarge',
		'unfiltered',
		'ofPage',
		'left',
	),
	links: fc.constantFrom<Reading['links'][]>(
		'absolute',
		'relative',
		'otherHost',
		'otherScheme',
		'userinfo',
		'cursor',
		'cursorOnOtherHost',
		'empty',
		'none',
	),
	beyondEnd: fc.constantFrom<Reading['beyondEnd'][]>('empty', 'lastPage', 400, 404),
});

const anyTraffic: fc.Arbitrary<Traffic> = fc.oneof(
	fc.constant(QUIET),
	fc.record({
		arriving: fc.integer({ min: 0, max: 3 }),
		removing: fc.integer({ min: 0, max: 2 }),
		where: fc.double({ min: 0, max: 1, noNaN: true }),
		requests: fc.constantFrom(1, 3, 10, 1_000),
	}),
);

const anyAge = fc.oneof(
	{ weight: 30, arbitrary: fc.double({ min: 0, max: 120, noNaN: true }) },
	{ weight: 1, arbitrary: fc.double({ min: -48, max: 0, noNaN: true }) },
	{ weight: 1, arbitrary: fc.constant(null) },
);

const anyCase: fc.Arbitrary<Case> = fc.record(
	{
		reading: anyReading,
		traffic: anyTraffic,
		ages: fc.array(anyAge, { maxLength: 80, size: 'max' }),
		after: fc.double({ min: 1, max: 130, noNaN: true }),
		before: fc.double({ min: -10, max: 100, noNaN: true }),
		concurrency: fc.constantFrom(1, 2, 5, 64),
		latencies: fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 5 }),
	},
	{ requiredKeys: ['reading', 'traffic', 'ages', 'concurrency', 'latencies'] },
);

interface Outcome {
	items: IDataObject[];
	isWhole?: boolean;
	error?: unknown;
	hints: string[];
	service: MessageService;
	/** Milliseconds that it took. */
	took: number;
	/** What was there all the time. */
	lasting: Array<NonNullable<Entry>>;
}

function filtersOf({ after, before }: Case): MessageFilters {
	const moment = (age: number | undefined) =>
		age === undefined ? undefined : new Date(Math.round(NOW - age * HOUR));
	return { inboxIds: [], statuses: [], after: moment(after), before: moment(before) };
}

async function read(given: Case): Promise<Outcome> {
	const clock = new VirtualClock(NOW);
	const entries = given.ages
		.map((age, id) => (age === null ? null : messageAt(id, Math.round(NOW - age * HOUR))))
		.sort((a, b) => Date.parse(b?.timestamp ?? '') - Date.parse(a?.timestamp ?? '') || 0);
	const service = new MessageService(given.reading, entries, given.traffic);
	const http = service.http(
		(time) => clock.wait(time),
		() => clock.now(),
		given.latencies,
	);
	const client = clientOf(http, clock, { transport: { maxRetries: 0 } });
	const hints: string[] = [];
	Object.defineProperty(client.congestion, 'size', { value: given.concurrency });
	const run = fake<Run>({
		client,
		notices: { add: (words: string) => hints.push(words) },
		allBegun: Promise.resolve(),
	});
	const item = fake<Item>({ client, parameters: parametersOf({}) });
	const demand = { filters: filtersOf(given), limit: Infinity };
	const work = new Readings(run).find(item, demand).then(
		({ messages, isWhole }) => ({ items: messages, isWhole, error: undefined }),
		(error: unknown) => ({ items: error instanceof IncompleteList ? error.items : [], error }),
	);
	const result = await clock.run(work);
	const left = new Set(service.entries);
	const lasting = entries.filter((entry) => entry !== null && left.has(entry));
	const took = clock.now() - NOW;
	return { ...result, hints, service, took, lasting: lasting.filter((entry) => entry !== null) };
}

/**
 * Whether removals can be seen at all: only a total shows them, and none shows a removal that is made up for by an
 * arrival at the far end of the list.
 */
function showsRemovals({ reading: { total, order }, traffic: { arriving } }: Case): boolean {
	return total === 'right' && (arriving === 0 || order === 'newestFirst');
}

/**
 * Whether a list grows by three quarters of a page with each request, which without a total looks like a page that
 * comes again.
 */
function runsAwayUnseen({ reading: { total, maxPageSize }, traffic: { arriving } }: Case): boolean {
	return total !== 'right' && 4 * arriving >= 3 * maxPageSize;
}

/** Whether the service contradicts itself, so that it may be believed that something is missing. */
function mayFail({ reading, traffic, after, before }: Case): boolean {
	const isRefused = typeof reading.bounds === 'number' && (after ?? before) !== undefined;
	const isEndDenied = reading.beyondEnd !== 'empty' && reading.total !== 'right';
	return isRefused || isEndDenied || traffic.removing > 0 || traffic.arriving > 0;
}

const saysThatItMoved = (hints: readonly string[]) =>
	hints.some((words) => words.includes('changed each time') && words.includes('"Before"'));

test('gives everything exactly once, or says what is missing', async () => {
	await fc.assert(
		fc.asyncProperty(anyCase, async (given) => {
			fc.pre(given.traffic.removing === 0 || showsRemovals(given));
			fc.pre(!runsAwayUnseen(given));
			const { items, error, hints, service, lasting } = await read(given);
			expect(service.strays).toEqual([]);
			const ids = items.map(({ id }) => id);
			expect(new Set(ids).size).toBe(ids.length);
			const filters = filtersOf(given);
			expect(items.filter((item) => !matches(item, filters))).toEqual([]);
			if (error !== undefined) {
				expect(error instanceof IncompleteList || error instanceof RequestFailure).toBe(true);
				expect(mayFail(given)).toBe(true);
				return;
			}
			if (saysThatItMoved(hints)) {
				expect(mayFail(given)).toBe(true);
				return;
			}
			const expected = lasting.filter((item) => matches(item, filters)).map(({ id }) => id);
			const got = new Set(ids);
			expect(expected.filter((id) => !got.has(id))).toEqual([]);
		}),
		RUNS,
	);
});

const PLAIN: Reading = {
	lower: { by: 'moment', isInclusive: false },
	upper: { by: 'moment', isInclusive: true },
	zone: 0,
	bounds: 'applied',
	order: 'newestFirst',
	firstPage: 1,
	maxPageSize: 50,
	total: 'right',
	links: 'absolute',
	beyondEnd: 'empty',
};

const agesOf = (count: number) => Array.from({ length: count }, (_, index) => index / 60);

test.each([
	['gives its total', {}, {}, true],
	['announces more than it gives', { total: 'tooLarge' }, {}, false],
	['takes messages away meanwhile', { maxPageSize: 5 }, { removing: 1, requests: 100 }, false],
	['repeats itself and says no total', { total: 'missing', beyondEnd: 'lastPage' }, {}, false],
] satisfies Array<[string, Partial<Reading>, Partial<Traffic>, boolean]>)(
	'whether the list of a service is whole that %s',
	async (_what, reading, traffic, expected) => {
		const { isWhole } = await read({
			reading: { ...PLAIN, links: 'none', ...reading },
			traffic: { ...QUIET, ...traffic },
			ages: agesOf(40),
			concurrency: 1,
			latencies: [25],
		});
		expect(isWhole).toBe(expected);
	},
);

test('10,000 messages of a service that keeps to its words take 200 requests, many at a time', async () => {
	const given = {
		reading: PLAIN,
		traffic: QUIET,
		ages: agesOf(10_000),
		concurrency: 64,
		latencies: [25],
	};
	const { items, service, took } = await read(given);
	expect(items).toHaveLength(10_000);
	expect(service.requests).toBe(200);
	// One after the other they would take ten seconds at 50 milliseconds each.
	expect(took).toBeLessThanOrEqual(1_000);
});

test('messages that come in while 10,000 are read cost a second reading at most', async () => {
	const traffic = { ...QUIET, arriving: 1, requests: 100 };
	const ages = agesOf(10_000);
	const given = { reading: PLAIN, traffic, ages, concurrency: 64, latencies: [25] };
	const { items, error, service } = await read(given);
	expect(error).toBeUndefined();
	const ids = new Set(items.map(({ id }) => id));
	expect(ages.filter((_, id) => !ids.has(id))).toEqual([]);
	expect(service.requests).toBeLessThanOrEqual(410);
});
