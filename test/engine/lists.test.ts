/** Lists from end to end; how pages are followed is tried in depth in the unit tests. */
import { inboxId } from '../../sandbox/service/identifiers.ts';
import { until } from '../../sandbox/n8n/until.ts';
import type { Fault, Service, ServiceOptions } from '../../sandbox/service/service.ts';
import {
	allAnswered,
	credentialOf,
	demoTeam,
	idsOf,
	messagesOf,
	run,
	start,
	startQuietly,
	startStranger,
	wordsOf,
} from './service.ts';
import { byId, lists } from './writes.ts';

type Dialect = NonNullable<ServiceOptions['dialect']>;

const NOW = new Date('2026-06-15T12:00:00Z');
const COUNT = 130;
const DATA = { messages: COUNT, inboxes: 60, templates: COUNT, now: NOW };
const ALL = { returnAll: true };
/** All, from a service that does not do as it is asked. */
const ALL_AT_ONCE = { returnAll: true, options: { maxRetries: 0 } };

let service: Service;
beforeAll(async () => {
	service = await startQuietly(DATA);
});
beforeEach(() => service.reset('log'));
afterEach(() => allAnswered(service));
afterAll(() => service.close());

const queries = (of: Service) => of.received().map(({ query }) => new URLSearchParams(query));

describe('how much is read', () => {
	test('all of 1,000 messages, each once and in the order of the service', async () => {
		const large = await start({ messages: 1_000 });
		const { json, hints, error } = await run(large, 'message.getAll', ALL);
		expect(error).toBeUndefined();
		expect(idsOf(json)).toEqual(idsOf(messagesOf(large)));
		expect(hints).toEqual([]);
		expect(large.received()).toHaveLength(20);
	});

	test('several pages at a time, as soon as the first one says how many there are', async () => {
		// Without an answer, requests pile up.
		const faults: Fault[] = [{ kind: 'neverAnswer', requests: { from: 2 } }];
		const large = await start({ messages: 1_000, faults });
		const stop = new AbortController();
		const running = run(large, 'message.getAll', ALL, { signal: stop.signal });
		const waiting = () => large.counts().byStatus.silent === 19;
		await until('all other pages are under way', waiting, { pollMs: 5 });
		stop.abort();
		await running;
		expect(large.received()).toHaveLength(20);
	});

	test('as many as the limit says, over several pages', async () => {
		const { json, error } = await run(service, 'message.getAll', { limit: 120 });
		expect(error).toBeUndefined();
		expect(idsOf(json)).toEqual(idsOf(messagesOf(service).slice(0, 120)));
	});
});

