import type { IDataObject } from 'n8n-workflow';
import { readEventFilters, reasonToSkip } from '../../../nodes/MessagingService/trigger/filters';
import { failureOf } from '../helpers/parameters';
import { optionsWith, panelWith } from './panel';

const INBOXES = {
	inboxIds: ['11111111-1111-4111-8111-11111111111A', '77777777-7777-4777-8777-777777777777'],
};

const read = (parameters: IDataObject = {}) => readEventFilters(panelWith(parameters));

const skipOf = (event: IDataObject, parameters: IDataObject = {}) =>
	reasonToSkip(event, read(parameters), optionsWith(Object(parameters.options)));

const starts = (event: IDataObject, parameters?: IDataObject) =>
	skipOf(event, parameters) === undefined;

test.each<[string, IDataObject, string]>([
	['events', { events: ['a', ' '] }, '"Events" has an entry without a name'],
	['inboxes', { filters: { inboxIds: [] } }, 'The filter "Inboxes" names no inbox'],
])('%s without a value are refused: %j', (_what, parameters, message) => {
	const problem = failureOf(() => read(parameters));
	expect(problem.message).toBe(message);
	expect(problem.description).toMatch(/, or (?:remove|take) the /);
});

test('an event that does not say what it is starts the workflow, whatever is filtered', () => {
	const parameters = { events: ['message.received'], filters: INBOXES };
	const events = [
		{},
		{ type: 'message.received' },
		{ event: null, inboxId: null, inbound: null },
		{ event: '', inboxId: ' ', inbound: '' },
		{ event: ['other'], inboxId: { id: '2' }, inbound: [false] },
		{ events: [{ event: 'other', inbound: false, inboxId: '2' }] },
		{ body: 'text' },
	];
	for (const event of events) expect(starts(event, parameters)).toBe(true);
});

describe('events', () => {
	const events = ['message.received', 'agent.answered'];

	test.each<[IDataObject, boolean]>([
		[{ event: 'message.received' }, true],
		[{ data: { event: 'message.received' } }, true],
		[{ event: 'message.status' }, false],
		[{ payload: { event: 'message.status' } }, false],
		[{ event: 'Message.Received' }, false],
		[{ event: '', data: { event: 'message.status' } }, false],
	])('%j starts: %s', (event, expected) => {
		expect(starts(event, { events })).toBe(expected);
	});

	test.each<[unknown, string[]]>([
		[[], []],
		[
			['b', 'a', 'b'],
			['a', 'b'],
		],
		['a, b', ['a', 'b']],
		[
			['a,b', 'c'],
			['a', 'b', 'c'],
		],
		[undefined, []],
		[5, ['5']],
		['a, ', ['a']],
	])('%j are read as %j', (names, expected) => {
		expect(read({ events: names } as IDataObject).events).toEqual(expected);
	});

	test('are named by the field that is chosen', () => {
		const parameters = { events: ['7'], options: { eventField: 'meta.kind' } };
		expect(starts({ meta: { kind: 7 } }, parameters)).toBe(true);
		expect(starts({ meta: { kind: 8 }, event: '7' }, parameters)).toBe(false);
	});
});

describe('ignore outbound', () => {
	test.each<[unknown, boolean]>([
		[false, false],
		['False', false],
		[0, false],
		['0', false],
		['Outbound', false],
		['out', false],
		['outbound-api', false],
		['OUTGOING', false],
		['sent', true],
		['about', true],
		[true, true],
		['inbound', true],
		[1, true],
		[null, true],
		['', true],
		[[false], true],
	])('%j starts: %s', (value, expected) => {
		const inbound = value as IDataObject[string];
		for (const event of [{ inbound }, { data: { inbound } }, { message: { inbound } }])
			expect(starts(event)).toBe(expected);
		expect(starts({ inbound }, { ignoreOutbound: false })).toBe(true);
	});

	test('is not misled by an earlier message', () => {
		const event = { previous: { inbound: false }, data: { inbound: true } };
		expect(starts(event)).toBe(true);
		expect(starts({ previous: { inbound: true }, data: { inbound: false } })).toBe(false);
		expect(starts({ data: { inbound: true, previous: { inbound: false } } })).toBe(true);
	});

	test('looks at the direction, too, where no other field is chosen', () => {
		for (const event of [{ direction: 'outbound' }, { data: { direction: 'outgoing' } }])
			expect(starts(event)).toBe(false);
		expect(skipOf({ direction: 'out' })).toContain('its field "direction" says');
		expect(starts({ direction: 'in' })).toBe(true);
		expect(starts({ inbound: true, direction: 'outbound' })).toBe(true);
		expect(starts({ direction: 'out' }, { options: { inboundField: 'kind' } })).toBe(true);
	});

	test('looks at the field that is chosen', () => {
		const options = { inboundField: 'data.way' };
		expect(starts({ data: { way: 'outbound' } }, { options })).toBe(false);
		expect(starts({ inbound: false }, { options })).toBe(true);
	});
});

describe('inboxes', () => {
	test.each<[IDataObject, boolean]>([
		[{ inboxId: '11111111-1111-4111-8111-11111111111A' }, true],
		[{ inboxId: '11111111-1111-4111-8111-11111111111a' }, true],
		[{ data: { inboxId: '77777777-7777-4777-8777-777777777777' } }, true],
		[{ previous: { inboxId: 8 }, data: { inboxId: INBOXES.inboxIds[1] } }, true],
		[{ inboxId: '22222222-2222-4222-8222-222222222222' }, false],
		[{ message: { inboxId: 8 } }, false],
		[{ inboxId: '', data: { inboxId: 8 } }, false],
	])('%j starts: %s', (event, expected) => {
		expect(starts(event, { filters: INBOXES })).toBe(expected);
	});
});
