import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { readFilters } from '../../../../nodes/MessagingService/trigger/filters';
import { reasonToSkip } from '../../../../nodes/MessagingService/trigger/filters/skip';
import { PanelValues } from '../../../../nodes/MessagingService/trigger/panelValues';
import { panelWith, problemOf } from '../panel';

const INBOXES = { inboxIds: ['11111111-1111-4111-8111-11111111111A', '7'] };

function read({ filters = {}, options = {}, ...rest }: IDataObject = {}) {
	return readFilters(panelWith({ filters, ...rest }), PanelValues.in(options));
}

const skipOf = (body: unknown, parameters?: IDataObject) => reasonToSkip(body, read(parameters));

const starts = (body: unknown, parameters?: IDataObject) => skipOf(body, parameters) === undefined;

/** What whoever tries the trigger out reads. */
function wordsOf(body: unknown, parameters: IDataObject): string {
	const { reason, advice } = skipOf(body, parameters) ?? {};
	return `${reason}. ${advice}`;
}

test('are read', () => {
	const parameters = {
		events: ['a'],
		ignoreOutbound: false,
		filters: { inboxIds: [{ __rl: true, mode: 'list', value: 'i1' }, 'i2'] },
		options: { eventField: 'type', inboundField: ' in ', inboxField: 'box' },
	};
	expect(read(parameters)).toEqual({
		events: ['a'],
		eventField: 'type',
		ignoreOutbound: false,
		inboundField: 'in',
		inboxIds: ['i1', 'i2'],
		inboxField: 'box',
		conditions: [],
	});
});

test.each<[string, IDataObject, string]>([
	['events', { events: ['a', ' '] }, '"Events" has an entry without a name'],
	['inboxes', { filters: { inboxIds: [] } }, '"Inboxes" has no inbox'],
	[
		'inboxes',
		{ filters: { inboxIds: { __rl: true, mode: 'list', value: '' } } },
		'"Inboxes" has no inbox',
	],
	['conditions', { filters: { conditions: {} } }, '"Conditions" has no condition'],
])('%s without a value are refused: %j', (_what, parameters, message) => {
	const problem = problemOf(() => read(parameters));
	expect(problem.message).toBe(message);
	expect(problem.description).toMatch(/, or remove the /);
});

test('without filters everything starts the workflow', () => {
	const all = { ignoreOutbound: false };
	fc.assert(fc.property(fc.jsonValue(), (body) => expect(starts(body, all)).toBe(true)));
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
		const parameters = { events: ['7'], options: { eventField: 'meta.kind' } };
		expect(starts({ meta: { kind: 7 } }, parameters)).toBe(true);
		expect(starts({ event: '7' }, parameters)).toBe(false);
	});

	test('that are not wanted are named, and so is what is listed', () => {
		expect(wordsOf({ event: 'message.status' }, { events })).toBe(
			'it is called "message.status", and "Events" lists "agent.answered", "message.received". To have it start the workflow, add its name to "Events".',
		);
	});

	test('without a name say which fields there are', () => {
		expect(wordsOf({ type: 'a', data: {} }, { events })).toBe(
			'it has no field "event" that names it, and "Events" lists "agent.answered", "message.received". The fields of its body are "type", "data". Set "Event Field" in the options to the one that names the event.',
		);
		expect(wordsOf({}, { events })).toContain('Its body is empty.');
	});

	test('are quoted, but not at any length', () => {
		const long = 'x'.repeat(10_000);
		const body = Object.fromEntries(events.concat(long).map((name) => [name, long]));
		for (const each of [{ event: long }, body, ...Array(100).fill(body)]) {
			expect(wordsOf(each, { events: Array(50).fill(long) }).length).toBeLessThan(2_000);
		}
		expect(skipOf({ event: long }, { events })?.reason).toMatch(/x{100}…"/);
	});
});

