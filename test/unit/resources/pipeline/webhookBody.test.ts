import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { readWebhookBody } from '../../../../nodes/MessagingService/resources/pipeline/webhookBody';
import { failureOf, parametersOf } from '../../helpers/parameters';

const PHONE = '+15555550100';

const read = (values: Record<string, unknown>, input: IDataObject = {}) =>
	readWebhookBody(parametersOf(values), input, { panel: {}, notices: { add: () => {} } });

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
		const { message, description } = failureOf(() => read({ payloadMode }));
		expect(message).toBe('"Payload" has an unknown value');
		expect(description).toContain('This item was not sent.');
	});

	test('is the input item', () => {
		const input = { firstName: 'Ada', nested: { a: [1] } };
		expect(read({ payloadMode: 'input' }, input)).toEqual(input);
	});

	test.each([['{"firstName":"Ada"}'], [{ firstName: 'Ada' }]])('is the JSON %j', (payloadJson) => {
		expect(read({ payloadMode: 'json', payloadJson })).toEqual({ firstName: 'Ada' });
	});

	test.each([['['], ['[]'], [''], ['5']])('is not the JSON %j', (payloadJson) => {
		const error = failureOf(() => read({ payloadMode: 'json', payloadJson }));
		expect(error.message).toMatch(/^"JSON" /);
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
	test.each([
		['+1 (555) 555-0100', PHONE],
		['00 1 555 555 0100', PHONE],
	])('%j goes as %j, from the node or from the payload', (phone, expected) => {
		expect(read({ phone })).toEqual({ phone: expected });
		expect(read({ payloadMode: 'input' }, { phone, plan: 'trial' })).toEqual({
			phone: expected,
			plan: 'trial',
		});
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
		['={{ $json.phone }}', '', 1],
		['={{ $json.phone }}', PHONE, 0],
		['', '', 1],
	])('entered as %j that gives %j is worth %i notices', (entered, phone, count) => {
		const add = jest.fn();
		readWebhookBody(parametersOf({ phone }), {}, { panel: { phone: entered }, notices: { add } });
		expect(add).toHaveBeenCalledTimes(count);
	});

	test('that names no field of the item is refused', () => {
		const run = { panel: { phone: '={{ $json.Phone }}' }, notices: { add: jest.fn() } };
		const { message } = failureOf(() => readWebhookBody(parametersOf({}), {}, run));
		expect(message).toBe('The expression in "Phone" gives nothing');
		const input = { payloadMode: 'input' };
		expect(readWebhookBody(parametersOf(input), { phone: PHONE }, run)).toEqual({ phone: PHONE });
	});

	test.each([
		[{ phone: '' }, 1],
		[{ phone: null }, 1],
		[{ phone: PHONE }, 0],
		[{}, 1],
	])('in the payload %j is worth %i notices', (input, count) => {
		const add = jest.fn();
		const run = { panel: {}, notices: { add } };
		readWebhookBody(parametersOf({ payloadMode: 'input' }), input, run);
		expect(add).toHaveBeenCalledTimes(count);
	});

	test.each([
		[[{ value: PHONE }], /"phone in the payload" has to be text/],
		['(555) 555-0100', /phone in the payload ".*" needs a country code/],
		['call me', /phone in the payload "call me" is not a phone number/],
		['+999 5555 0100', /phone in the payload ".*" has a country code that does not exist/],
		[true, /"phone in the payload" has to be text/],
	])('%j in the payload is refused by the name of that field', (phone, message) => {
		const { message: said } = failureOf(() => read({ payloadMode: 'input' }, { phone }));
		expect(said).toMatch(message);
	});
});

describe('outbound dial', () => {
	test.each([
		[undefined, undefined, {}],
		[true, undefined, { outboundDial: true }],
		[false, undefined, { outboundDial: false }],
		[undefined, 'true', { outboundDial: true }],
		[undefined, '', {}],
		[true, false, { outboundDial: true }],
	])('%j in the node and %j in the payload', (own, inPayload, expected) => {
		const values = { 'options.outboundDial': own, payloadMode: 'input' };
		expect(read(values, { outboundDial: inPayload })).toEqual(expected);
	});

	test.each([
		[undefined, 'maybe', '"Outbound Dial" has to be true or false'],
		['maybe', undefined, '"Outbound Dial" has to be true or false'],
	])('not %j in the node and %j in the payload', (own, inPayload, message) => {
		const values = { 'options.outboundDial': own, payloadMode: 'input' };
		expect(failureOf(() => read(values, { outboundDial: inPayload })).message).toBe(message);
	});
});
