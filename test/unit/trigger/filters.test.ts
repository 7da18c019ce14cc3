import fc from 'fast-check';
import type { Comparison, EventFilters } from '../../../nodes/MessagingService/trigger/filters';
import { reasonToSkip } from '../../../nodes/MessagingService/trigger/filters';

const ALL: EventFilters = {
	events: [],
	eventField: 'event',
	inboundOnly: false,
	inboundField: 'inbound',
	inboxIds: [],
	inboxField: 'inboxId',
	conditions: [],
};

const starts = (body: unknown, filters: Partial<EventFilters> = {}) =>
	reasonToSkip(body, { ...ALL, ...filters }) === undefined;

test('without filters everything starts the workflow', () => {
	fc.assert(fc.property(fc.jsonValue(), (body) => expect(starts(body)).toBe(true)));
});

describe('events', () => {
	const events = ['message.received', 'agent.answered'];

	test.each([
		[{ event: 'message.received' }, true],
		[{ event: 'agent.answered' }, true],
		[{ data: { event: 'message.received' } }, true],
		[{ event: 'message.status' }, false],
		[{ event: 'Message.Received' }, false],
		[{ event: ['message.received'] }, false],
		[{ event: null }, false],
		[{ event: '' }, false],
		[{}, false],
		[{ type: 'message.received' }, false],
	])('%j starts: %s', (body, expected) => {
		expect(starts(body, { events })).toBe(expected);
	});

	test('are named by the field that is chosen', () => {
		const filters = { events: ['7'], eventField: 'meta.kind' };
		expect(starts({ meta: { kind: 7 } }, filters)).toBe(true);
		expect(starts({ event: '7' }, filters)).toBe(false);
	});

	test('that are not wanted are named, but not at any length', () => {
		const reason = reasonToSkip({ event: 'x'.repeat(10_000) }, { ...ALL, events });
		expect(reason).toContain('xxx');
		expect(reason?.length).toBeLessThan(200);
	});
});

describe('inbound only', () => {
	test.each<[unknown, boolean]>([
		[true, true],
		['true', true],
		['TRUE', true],
		[1, true],
		['1', true],
		[false, false],
		['false', false],
		['yes', false],
		[0, false],
		[null, false],
		['', false],
		[[true], false],
		[{ toString: 1, valueOf: 1 }, false],
	])('%j is a received message: %s', (inbound, expected) => {
		expect(starts({ inbound }, { inboundOnly: true })).toBe(expected);
		expect(starts({ data: { inbound } }, { inboundOnly: true })).toBe(expected);
	});

	test('looks at the field that is chosen', () => {
		const filters = { inboundOnly: true, inboundField: 'data.direction.in' };
		expect(starts({ data: { direction: { in: true } } }, filters)).toBe(true);
		expect(starts({ inbound: true }, filters)).toBe(false);
	});
});

describe('inboxes', () => {
	const inboxIds = ['11111111-1111-4111-8111-11111111111A', '7'];

	test.each([
		[{ inboxId: '11111111-1111-4111-8111-11111111111A' }, true],
		[{ inboxId: '11111111-1111-4111-8111-11111111111a' }, true],
		[{ data: { inboxId: 7 } }, true],
		[{ inboxId: '22222222-2222-4222-8222-222222222222' }, false],
		[{ inboxId: null }, false],
		[{}, false],
	])('%j starts: %s', (body, expected) => {
		expect(starts(body, { inboxIds })).toBe(expected);
	});
});

describe('conditions', () => {
	const holds = (actual: unknown, comparison: Comparison, value = '') =>
		starts({ field: actual }, { conditions: [{ field: 'field', comparison, value }] });

	test.each<[unknown, Comparison, string, boolean]>([
		['delivered', 'equals', 'delivered', true],
		['delivered', 'equals', 'Delivered', false],
		[5, 'equals', '5', true],
		[true, 'equals', 'true', true],
		[['a', 'b'], 'equals', 'b', true],
		[undefined, 'equals', '', false],
		[{ a: 1 }, 'equals', '{"a":1}', true],
		['delivered', 'notEquals', 'sent', true],
		['sent', 'notEquals', 'sent', false],
		[undefined, 'notEquals', 'sent', true],
		[['a', 'b'], 'notEquals', 'b', false],
		['call me back', 'contains', 'back', true],
		['call me back', 'contains', 'Back', false],
		[['+15550100', '+15550101'], 'contains', '0101', true],
		[undefined, 'contains', '', false],
		['call me', 'notContains', 'back', true],
		['call me back', 'notContains', 'back', false],
		['+15550100', 'startsWith', '+1', true],
		['x+1', 'startsWith', '+1', false],
		['x', 'exists', '', true],
		[0, 'exists', '', true],
		[false, 'exists', '', true],
		[[], 'exists', '', true],
		['', 'exists', '', false],
		[null, 'exists', '', false],
		[undefined, 'exists', '', false],
		[undefined, 'notExists', '', true],
		['x', 'notExists', '', false],
		[10, 'greaterThan', '9', true],
		['10', 'greaterThan', '9', true],
		[9, 'greaterThan', '9', false],
		[8.5, 'lessThan', '9', true],
		[-1, 'lessThan', '0', true],
		['2026-03-01T12:00:00Z', 'greaterThan', '2026-03-01', true],
		['2026-03-01T12:00:00Z', 'lessThan', '2026-03-01T13:00:00+00:00', true],
		['2026-03-01T12:00:00Z', 'lessThan', '2026-03-01T12:30:00+01:00', false],
		['step 5', 'greaterThan', '2000-01-01', false],
		['5', 'lessThan', '2026-01-01', false],
		['x', 'greaterThan', '1', false],
		['x', 'lessThan', '1', false],
		['', 'lessThan', '1', false],
		[null, 'lessThan', '1', false],
		[undefined, 'greaterThan', '-1', false],
		[5, 'greaterThan', '', false],
		[[5], 'greaterThan', '1', false],
	])('%j %s "%s": %s', (actual, comparison, value, expected) => {
		expect(holds(actual, comparison, value)).toBe(expected);
	});

	test('have to hold all', () => {
		const conditions = [
			{ field: 'status', comparison: 'equals' as const, value: 'failed' },
			{ field: 'data.code', comparison: 'greaterThan' as const, value: '30000' },
		];
		expect(starts({ status: 'failed', data: { code: 30_007 } }, { conditions })).toBe(true);
		expect(starts({ status: 'failed', data: { code: 1 } }, { conditions })).toBe(false);
		expect(starts({ data: { code: 30_007 } }, { conditions })).toBe(false);
	});

	test('compare any two JSON values without failing', () => {
		const comparison = fc.constantFrom<Comparison>(
			'contains',
			'equals',
			'exists',
			'greaterThan',
			'lessThan',
			'notContains',
			'notEquals',
			'notExists',
			'startsWith',
		);
		fc.assert(
			fc.property(fc.jsonValue(), comparison, fc.string(), (actual, each, value) => {
				expect(typeof holds(actual, each, value)).toBe('boolean');
			}),
		);
	});
});

test('every filter has to pass', () => {
	const body = { event: 'a', inbound: true, inboxId: '1' };
	const filters = { events: ['a'], inboundOnly: true, inboxIds: ['1'] };
	expect(starts(body, filters)).toBe(true);
	expect(starts({ ...body, event: 'b' }, filters)).toBe(false);
	expect(starts({ ...body, inbound: false }, filters)).toBe(false);
	expect(starts({ ...body, inboxId: '2' }, filters)).toBe(false);
});
