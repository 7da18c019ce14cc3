import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { inboxId, seeded } from '../../sandbox/service/seed.ts';
import type { Service } from '../../sandbox/service/service.ts';
import {
	allAnswered,
	credentialOf,
	demoTeam,
	idsOf,
	messagesOf,
	onlyRequest,
	run,
	start,
	startAnswering,
	startQuietly,
	startStranger,
	wordsOf,
} from './service.ts';
import { lists } from './writes.ts';

const NOW = new Date('2026-06-15T12:00:00Z');

let service: Service;
beforeAll(async () => {
	service = await startQuietly({ messages: 130, now: NOW });
});
beforeEach(() => service.reset('log'));
afterAll(() => service.close());

const queries = (of: Service) => of.received().map(({ query }) => new URLSearchParams(query));

describe('how much is read', () => {
	test('all of 3,000 messages, each once and in the order of the service', async () => {
		const large = await start({ messages: 3000, latencyMs: 5 });
		const { json, hints, error } = await run(large, 'message.getAll', { returnAll: true });
		expect(error).toBeUndefined();
		expect(idsOf(json)).toEqual(idsOf(messagesOf(large)));
		expect(hints).toEqual([]);
		expect(large.received()).toHaveLength(60);
		expect(large.counts().peakRequests).toBeGreaterThan(1);
		expect(large.counts().peakRequests).toBeLessThanOrEqual(16);
	});

	test('several pages at a time, as many as the option says', async () => {
		const slow = await start({ messages: 500, latencyMs: 20 });
		const parameters = { returnAll: true, options: { concurrency: 3 } };
		const { json } = await run(slow, 'message.getAll', parameters);
		expect(json).toHaveLength(500);
		expect(slow.counts().peakRequests).toBe(3);
	});

	test.each([
		[1, 1],
		[49, 1],
		[50, 1],
		[51, 2],
		[120, 3],
		[130, 3],
		[500, 3],
	])('a limit of %i with %i requests', async (limit, requests) => {
		const { json } = await run(service, 'message.getAll', { limit });
		expect(idsOf(json)).toEqual(idsOf(messagesOf(service).slice(0, limit)));
		expect(service.received()).toHaveLength(requests);
		for (const query of queries(service))
			expect(Number(query.get('limit'))).toBeLessThanOrEqual(50);
	});

	test('50 when nothing is said', async () => {
		for (const { operation, list } of lists) {
			const { length } = list(demoTeam(service));
			expect((await run(service, operation, {})).json).toHaveLength(Math.min(length, 50));
		}
	});

	test.each([
		[{ limit: 10, options: { page: 3 } }, 20, 30],
		[{ limit: 120, options: { page: 2 } }, 50, 130],
		[{ returnAll: true, options: { page: 3 } }, 100, 130],
		[{ returnAll: true, options: { page: 4 } }, 130, 130],
		[{ limit: 5, options: { page: 1 } }, 0, 5],
	])('from the start page: %j', async (parameters: INodeParameters, from, to) => {
		const { json, error } = await run(service, 'message.getAll', parameters);
		expect(error).toBeUndefined();
		expect(idsOf(json)).toEqual(idsOf(messagesOf(service).slice(from, to)));
	});

	test.each(lists)('nothing of a new team: $operation', async ({ operation }) => {
		const credential = credentialOf(service, { apiKey: seeded.empty.apiKey });
		const result = await run(service, operation, { returnAll: true }, { credential });
		expect(result.error).toBeUndefined();
		expect(result.hints).toEqual([expect.stringMatching(/^The account has no .+ that match\.$/)]);
		expect(result.outputs).toEqual([[]]);
		expect(service.received()).toHaveLength(1);
	});
});