describe('a service that pages in another way', () => {
	afterEach(() => service.reset());

	const dialects: Array<Dialect> = [
		{ links: 'absolute' },
		{ links: 'relative', endLinks: 'omitted', firstPage: 0, total: 'missing' },
		{ links: 'relative', total: 'tooLarge', maxPageSize: 26 },
		// Its link is not followed itself, but gives a page number.
		{ links: 'foreign' },
		{ links: 'none', firstPage: 0 },
		{ links: 'none', total: 'missing', maxPageSize: 26 },
		{ links: 'none', total: 'tooSmall', beyondEnd: 'lastPage' },
	];

	test.each(dialects)('loses and doubles nothing: %j', async (dialect) => {
		await service.configure({ dialect });
		for (const { operation, list } of lists) {
			const { json, error } = await run(service, operation, ALL);
			expect(error).toBeUndefined();
			expect(idsOf(json)).toEqual(idsOf(list(demoTeam(service))));
		}
		expect(service.received().length / lists.length).toBeLessThan(15);
	});

	test('notes when there was less than announced', async () => {
		await service.configure({ dialect: { total: 'tooLarge', links: 'none' } });
		const { json, hints } = await run(service, 'message.getAll', ALL);
		expect(json).toHaveLength(COUNT);
		expect(hints).toEqual([expect.stringContaining('reported 267 messages and gave 130')]);
	});

	test('fails then, if it has to be whole', async () => {
		await service.configure({ dialect: { total: 'tooLarge', links: 'none' } });
		const whole = { ...ALL, options: { failIfIncomplete: true } };
		const failed = await run(service, 'message.getAll', whole);
		expect(wordsOf(failed)).toMatchObject({
			message: 'The list may lack something',
			description: expect.stringContaining('reported 267 messages and gave 130'),
		});
		service.configure({ dialect: { total: 'right' } });
		expect((await run(service, 'message.getAll', whole)).json).toHaveLength(COUNT);
	});

	test.each(['null', 'braces', 'nothing', 204, 404, 416, 422] as const)(
		'ends behind its last page with %j, which is said where the total is larger',
		async (beyondEnd) => {
			await service.configure({ dialect: { beyondEnd, links: 'none' } });
			expect(await run(service, 'message.getAll', ALL)).toMatchObject({ hints: [] });
			await service.configure({ dialect: { total: 'tooLarge' } });
			const { json, hints, error } = await run(service, 'message.getAll', ALL);
			expect(error).toBeUndefined();
			expect(idsOf(json)).toEqual(idsOf(messagesOf(service)));
			expect(hints).toEqual([expect.stringMatching(/reported 267 messages and g[ai]ves?.* 130\./)]);
		},
	);

	test('may be cut short by a page that is refused with 400, which is said where there is no total', async () => {
		await service.configure({ dialect: { beyondEnd: 400, links: 'none', total: 'missing' } });
		const { json, hints } = await run(service, 'message.getAll', ALL);
		expect(json).toHaveLength(COUNT);
		expect(hints).toEqual([expect.stringContaining('nothing tells whether there is one')]);
	});

	test.each([
		[204, ''],
		[200, '{}'],
		[200, ' '],
	])('that gives nothing for a list is said to: status %i with "%s"', async (status, body) => {
		const nothing = await startStranger((response) => response.writeHead(status).end(body));
		const { json, hints, error } = await run(nothing, 'message.getAll', ALL);
		expect(error).toBeUndefined();
		expect(json).toEqual([]);
		expect(hints).toEqual([expect.stringContaining('gave nothing in place of its list')]);
	});
});

test.each(['right', 'ofWindow'] as const)(
	'a service that gives 10,000 of 12,000 messages is named, with the way to the others: total %s',
	async (total) => {
		const dialect: Dialect = { window: 10_000, total, beyondEnd: 400 };
		const large = await start({ messages: 12_000, now: NOW, dialect });
		const { json, hints, error } = await run(large, 'message.getAll', ALL);
		expect(error).toBeUndefined();
		expect(idsOf(json)).toEqual(idsOf(messagesOf(large).slice(0, 10_000)));
		expect(hints).toEqual([expect.stringMatching(/10000.* "After" and "Before"/)]);
		const before = messagesOf(large)[9_999]?.timestamp ?? '';
		const rest = await run(large, 'message.getAll', { ...ALL, filters: { before } });
		expect(new Set([...idsOf(json), ...idsOf(rest.json)]).size).toBe(12_000);
		expect(rest.hints).toEqual([]);
	},
);

describe('a service that ignores the page, or knows it by another name', () => {
	const ways: Array<[string, Dialect]> = [
		['ignored, too much announced', { ignorePage: true, links: 'none', total: 'tooLarge' }],
		['another name', { overrideNames: { pageParameter: 'p' }, links: 'none' }],
	];

	test.each(ways)('gives a hint with both numbers and the field: %s', async (_way, dialect) => {
		const other = await start({ dialect, latencyMs: 20 });
		const { json, hints, error } = await run(other, 'message.getAll', ALL_AT_ONCE);
		expect(error).toBeUndefined();
		expect(json).toHaveLength(50);
		expect(hints).toEqual([
			expect.stringMatching(/reported \d+ messages and gave 50.*Page Parameter/),
		]);
		// Nothing is asked any more once the run has ended.
		expect(other.received().filter(({ status }) => status === 'unanswered')).toEqual([]);
		expect(other.received().length).toBeLessThan(10);
	});

	test('gives a hint when nothing tells how much there is', async () => {
		const other = await start({ dialect: { ignorePage: true, links: 'none', total: 'missing' } });
		const { json, hints } = await run(other, 'message.getAll', ALL_AT_ONCE);
		expect(idsOf(json)).toEqual(idsOf(messagesOf(other).slice(0, 50)));
		expect(hints).toEqual([expect.stringContaining('Page Parameter')]);
	});
});

