import type { IDataObject } from 'n8n-workflow';
import { reasonToSkip } from '../../../nodes/MessagingService/trigger/filters';
import { settingsWith } from './panel';

const FILTERED = { events: ['message.received'] };

const skipOf = (event: IDataObject, parameters: IDataObject = {}) =>
	reasonToSkip(event, settingsWith(parameters).filters);

const starts = (event: IDataObject, parameters?: IDataObject) =>
	skipOf(event, parameters) === undefined;

test('an event that does not say what it is starts the workflow, whatever is filtered', () => {
	const events = [
		{},
		{ type: 'other' },
		{ event: null, inbound: null },
		{ event: '', inbound: '' },
		{ event: ['other'], inbound: [false] },
		{ previous: { event: 'other', inbound: false } },
		{ body: 'text' },
	];
	for (const event of events) expect(starts(event, FILTERED)).toBe(true);
});

test.each<[IDataObject, boolean]>([
	[{ event: 'message.received' }, true],
	[{ event: 'Message.Received' }, false],
	[{ inbound: true, direction: 'outbound' }, true],
	[{ inbound: ' ', direction: 'outbound' }, false],
	[{ direction: 'in' }, true],
])('%j starts, at the top or further down: %s', (event, expected) => {
	const parts = [event, { message: event }];
	for (const each of [...parts, ...parts.flatMap((data) => [{ data }, { payload: data }])])
		expect(starts(each, FILTERED)).toBe(expected);
});

test('of several fields with the same name, the outermost counts', () => {
	expect(starts({ inbound: true, data: { inbound: false } })).toBe(true);
	expect(starts({ inbound: false, data: { inbound: true } })).toBe(false);
	expect(starts({ payload: { inbound: false }, data: { inbound: true } })).toBe(true);
});

test.each<[unknown, boolean]>([
	[false, false],
	['False', false],
	[0, false],
	['0', false],
	['out', false],
	['OUTGOING', false],
	['outbound-api', false],
	['sent', true],
	['about', true],
	[true, true],
	['inbound', true],
	[1, true],
])('with %j as its direction, an event starts: %s', (value, expected) => {
	const inbound = value as IDataObject[string];
	expect(starts({ inbound })).toBe(expected);
	expect(starts({ inbound }, { ignoreOutbound: false })).toBe(true);
});

test('other fields can be named', () => {
	const options = { eventField: 'meta.kind', inboundField: 'data.way' };
	const event = { meta: { kind: 'message.received' }, data: { way: 'in' } };
	const parameters = { ...FILTERED, options };
	expect(starts({ ...event, event: 'b', inbound: false }, parameters)).toBe(true);
	for (const other of [{ meta: { kind: 7 } }, { data: { way: 'out' } }])
		expect(starts({ ...event, ...other }, parameters)).toBe(false);
});

test('says why', () => {
	expect(skipOf({ event: 'b' }, FILTERED)).toBe(
		'it is called "b", and "Events" lists "message.received"',
	);
	expect(skipOf({ direction: 'out' })).toMatch(/^its field "direction" says/);
});