describe('filters of messages', () => {
	const [first, second] = [inboxId(1, 0), inboxId(1, 1)];
	const ofInboxes = (...ids: string[]) =>
		idsOf(messagesOf(service).filter((message) => ids.includes(String(message.inboxId))));

	test.each([
		[
			'picked ones',
			[
				{ __rl: true, mode: 'list', value: first },
				{ __rl: true, mode: 'id', value: second },
			],
		],
		['text with a comma', `${first}, ${second}`],
		['the same twice', `${first},${second},${first}`],
		['a list by expression', `={{ ["${first}", "${second}"] }}`],
		['inboxes by expression', `={{ [{ "id": "${first}" }, { "id": "${second}" }] }}`],
	])('by inboxes, given as %s', async (_way, inboxIds) => {
		const parameters = { returnAll: true, filters: { inboxIds } };
		const { json, hints, error } = await run(service, 'message.getAll', parameters);
		expect(error).toBeUndefined();
		expect(hints).toEqual([]);
		expect(idsOf(json)).toEqual(ofInboxes(first, second));
		expect(queries(service)[0]?.getAll('inboxIds')).toEqual([first, second]);
	});

	test('by no inbox is no filter', async () => {
		const { json } = await run(service, 'message.getAll', {
			returnAll: true,
			filters: { inboxIds: '' },
		});
		expect(json).toHaveLength(130);
	});

	test('by dates: after excludes its moment, before includes it', async () => {
		const messages = messagesOf(service);
		const [late, early] = [messages[20]?.timestamp ?? '', messages[60]?.timestamp ?? ''];
		const { json, hints } = await run(service, 'message.getAll', {
			returnAll: true,
			filters: { after: early, before: late },
		});
		expect(idsOf(json)).toEqual(idsOf(messages.slice(20, 60)));
		expect(hints).toEqual([]);
	});

	test('by dates and inboxes together', async () => {
		const messages = messagesOf(service);
		const before = messages[40]?.timestamp ?? '';
		const { json } = await run(service, 'message.getAll', {
			returnAll: true,
			filters: { before, inboxIds: first },
		});
		const rest = idsOf(messages.slice(40));
		expect(idsOf(json)).toEqual(ofInboxes(first).filter((id) => rest.includes(id)));
	});

	test.each([
		['Europe/Berlin', '2026-06-10T08:00:00', '2026-06-10T06:00:00.000Z'],
		['Europe/Berlin', '2026-01-10T08:00:00', '2026-01-10T07:00:00.000Z'],
		['America/New_York', '2026-06-10T08:00:00', '2026-06-10T12:00:00.000Z'],
		['America/New_York', '2026-06-10', '2026-06-10T04:00:00.000Z'],
		['Asia/Kolkata', '2026-06-10 08:00', '2026-06-10T02:30:00.000Z'],
		['Asia/Kolkata', '2026-06-10T08:00:00Z', '2026-06-10T08:00:00.000Z'],
		['Asia/Kolkata', '2026-06-10T08:00:00.250-07:00', '2026-06-10T15:00:00.250Z'],
		['Asia/Kolkata', '={{ DateTime.fromISO("2026-06-10T08:00:00") }}', '2026-06-10T02:30:00.000Z'],
		['Asia/Kolkata', '={{ new Date(1781078400000) }}', '2026-06-10T08:00:00.000Z'],
		['Asia/Kolkata', '={{ 1781078400000 }}', '2026-06-10T08:00:00.000Z'],
	])('reads a date in the zone of the workflow, %s: %s', async (timezone, after, sent) => {
		await run(service, 'message.getAll', { limit: 1, filters: { after } }, { timezone });
		expect(queries(service)[0]?.get('startDate')).toBe(sent);
	});

	test('refuses a date in words without a zone, which cannot be read for certain', async () => {
		const { error } = await run(service, 'message.getAll', {
			filters: { after: 'June 10, 2026 08:00' },
		});
		expect(error?.message).toBe('"After" is not a valid date');
	});
});

test.each([
	['+15555550107', 1],
	[' +15555550107 ', 1],
	['+155555501', 36],
	['+15555550199', 0],
])('filters inboxes by the phone number %s', async (phone, count) => {
	const { json, hints } = await run(service, 'inbox.getAll', { filters: { phone } });
	expect(json).toHaveLength(count);
	expect(hints).toEqual(count > 0 ? [] : ['The account has no inboxes that match.']);
	expect(queries(service)[0]?.get('phone')).toBe(phone.trim());
});

describe('filters that the service ignores are applied all the same, and a hint names the field', () => {
	const customNames = {
		inboxIdsParameter: 'inbox',
		afterParameter: 'from',
		beforeParameter: 'until',
	};

	test.each([
		['Inbox IDs Parameter', { inboxIds: inboxId(1, 3) }],
		['After Parameter', { after: '2026-06-10T00:00:00Z' }],
		['Before Parameter', { before: '2026-06-10T00:00:00Z' }],
	])('%s', async (field, filters) => {
		const other = await start({ messages: 130, now: NOW, dialect: { customNames } });
		const expected = (await run(service, 'message.getAll', { returnAll: true, filters })).json;
		const result = await run(other, 'message.getAll', { returnAll: true, filters });
		expect(result.error).toBeUndefined();
		expect(result.json).toEqual(expected);
		expect(result.hints).toEqual([expect.stringContaining(field)]);
		expect(result.hints[0]).toContain('Custom Names');
	});

	test('with a limit, as many are read as it takes', async () => {
		const other = await start({ messages: 130, now: NOW, dialect: { customNames } });
		const filters = { inboxIds: inboxId(1, 3) };
		const expected = (await run(service, 'message.getAll', { limit: 3, filters })).json;
		const { json } = await run(other, 'message.getAll', { limit: 3, filters });
		expect(json).toHaveLength(3);
		expect(json).toEqual(expected);
	});

	test('and without a filter there is no hint', async () => {
		const other = await start({ dialect: { customNames } });
		expect((await run(other, 'message.getAll', { returnAll: true })).hints).toEqual([]);
	});
});