describe('filters', () => {
	afterEach(() => service.reset());

	const [first, second] = [inboxId(1, 0), inboxId(1, 1)];

	test('by inboxes', async () => {
		const inboxIds = [{ ...byId(first), mode: 'list' }, byId(second)];
		const parameters = { ...ALL, filters: { inboxIds } };
		const { json, hints, error } = await run(service, 'message.getAll', parameters);
		expect(error).toBeUndefined();
		expect(hints).toEqual([]);
		const wanted = messagesOf(service).filter(({ inboxId: id }) =>
			[first, second].includes(`${id}`),
		);
		expect(idsOf(json)).toEqual(idsOf(wanted));
		expect(queries(service)[0]?.getAll('inboxIds')).toEqual([first, second]);
	});

	test.each([{}, { datesAreDays: true }])(
		'by dates: after excludes its moment, before includes it: %j',
		async (dialect) => {
			await service.configure({ dialect });
			const messages = messagesOf(service);
			const [before, after] = [messages[20]?.timestamp ?? '', messages[60]?.timestamp ?? ''];
			const parameters = { ...ALL, filters: { after, before } };
			const { json, hints } = await run(service, 'message.getAll', parameters);
			expect(idsOf(json)).toEqual(idsOf(messages.slice(20, 60)));
			expect(hints).toEqual([]);
		},
	);

	test.each([
		[' +1 (555) 555-0107 ', 1, '+15555550107'],
		// It is no whole number, so the service is not asked for it.
		['+155555501', 60, null],
		['555-0107', 1, null],
	])('of inboxes by the phone number %s', async (phone, count, sent) => {
		const { json, hints } = await run(service, 'inbox.getAll', { ...ALL, filters: { phone } });
		expect(json).toHaveLength(count);
		expect(hints).toEqual([]);
		expect(queries(service)[0]?.get('phone')).toBe(sent);
	});
});

test('inboxes are read once for all numbers that the service writes in another way, and are found', async () => {
	const inboxes = Array.from({ length: 120 }, (_, id) => ({
		id: `${id}`,
		phone: `+1 (555) 555-0${100 + id}`,
	}));
	const stranger = await startStranger((response) => {
		const url = new URL(response.req.url ?? '', 'http://127.0.0.1');
		const first = 50 * (Math.max(Number(url.searchParams.get('page')), 1) - 1);
		const data = url.searchParams.has('phone') ? [] : inboxes.slice(first, first + 50);
		response.end(JSON.stringify({ data, total: url.searchParams.has('phone') ? 0 : 120 }));
	});
	const input = Array.from({ length: 20 }, (_, index) => ({ phone: `+15555550${219 - index}` }));
	const parameters = { ...ALL, filters: { phone: '={{ $json.phone }}' } };
	const { json, error } = await run(stranger, 'inbox.getAll', parameters, { input });
	expect(error).toBeUndefined();
	expect(idsOf(json)).toEqual(input.map((_, index) => `${119 - index}`));
	// One for each number, and the pages of the list, whose end is looked for where there are no links.
	expect(stranger.requests.length).toBeLessThanOrEqual(20 + 5);
});

test('an inbox is found by its number as it is dialed, however the service writes it', async () => {
	const data = [
		{ id: 'London', phone: '+442079460958' },
		{ id: 'Almaty', phone: '8 (701) 234-56-78' },
	];
	const stranger = await startStranger((response) => {
		response.end(JSON.stringify({ data, total: data.length }));
	});
	const find = async (phone: string, defaultCountryCode: string) => {
		const parameters = { ...ALL, filters: { phone }, options: { defaultCountryCode } };
		return idsOf((await run(stranger, 'inbox.getAll', parameters)).json);
	};
	expect(await find('+44 (0)20 7946 0958', '')).toEqual(['London']);
	expect(await find('+7 701 234-56-78', '7')).toEqual(['Almaty']);
	expect(await find('٠٢٠٧٩٤٦٠٩٥٨', '44')).toEqual(['London']);
});

