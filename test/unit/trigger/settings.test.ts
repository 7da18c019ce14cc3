import type { IDataObject } from 'n8n-workflow';
import { reasonToSkip } from '../../../nodes/MessagingService/trigger/settings';
import { failureOf } from '../helpers/parameters';
import { settingsWith } from './panel';

const FILTERED = { events: ['message.received'] };

const skipOf = (event: IDataObject, parameters: IDataObject = {}) =>
	reasonToSkip(event, settingsWith(parameters));

const starts = (event: IDataObject, parameters?: IDataObject) =>
	skipOf(event, parameters) === undefined;

test('an event that does not say what it is starts the workflow, whatever is filtered', () => {
	const events = [
		...[{}, { type: 'other' }, { body: 'text' }, { data: 'text' }, { data: '{"inbound":' }],
		...[
			{ event: null, inbound: null },
			{ event: '', inbound: '' },
		],
		{ event: ['other'], inbound: [false] },
		{ previous: { event: 'other', inbound: false } },
	];
	for (const event of events) expect(starts(event, FILTERED)).toBe(true);
});

test.each<[IDataObject, boolean]>([
	[{ event: 'message.received' }, true],
	[{ event: 'Message.Received' }, true],
	[{ event: 'message.receive' }, false],
	[{ inbound: true, direction: 'outbound' }, true],
	[{ inbound: ' ', direction: 'outbound' }, false],
	[{ direction: 'in' }, true],
	[{ Direction: 'OUTBOUND' }, false],
	[{ Event: 'Message.Received' }, true],
])('%j starts, at the top or further down, also as JSON in a text: %s', (event, expected) => {
	const message = JSON.stringify(event);
	const parts: IDataObject[] = [event, { message: event }, { message }];
	const inData = parts.flatMap((data) => [{ data }, { data: JSON.stringify(data) }]);
	const inPayload = parts.flatMap((payload) => [{ payload }, { payload: JSON.stringify(payload) }]);
	const capitalized = { Payload: { Message: event } };
	for (const each of [
		...[...parts, ...inData, ...inPayload],
		...[{ data: JSON.stringify(message) }, capitalized],
	])
		expect([each, starts(each, FILTERED)]).toEqual([each, expected]);
});

test('of several fields with the same name, the outermost counts', () => {
	expect(starts({ inbound: true, data: { inbound: false } })).toBe(true);
	expect(starts({ inbound: false, data: { inbound: true } })).toBe(false);
	expect(starts({ payload: { inbound: false }, data: { inbound: true } })).toBe(true);
});

test.each<[starts: boolean, values: unknown[]]>([
	[false, [false, 'False', 0, '0', 'out', 'OUTGOING', 'outbound-api']],
	[true, ['sent', 'about', true, 'inbound', 1]],
])('an event starts: %s, with any of %j as its direction', (expected, values) => {
	for (const inbound of values as Array<IDataObject[string]>) {
		expect([inbound, starts({ inbound })]).toEqual([inbound, expected]);
		expect(starts({ inbound }, { ignoreOutbound: false })).toBe(true);
	}
});

test('other fields can be named', () => {
	const options = { eventField: 'meta.kind', inboundField: 'data.0.way' };
	const event = { meta: { kind: 'message.received' }, data: [{ way: 'in' }] };
	const parameters = { ...FILTERED, options };
	expect(starts({ ...event, event: 'b', inbound: false }, parameters)).toBe(true);
	for (const other of [{ meta: { kind: 7 } }, { data: [{ way: 'out' }] }])
		expect(starts({ ...event, ...other }, parameters)).toBe(false);
});

test('says why', () => {
	expect(skipOf({ event: 'b' }, FILTERED)).toBe(
		'it is called "b", and "Events" lists "message.received"',
	);
	expect(skipOf({ direction: 'out' })).toMatch(/^its field "direction" says/);
	const events = Array.from({ length: 11 }, (_, index) => `e${index}`);
	expect(skipOf({ event: 'b' }, { events })).toMatch(/lists "e0", .*, "e8" and more$/);
});

test('names come in a list, or between commas', () => {
	const namesIn = (events: IDataObject[string]) => settingsWith({ events }).events;
	expect(namesIn([])).toEqual([]);
	expect(namesIn('a, ')).toEqual(['a']);
	expect(namesIn(['b', 'a,b', 5])).toEqual(['5', 'a', 'b']);
});

test.each([null, undefined, '', ' ', [null], ['a', ' '], [',']])(
	'events of which nothing is left do not start everything: %j',
	(events) => {
		const problem = failureOf(() => settingsWith({ events } as IDataObject));
		expect(problem.message).toBe('"Events" has an entry without a name');
		expect(problem.description).toMatch(/If it has an expression, that gives nothing\.$/);
	},
);