describe('custom names of the credential', () => {
	const names = {
		connectorSegment: 'carrier pigeon',
		inboxIdsParameter: 'inbox',
		afterParameter: 'from',
		beforeParameter: 'until',
		limitParameter: 'per_page',
		pageParameter: 'page_number',
	};
	const formats = (['repeat', 'brackets', 'comma'] as const).flatMap((inboxIdsFormat) =>
		(['iso', 'unixSeconds', 'unixMilliseconds'] as const).map((dateFormat) => ({
			inboxIdsFormat,
			dateFormat,
		})),
	);

	test.each(formats)(
		'filter and page with them: $inboxIdsFormat, $dateFormat',
		async ({ inboxIdsFormat, dateFormat }) => {
			const customNames = { ...names, inboxIdsFormat, dateFormat };
			const other = await start({
				messages: 500,
				now: NOW,
				dialect: { customNames, links: 'none', defaultPageSize: 7 },
			});
			const messages = messagesOf(other);
			const late = messages[20]?.timestamp ?? '';
			const early = new Date(Date.parse(messages[480]?.timestamp ?? '') + 1).toISOString();
			const inboxIds = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => inboxId(1, index));
			const { json, error, hints } = await run(
				other,
				'message.getAll',
				{ returnAll: true, filters: { after: early, before: late, inboxIds: inboxIds.join(',') } },
				{ credential: credentialOf(other, { customNames: true, ...customNames }) },
			);
			const expected = messages
				.slice(20, 480)
				.filter(({ inboxId: id }) => inboxIds.includes(String(id)));
			expect(error).toBeUndefined();
			expect(idsOf(json)).toEqual(idsOf(expected));
			expect(expected.length).toBeGreaterThan(50);
			// Whole seconds let in a little more than was asked for.
			if (dateFormat !== 'unixSeconds') expect(hints).toEqual([]);
		},
	);

	describe('with dates in whole seconds', () => {
		const moment = NOW.getTime() - 3_600_000 + 200;
		const customNames = { dateFormat: 'unixSeconds' as const };

		async function messagesAfter(after: number) {
			const other = await start({ messages: 1, now: NOW, dialect: { customNames } });
			const [stored] = demoTeam(other).messages;
			if (stored) stored.at = moment;
			if (stored) stored.message.timestamp = new Date(moment).toISOString();
			if (stored) stored.message.created = stored.message.timestamp;
			return await run(
				other,
				'message.getAll',
				{ filters: { after: new Date(after).toISOString() } },
				{ credential: credentialOf(other, { customNames: true, ...customNames }) },
			);
		}

		test('what the rounding lets in is taken out', async () => {
			expect((await messagesAfter(moment + 300)).json).toEqual([]);
			expect((await messagesAfter(moment - 1)).json).toHaveLength(1);
		});

		test('the moment itself is not after itself', async () => {
			expect((await messagesAfter(moment)).json).toEqual([]);
		});

		test('the rounding is no reason to say that the service ignores filters', async () => {
			const { hints } = await messagesAfter(moment + 300);
			expect(hints).not.toContainEqual(expect.stringMatching(/Custom Names/));
		});
	});

	test('page the templates, too, but not the inboxes, whose names are documented', async () => {
		const other = await start({ templates: 120, inboxes: 120, dialect: { customNames: names } });
		const credential = credentialOf(other, { customNames: true, ...names });
		const parameters = { returnAll: true };
		const templates = await run(other, 'messageTemplate.getAll', parameters, { credential });
		const inboxes = await run(other, 'inbox.getAll', parameters, { credential });
		expect(templates.json).toHaveLength(120);
		expect(inboxes.json).toHaveLength(120);
		expect(new Set(queries(other).flatMap((query) => [...query.keys()]))).toEqual(
			new Set(['per_page', 'page_number', 'limit', 'page']),
		);
	});

	test('are part of the address for external inboxes', async () => {
		const other = await start({ dialect: { customNames: { connectorSegment: 'carrier' } } });
		const parameters = { name: 'Website chat' };
		const without = wordsOf(await run(other, 'inbox.createExternal', parameters));
		expect(without.description).toContain('Connector Segment');
		const credential = credentialOf(other, { customNames: true, connectorSegment: 'carrier' });
		const { json } = await run(other, 'inbox.createExternal', parameters, { credential });
		expect(json).toMatchObject([{ name: 'Website chat' }]);
	});

	test('cannot change the path beyond their segment', async () => {
		const credential = credentialOf(service, { customNames: true, connectorSegment: 'a/../../b' });
		await run(service, 'inbox.createExternal', { name: 'A' }, { credential });
		expect(onlyRequest(service).path).toBe('/public/a%2F..%2F..%2Fb-connector/inbox/websocket');
	});

	test('are left alone while they are switched off or empty', async () => {
		const off = credentialOf(service, { customNames: false, limitParameter: 'size' });
		const empty = credentialOf(service, { customNames: true, limitParameter: ' ' });
		for (const credential of [off, empty]) {
			await run(service, 'message.getAll', { limit: 1 }, { credential });
		}
		expect(service.received().map(({ query }) => query)).toEqual(['limit=1', 'limit=1']);
	});
});