describe('ignore outbound', () => {
	test.each<[unknown, boolean]>([
		[false, false],
		['false', false],
		['FALSE', false],
		[0, false],
		['0', false],
		['outbound', false],
		['Outbound', false],
		[true, true],
		['true', true],
		['inbound', true],
		[1, true],
		[null, true],
		[undefined, true],
		['', true],
		['no', true],
		[[false], true],
		[{ toString: 1, valueOf: 1 }, true],
	])('%j starts: %s', (inbound, expected) => {
		expect(starts({ inbound })).toBe(expected);
		expect(starts({ data: { inbound } })).toBe(expected);
		expect(starts({ inbound }, { ignoreOutbound: false })).toBe(true);
	});

	test('lets events without the field pass', () => {
		for (const body of [{}, { event: 'a' }, { data: { text: 'hello' } }, [], 'text'])
			expect(starts(body)).toBe(true);
	});

	test('looks into lists of messages', () => {
		const sent = { inbound: false };
		expect(starts({ data: [sent, sent] })).toBe(false);
		expect(starts({ body: [sent] })).toBe(false);
		expect(starts({ data: [sent, { inbound: true }] })).toBe(true);
		expect(starts({ data: [sent, {}] })).toBe(true);
		expect(starts({ data: [] })).toBe(true);
		expect(starts({ inbound: true, data: [sent] })).toBe(true);
	});

	test('looks at the field that is chosen', () => {
		const options = { inboundField: 'data.direction' };
		expect(starts({ data: { direction: 'outbound' } }, { options })).toBe(false);
		expect(starts({ inbound: false }, { options })).toBe(true);
	});

	test('says so, and how it is turned off', () => {
		expect(wordsOf({ data: { inbound: false } }, {})).toBe(
			'by its field "inbound" it is outbound, and "Ignore Outbound" is on. It is about a message you sent. To have such events start the workflow, turn off "Ignore Outbound".',
		);
	});

	test('is on unless it is turned off, and nothing between', () => {
		for (const ignoreOutbound of [undefined, null, true, 'true'])
			expect(read({ ignoreOutbound }).ignoreOutbound).toBe(true);
		expect(read({ ignoreOutbound: 'false' }).ignoreOutbound).toBe(false);
		for (const ignoreOutbound of ['yes', '', 0, 1, []])
			expect(problemOf(() => read({ ignoreOutbound })).message).toContain(
				'"Ignore Outbound" is neither true nor false',
			);
	});
});

describe('inboxes', () => {
	test.each([
		[{ inboxId: '11111111-1111-4111-8111-11111111111A' }, true],
		[{ inboxId: '11111111-1111-4111-8111-11111111111a' }, true],
		[{ data: { inboxId: 7 } }, true],
		[{ inboxId: '22222222-2222-4222-8222-222222222222' }, false],
		[{ inboxId: null }, false],
		[{}, false],
	])('%j starts: %s', (body, expected) => {
		expect(starts(body, { filters: INBOXES })).toBe(expected);
	});

	test('that are not wanted are named, and so is what is listed', () => {
		const filters = { inboxIds: ['7'] };
		expect(wordsOf({ inboxId: 8 }, { filters })).toMatch(
			/^its inbox is "8", and "Inboxes" lists "7"/,
		);
		expect(wordsOf({ box: 7 }, { filters })).toBe(
			'it has no field "inboxId", and "Inboxes" lists "7". The fields of its body are "box". Set "Inbox Field" in the options to the one with the ID of the inbox.',
		);
	});
});

test('a condition that does not hold is shown with what the event has, which the log has not', () => {
	const filters = {
		conditions: { values: [{ field: 'data.segments', comparison: 'lessThan', value: '3' }] },
	};
	const { reason, advice } = skipOf({ data: { segments: 5 } }, { filters }) ?? {};
	expect(reason).toBe('the condition on "data.segments" does not hold');
	expect(advice).toBe(
		'The condition is "data.segments is less or earlier than 3", and the event has "5" there.',
	);
	expect(wordsOf({ data: {} }, { filters })).toContain(
		'and the event has no such field. The fields',
	);
});

test('every filter has to pass', () => {
	const body = { event: 'a', inbound: true, inboxId: '7' };
	const parameters = { events: ['a'], filters: INBOXES };
	expect(starts(body, parameters)).toBe(true);
	expect(starts({ ...body, event: 'b' }, parameters)).toBe(false);
	expect(starts({ ...body, inbound: false }, parameters)).toBe(false);
	expect(starts({ ...body, inboxId: '2' }, parameters)).toBe(false);
});
