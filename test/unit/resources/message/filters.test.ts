import fc from 'fast-check';
import { runInThisContext } from 'node:vm';
import {
	datesOf,
	matches,
	type MessageFilters,
	toQuery,
} from '../../../../nodes/MessagingService/resources/message/filters';
import { type CustomNames, DEFAULT_NAMES } from '../../../../nodes/MessagingService/api/account';

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const AFTER = new Date('2026-01-31T08:00:00.250Z');
const BEFORE = new Date('2026-01-31T09:00:00.250Z');
const NONE: MessageFilters = { inboxIds: [] };

describe('toQuery', () => {
	test.each([
		[
			'repeat',
			[
				['inboxIds', A],
				['inboxIds', B],
			],
		],
		[
			'brackets',
			[
				['inboxIds[]', A],
				['inboxIds[]', B],
			],
		],
		['comma', [['inboxIds', `${A},${B}`]]],
	] satisfies Array<[CustomNames['inboxIdsFormat'], string[][]]>)(
		'writes several inboxes in the format %s',
		(inboxIdsFormat, query) => {
			const names = { ...DEFAULT_NAMES, inboxIdsFormat };
			expect(toQuery({ inboxIds: [A, B] }, names)).toEqual(query);
			expect(toQuery(NONE, names)).toEqual([]);
		},
	);

	test.each([
		['iso', '2026-01-31T08:00:00.250Z', '2026-01-31T09:00:00.250Z'],
		['unixSeconds', '1769846400', '1769850001'],
		['unixMilliseconds', '1769846400250', '1769850000250'],
	] satisfies Array<[CustomNames['dateFormat'], string, string]>)(
		'writes dates in the format %s, and seconds so that nothing is left out',
		(dateFormat, after, before) => {
			const filters = { inboxIds: [], after: AFTER, before: BEFORE };
			expect(toQuery(filters, { ...DEFAULT_NAMES, dateFormat })).toEqual([
				['startDate', after],
				['endDate', before],
			]);
		},
	);

	test('uses the names of the credential', () => {
		const names = {
			...DEFAULT_NAMES,
			inboxIdsParameter: 'inbox',
			afterParameter: 'since',
			beforeParameter: 'until',
		};
		const query = toQuery({ inboxIds: [A], after: AFTER, before: BEFORE }, names);
		expect(query.map(([name]) => name)).toEqual(['inbox', 'since', 'until']);
	});
});

describe('matches', () => {
	test.each([
		['everything without filters', {}, NONE, true],
		['its inbox', { inboxId: A }, { inboxIds: [B, A] }, true],
		['its inbox in capitals', { inboxId: A.toUpperCase() }, { inboxIds: [A] }, true],
		['another inbox', { inboxId: A }, { inboxIds: [B] }, false],
		['an unknown inbox', {}, { inboxIds: [B] }, true],
		[
			'the lower bound itself',
			{ created: AFTER.toISOString() },
			{ inboxIds: [], after: AFTER },
			false,
		],
		[
			'the upper bound itself',
			{ created: BEFORE.toISOString() },
			{ inboxIds: [], before: BEFORE },
			true,
		],
		['too early', { timestamp: '2026-01-31T08:00:00Z' }, { inboxIds: [], after: AFTER }, false],
		['too late', { timestamp: '2026-01-31T10:00:00Z' }, { inboxIds: [], before: BEFORE }, false],
		['no date', { timestamp: null, created: 'soon' }, { inboxIds: [], after: AFTER }, true],
		[
			'one of two dates within',
			{ timestamp: '2026-01-31T08:30:00Z', created: '2026-01-30T00:00:00Z' },
			{ inboxIds: [], after: AFTER, before: BEFORE },
			true,
		],
		[
			'both dates out',
			{ timestamp: '2026-02-01T00:00:00Z', created: '2026-01-30T00:00:00Z' },
			{ inboxIds: [], after: AFTER, before: BEFORE },
			false,
		],
	])('%s', (_name, message, filters, expected) => {
		expect(matches(message, filters)).toBe(expected);
	});

	test('keeps all that a service gives which rounds seconds as it was asked', () => {
		const moments = fc.date({
			min: new Date('2026-01-01'),
			max: new Date('2026-01-02'),
			noInvalidDate: true,
		});
		fc.assert(
			fc.property(moments, moments, moments, (one, other, sent) => {
				const [after, before] = one < other ? [one, other] : [other, one];
				const names = { ...DEFAULT_NAMES, dateFormat: 'unixSeconds' as const };
				const bounds = toQuery({ inboxIds: [], after, before }, names).map(([, value]) =>
					Number(value),
				);
				const wanted = sent > after && sent <= before;
				const seconds = sent.getTime() / 1_000;
				if (wanted) expect(bounds[0] <= seconds && seconds <= bounds[1]).toBe(true);
				const message = { timestamp: sent.toISOString() };
				expect(matches(message, { inboxIds: [], after, before })).toBe(wanted);
			}),
			{ numRuns: 500 },
		);
	});
});

describe('datesOf', () => {
	// Jest gives tests a copy of the environment, which does not change the time zone.
	const { env }: { env: Record<string, string | undefined> } = runInThisContext('process');
	const zoneBefore = env.TZ;
	afterEach(() => {
		if (zoneBefore === undefined) delete env.TZ;
		else env.TZ = zoneBefore;
	});

	test.each([
		'2026-01-31T08:00:00.000Z',
		'2026-01-31T09:00:00+01:00',
		'2026-01-31T08:00:00',
		'2026-01-31 08:00:00.000',
		1_769_846_400,
		1_769_846_400_000,
		'1769846400',
	])('reads %j in the same way wherever n8n runs', (timestamp) => {
		for (const zone of ['America/New_York', 'Asia/Kolkata']) {
			env.TZ = zone;
			expect(new Date(0).getTimezoneOffset()).not.toBe(0);
			expect(datesOf({ timestamp })).toEqual([Date.parse('2026-01-31T08:00:00Z')]);
		}
	});

	test('takes nothing else for a date', () => {
		expect(datesOf({ timestamp: null, created: '' })).toEqual([]);
		expect(datesOf({ timestamp: 'soon', created: ['2026-01-31'] })).toEqual([]);
		expect(datesOf({ timestamp: 0, created: true })).toEqual([]);
	});
});
