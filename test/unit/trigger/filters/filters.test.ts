import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { readFilters, reasonToSkip } from '../../../../nodes/MessagingService/trigger/filters';
import { panelWith } from '../panel';

const read = ({ events = [], ...filters }: IDataObject = {}) =>
	readFilters(panelWith({ events, filters }));

const starts = (body: unknown, filters?: IDataObject) =>
	reasonToSkip(body, read(filters)) === undefined;

test('are read', () => {
	const filters = {
		events: ['a'],
		eventField: 'type',
		inboundOnly: true,
		inboundField: ' in ',
		inboxIds: [{ __rl: true, mode: 'list', value: 'i1' }, 'i2'],
		inboxField: 'box',
	};
	expect(read(filters)).toEqual({
		...filters,
		inboundField: 'in',
		inboxIds: ['i1', 'i2'],
		conditions: [],
	});
});

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
		const reason = reasonToSkip({ event: 'x'.repeat(10_000) }, read({ events }));
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

test('every filter has to pass', () => {
	const body = { event: 'a', inbound: true, inboxId: '1' };
	const filters = { events: ['a'], inboundOnly: true, inboxIds: ['1'] };
	expect(starts(body, filters)).toBe(true);
	expect(starts({ ...body, event: 'b' }, filters)).toBe(false);
	expect(starts({ ...body, inbound: false }, filters)).toBe(false);
	expect(starts({ ...body, inboxId: '2' }, filters)).toBe(false);
});