describe('a service that knows the page by another name', () => {
	test('loses nothing while its links lead on', async () => {
		const other = await start({ dialect: { customNames: { pageParameter: 'p' } } });
		const { json } = await run(other, 'message.getAll', { returnAll: true });
		expect(idsOf(json)).toEqual(idsOf(messagesOf(other)));
	});

	test('gives an error that names the field when there are no links', async () => {
		const other = await start({ dialect: { customNames: { pageParameter: 'p' }, links: 'none' } });
		const result = await run(other, 'message.getAll', {
			returnAll: true,
			options: { maxRetries: 0 },
		});
		const { message, description } = wordsOf(result);
		expect(message).toContain('not complete');
		expect(description).toContain('Page Parameter');
		await allAnswered(other);
		expect(other.received().length).toBeLessThan(10);
	});

	test('is asked nothing more once the run has ended', async () => {
		const other = await start({
			dialect: { customNames: { pageParameter: 'p' }, links: 'none' },
			latencyMs: 100,
		});
		await run(other, 'message.getAll', { returnAll: true, options: { maxRetries: 0 } });
		const answered = other.received().filter(({ status }) => status !== 'unanswered').length;
		await sleep(50);
		await allAnswered(other);
		expect(other.received()).toHaveLength(answered);
	});

	test('gives a hint when nothing tells how much there is', async () => {
		const other = await start({ dialect: { ignorePage: true, links: 'none', total: 'missing' } });
		const { json, hints } = await run(other, 'message.getAll', {
			returnAll: true,
			options: { maxRetries: 0 },
		});
		expect(idsOf(json)).toEqual(idsOf(messagesOf(other).slice(0, 50)));
		expect(hints).toEqual([expect.stringContaining('Page Parameter')]);
	});
});

describe('a link to another address', () => {
	const page = (next: string) => ({
		data: [{ id: 1 }, { id: 2 }],
		total: 4,
		links: { next, prev: '', self: '' },
	});

	test.each([
		['absolute', (url: string) => `${url}/public/messages?page=2`],
		['without a scheme', (url: string) => `${url.replace('http:', '')}/public/messages?page=2`],
		[
			'with the name of the service before an @',
			(url: string) => `http://messaging.example.com@${new URL(url).host}/public/messages?page=2`,
		],
		['without a page number', (url: string) => `${url}/next`],
	])('is an error and not followed: %s', async (_kind, link) => {
		const stranger = await startStranger();
		const own = await startAnswering(200, page(link(stranger.url)));
		const result = await run(own, 'message.getAll', { returnAll: true });
		const { message, description } = wordsOf(result);
		expect(message).toContain('another address');
		expect(description).toContain(new URL(stranger.url).origin);
		expect(stranger.requests).toEqual([]);
	});

	test('is an error in the dialect of the stand-in, too', async () => {
		const other = await start({ dialect: { links: 'foreign' } });
		const result = await run(other, 'message.getAll', { returnAll: true });
		expect(wordsOf(result).description).toContain('elsewhere.example.net');
		expect(other.received()).toHaveLength(1);
	});

	test('does not matter when nothing more is wanted', async () => {
		const other = await start({ dialect: { links: 'foreign' } });
		const { json, error } = await run(other, 'message.getAll', { limit: 50 });
		expect(error).toBeUndefined();
		expect(json).toHaveLength(50);
	});

	test('on a later page is not followed either', async () => {
		const stranger = await startStranger();
		let pages = 0;
		const own = await startStranger((response) => {
			pages++;
			const next = pages === 1 ? '/public/messages?cursor=2' : `${stranger.url}/next`;
			response.end(JSON.stringify({ ...page(next), data: [{ id: pages }] }));
		});
		const result = await run(own, 'message.getAll', { returnAll: true });
		expect(wordsOf(result).message).toContain('another address');
		expect(stranger.requests).toEqual([]);
	});
});
