import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { readWebhookBody } from '../../../../nodes/MessagingService/resources/pipeline/webhookBody';
import { failureOf, parametersOf } from '../../helpers/parameters';

const PHONE = '+15555550100';

const read = (values: Record<string, unknown>, input: IDataObject = {}) =>
	readWebhookBody(parametersOf(values), input, {
		input: [input],
		panel: {},
		notices: { add: () => {} },
	});

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
		expect(read({ payloadMode: 'input' }, input)).toEqual(input);
	});

	test.each([['{"firstName":"Ada"}'], [{ firstName: 'Ada' }]])('is the JSON %j', (payloadJson) => {
		expect(read({ payloadMode: 'json', payloadJson })).toEqual({ firstName: 'Ada' });
	});

	test.each([[''], [' '], [undefined]])('has no field with the name %j', (name) => {
		const error = failureOf(() => read(fields({ name, value: 1 })));
		expect(error.message).toBe('A field of the payload has no name');
	});

	test('gets through as it is, whatever the fields are called', () => {
		const names = fc
			.oneof(fc.string({ minLength: 1 }), fc.constantFrom('__proto__', 'constructor', 'toString'))
			.filter((name) => !['phone', 'outboundDial'].includes(name));
		fc.assert(
			fc.property(fc.array(fc.tuple(names, fc.jsonValue())), (entries) => {
				const payload: IDataObject = JSON.parse(JSON.stringify(Object.fromEntries(entries)));
				const body = read({ payloadMode: 'json', payloadJson: JSON.stringify(payload) });
				expect(JSON.stringify(body)).toBe(JSON.stringify(payload));
				expect(JSON.stringify(read({ payloadMode: 'input' }, payload))).toBe(
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
		expect(read({ payloadMode: 'input' }, { phone, plan: 'trial' })).toEqual(body);
	});

	test.each([[''], ['  '], [null], [undefined]])('%j is left out', (phone) => {
		expect(read({ phone, payloadMode: 'input' }, { plan: 'trial' })).toEqual({ plan: 'trial' });
		expect(read({ payloadMode: 'input' }, { phone, plan: 'trial' })).toEqual({ plan: 'trial' });
	});

	test('in the node and in the payload may be the same number', () => {
		const values = { phone: PHONE, payloadMode: 'input' };
		expect(read(values, { phone: '+1 555 555 0100' })).toEqual({ phone: PHONE });
		expect(read(values, { phone: '' })).toEqual({ phone: PHONE });
	});

	test.each([
		['={{ $json.phone }}', '', {}, 'warning'],
		['', '', { phone: '' }, 'warning'],
		['', '', { phone: null }, 'warning'],
		['', '', {}, 'info'],
		['={{ $json.phone }}', PHONE, {}, undefined],
		['', '', { phone: PHONE }, undefined],
	])('%j that gives %j, and %j in the payload: notice %p', (entered, phone, input, type) => {
		const add = jest.fn();
		const run = { input: [input], panel: { phone: entered }, notices: { add } };
		const expressions = { '{{ $json.phone }}': phone };
		const values = { phone, payloadMode: 'json', payloadJson: input };
		readWebhookBody(parametersOf(values, { expressions }), {}, run);
		expect(add.mock.calls.map(([, each]) => each)).toEqual(type ? [type] : []);
	});

	test('that names no field of the item may be in the payload instead', () => {
		const item = { phone: PHONE };
		const panel = { phone: '={{ $json.Phone }}' };
		const run = { input: [item], panel, notices: { add: jest.fn() } };
		const parameters = parametersOf({ payloadMode: 'input' });
		expect(readWebhookBody(parameters, item, run)).toEqual(item);
	});

	// For each of 5,000 items, it would keep n8n busy for 20 seconds.
	test('that no item has is looked for once in a run', () => {
		const ownKeys = jest.fn(Reflect.ownKeys);
		const input = [new Proxy<IDataObject>({ plan: 'trial' }, { ownKeys })];
		const run = { input, panel: { sendOnce: 'key' }, notices: { add: jest.fn() } };
		const parameters = parametersOf({ payloadMode: 'input' });
		for (const plan of ['trial', 'paid']) readWebhookBody(parameters, { plan }, run);
		expect(ownKeys).toHaveBeenCalledTimes(1);
	});

	test.each([
		['call me', 'phone in the payload "call me" is not a phone number'],
		[true, '"phone in the payload" has to be text'],
	])('%j in the payload is refused by the name of that field', (phone, message) => {
		const failure = failureOf(() => read({ payloadMode: 'input' }, { phone }));
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
	expect(read(values, { outboundDial: inPayload })).toEqual(expected);
});

test('outbound dial in the payload may not be anything else', () => {
	const failure = failureOf(() => read({ payloadMode: 'input' }, { outboundDial: 'maybe' }));
	expect(failure.message).toBe('"Outbound Dial" has to be true or false');
});
