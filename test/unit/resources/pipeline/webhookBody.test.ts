import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Item, Run } from '../../../../nodes/MessagingService/resources/operation';
import { findInexact } from '../../../../nodes/MessagingService/api/json';
import { readWebhookBody } from '../../../../nodes/MessagingService/resources/pipeline/webhookBody';
import { fake } from '../../helpers/fake';
import { failureOf, parametersOf } from '../../helpers/parameters';

const PHONE = '+15555550100';

interface Setting {
	/** The input item. */
	json?: IDataObject;
	/** What expressions give, without their "=". */
	expressions?: Record<string, unknown>;
	/** The parameters with expressions unresolved. */
	raw?: INodeParameters;
	notice?: (words: string) => void;
}

/** Reads the body for an item whose agent may start without a contact. */
function read(
	values: Record<string, unknown>,
	{ json = {}, expressions, raw = {}, notice = () => {} }: Setting = {},
): IDataObject {
	const parameters = parametersOf(
		{ 'options.startWithoutContact': true, ...values },
		{ expressions },
	);
	const run = fake<Run>({ rawParameters: raw, notices: { add: notice } });
	return readWebhookBody(fake<Item>({ parameters, json }), run);
}

const fields = (...assignments: unknown[]) => ({
	payloadMode: 'fields',
	payloadFields: { assignments },
});

describe('the payload', () => {
	test('comes from fields', () => {
		const values = fields(
			{ id: '1', name: 'firstName', value: 'Ada', type: 'string' },
			{ id: '2', name: ' plan ', value: null, type: 'string' },
			{ id: '3', name: 'tags', value: ['a', 'b'], type: 'array' },
		);
		expect(read(values)).toEqual({ firstName: 'Ada', plan: null, tags: ['a', 'b'] });
	});

	test.each(['JSON', '', 5, ['json']])('is refused when its kind is %j', (payloadMode) => {
		const { message } = failureOf(() => read({ payloadMode }));
		expect(message).toBe(`"Payload" has an unknown value: ${JSON.stringify(payloadMode)}`);
	});

	test('is the input item', () => {
		const input = { firstName: 'Ada', nested: { a: [1] } };
		expect(read({ payloadMode: 'input' }, { json: input })).toEqual(input);
	});

	test.each([['{"firstName":"Ada"}'], [{ firstName: 'Ada' }]])('is the JSON %j', (payloadJson) => {
		expect(read({ payloadMode: 'json', payloadJson })).toEqual({ firstName: 'Ada' });
	});

	test.each([[''], [' '], [undefined]])('has no field with the name %j', (name) => {
		const error = failureOf(() => read(fields({ name, value: 1 })));
		expect(error.message).toBe('A field of the payload has no name');
	});

	test.each([
		[
			'{"id":1234567890123456789}',
			'"JSON" has a number that is too long to be exact: 1234567890123456789',
		],
		[
			'{"a":[-9007199254740993]}',
			'"JSON" has a number that is too long to be exact: -9007199254740993',
		],
	])('is refused when it would lose digits: %s', (payloadJson, message) => {
		expect(failureOf(() => read({ payloadMode: 'json', payloadJson })).message).toBe(message);
	});

	test.each([
		'{"id":"1234567890123456789"}',
		'{"a":0.1234567890123456789}',
		'{"a":9007199254740991}',
	])('keeps its numbers: %s', (payloadJson) => {
		expect(read({ payloadMode: 'json', payloadJson })).toEqual(JSON.parse(payloadJson));
	});

	test('is refused when a field of the type "number" would lose digits', () => {
		const error = failureOf(() =>
			read(fields({ name: 'id', value: '1234567890123456789', type: 'number' })),
		);
		expect(error.message).toBe('The number in the payload field "id" is too long to be exact');
	});

	test('gets through as it is, whatever the fields are called', () => {
		const names = fc
			.oneof(fc.string({ minLength: 1 }), fc.constantFrom('__proto__', 'constructor', 'toString'))
			.filter((name) => !['phone', 'outboundDial'].includes(name));
		fc.assert(
			fc.property(fc.array(fc.tuple(names, fc.jsonValue())), (entries) => {
				const payload: IDataObject = JSON.parse(JSON.stringify(Object.fromEntries(entries)));
				fc.pre(findInexact(JSON.stringify(payload)) === undefined);
				const body = read({ payloadMode: 'json', payloadJson: JSON.stringify(payload) });
				expect(JSON.stringify(body)).toBe(JSON.stringify(payload));
				expect(JSON.stringify(read({ payloadMode: 'input' }, { json: payload }))).toBe(
					JSON.stringify(payload),
				);
			}),
			{ numRuns: 500 },
		);
	});
});

describe('the phone', () => {
	test('goes as E.164, from the node or from the payload', () => {
		const phone = '+1 (555) 555-0100';
		expect(read({ phone })).toEqual({ phone: PHONE });
		const body = { phone: PHONE, plan: 'trial' };
		expect(read({ payloadMode: 'input' }, { json: { phone, plan: 'trial' } })).toEqual(body);
	});

	test.each([[''], ['  '], [null], [undefined]])('%j is left out', (phone) => {
		expect(read({ phone, payloadMode: 'input' }, { json: { plan: 'trial' } })).toEqual({
			plan: 'trial',
		});
		expect(read({ payloadMode: 'input' }, { json: { phone, plan: 'trial' } })).toEqual({
			plan: 'trial',
		});
	});

	test('in the node and in the payload may be the same number', () => {
		const values = { phone: PHONE, payloadMode: 'input' };
		expect(read(values, { json: { phone: '+1 555 555 0100' } })).toEqual({ phone: PHONE });
		expect(read(values, { json: { phone: '' } })).toEqual({ phone: PHONE });
	});

	test.each([[''], [undefined], [null]])('is required: %j', (phone) => {
		const values = { phone, payloadMode: 'input', 'options.startWithoutContact': false };
		const error = failureOf(() => read(values, { json: { phone } }));
		expect(error.message).toBe('"Phone" is empty');
		expect(error.description).toContain('turn on "Start Without Contact"');
	});

	test('may be left out where the agent needs no contact', () => {
		expect(read({ payloadMode: 'input' }, { json: { leadId: 7, phone: '' } })).toEqual({
			leadId: 7,
		});
	});

	test('may be in the payload instead', () => {
		const values = { payloadMode: 'input', 'options.startWithoutContact': false };
		expect(read(values, { json: { phone: PHONE } })).toEqual({ phone: PHONE });
	});

	test.each([
		['call me', 'phone in the payload "call me" is not a phone number'],
		[true, '"phone in the payload" has to be text'],
	])('%j in the payload is refused by the name of that field', (phone, message) => {
		const failure = failureOf(() => read({ payloadMode: 'input' }, { json: { phone } }));
		expect(failure.message).toBe(message);
	});
});

test.each([
	[undefined, undefined, {}],
	[true, undefined, { outboundDial: true }],
	[undefined, 'true', { outboundDial: true }],
	[undefined, '', {}],
	[true, false, { outboundDial: true }],
])('outbound dial is %j in the node and %j in the payload', (own, inPayload, expected) => {
	const values = { 'options.outboundDial': own, payloadMode: 'input' };
	expect(read(values, { json: { outboundDial: inPayload } })).toEqual(expected);
});

test('outbound dial in the payload may not be anything else', () => {
	const failure = failureOf(() =>
		read({ payloadMode: 'input' }, { json: { outboundDial: 'maybe' } }),
	);
	expect(failure.message).toBe('"Outbound Dial" has to be true or false');
});