describe('filters that the service ignores are applied all the same', () => {
	const overrideNames = {
		inboxIdsParameter: 'inbox',
		afterParameter: 'from',
		beforeParameter: 'until',
	};

	test.each([
		['Inbox IDs Parameter', { inboxIds: [0, 1, 2].map((index) => inboxId(1, index)).join() }],
		['After Parameter', { after: '2026-06-10T00:00:00Z' }],
		['Before Parameter', { before: '2026-06-10T00:00:00Z' }],
	])('with a hint that names the field: %s', async (field, filters) => {
		const other = await start({ ...DATA, dialect: { overrideNames } });
		// With a limit, as many are read as it takes.
		for (const much of [ALL, { limit: 3 }]) {
			const expected = (await run(service, 'message.getAll', { ...much, filters })).json;
			const { json, error, hints } = await run(other, 'message.getAll', { ...much, filters });
			expect(error).toBeUndefined();
			expect(json).toEqual(expected);
			if (much === ALL) expect(hints).toEqual([expect.stringContaining(field)]);
			if (much === ALL) expect(hints[0]).toContain('"Override Names"');
		}
	});
});

describe('Override Names of the credential', () => {
	const names = {
		connectorSegment: 'carrier pigeon',
		inboxIdsParameter: 'inbox',
		afterParameter: 'from',
		beforeParameter: 'until',
		limitParameter: 'per_page',
		pageParameter: 'page_number',
	};

	test.each([
		{ inboxIdsFormat: 'repeat', dateFormat: 'iso' },
		{ inboxIdsFormat: 'brackets', dateFormat: 'unixSeconds' },
		{ inboxIdsFormat: 'comma', dateFormat: 'unixMilliseconds' },
	] as const)('filter and page with them: %j', async (formats) => {
		const overrideNames = { ...names, ...formats };
		const dialect: Dialect = { overrideNames, links: 'none' };
		const other = await start({ messages: 500, now: NOW, dialect });
		const messages = messagesOf(other);
		const before = messages[20]?.timestamp ?? '';
		const after = new Date(Date.parse(messages[480]?.timestamp ?? '') + 1).toISOString();
		const inboxIds = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => inboxId(1, index));
		const { json, error, hints } = await run(
			other,
			'message.getAll',
			{ ...ALL, filters: { after, before, inboxIds: inboxIds.join(',') } },
			{ credential: credentialOf(other, { overrideNames: true, ...overrideNames }) },
		);
		const expected = messages
			.slice(20, 480)
			.filter(({ inboxId: id }) => inboxIds.includes(String(id)));
		expect(error).toBeUndefined();
		expect(idsOf(json)).toEqual(idsOf(expected));
		expect(expected.length).toBeGreaterThan(50);
		// Whole seconds let in a little more than was asked for.
		if (formats.dateFormat !== 'unixSeconds') expect(hints).toEqual([]);
	});

	test('are part of the address for external inboxes', async () => {
		const overrideNames = { connectorSegment: 'carrier' };
		const other = await start({ dialect: { overrideNames } });
		const parameters = { name: 'Website chat' };
		const without = wordsOf(await run(other, 'inbox.createExternal', parameters));
		expect(without.description).toContain('Connector Segment');
		const credential = credentialOf(other, { overrideNames: true, connectorSegment: 'carrier' });
		const { json } = await run(other, 'inbox.createExternal', parameters, { credential });
		expect(json).toMatchObject([{ name: 'Website chat' }]);
	});
});

test('a link to another address is an error and not followed, on no page', async () => {
	const stranger = await startStranger();
	for (const own of [[], ['/public/messages?cursor=2']]) {
		const nexts = [...own, `${stranger.url}/next?cursor=2`];
		let id = 0;
		const answering = await startStranger((response) => {
			const links = { next: nexts[id++], prev: '', self: '' };
			response.end(JSON.stringify({ data: [{ id }], total: 4, links }));
		});
		const { message, description } = wordsOf(await run(answering, 'message.getAll', ALL));
		expect(message).toContain('another address');
		expect(description).toContain(new URL(stranger.url).origin);
	}
	expect(stranger.requests).toEqual([]);
});
