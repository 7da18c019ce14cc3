/** What the body of a webhook call is made of; how the node sends it is tried in `engine/parameters.test.ts`. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { findInexact } from '../../../../nodes/MessagingService/api/json';
import type { Item, Run } from '../../../../nodes/MessagingService/operations/operation';
import { readWebhookBody } from '../../../../nodes/MessagingService/operations/agent/webhookCall';
import { fake } from '../../helpers/fake';
import { parametersOf } from '../../helpers/parameters';

const PHONE = '+15555550100';

/** Reads the body for an item whose agent may start without a contact. */
function read(values: Record<string, unknown>, json: IDataObject = {}): IDataObject {
	const parameters = parametersOf({ 'options.startWithoutContact': true, ...values });
	const run = fake<Run>({
		rawParameters: { phone: String(values.phone ?? '') },
		notices: { add: () => {} },
		shared: <Value extends object>(Type: new () => Value) => new Type(),
	});
	return readWebhookBody(fake<Item>({ parameters, json }), run);
}

const ofInput = (json: IDataObject, values = {}) => read({ payloadMode: 'input', ...values }, json);
const ofJson = (payloadJson: string) => read({ payloadMode: 'json', payloadJson });

test.each([
	'{"id":"1234567890123456789"}',
	'{"a":0.1234567890123456789}',
	'{"a":9007199254740991,"b":-1.5e-7}',
])('a payload keeps its numbers: %s', (payloadJson) => {
	expect(ofJson(payloadJson)).toEqual(JSON.parse(payloadJson));
});

test('a payload gets through as it is, whatever its fields are called', () => {
	const names = fc
		.oneof(fc.string({ minLength: 1 }), fc.constantFrom('__proto__', 'constructor', 'toString'))
		.filter((name) => !['phone', 'outboundDial'].includes(name));
	fc.assert(
		fc.property(fc.array(fc.tuple(names, fc.jsonValue())), (entries) => {
			const text = JSON.stringify(Object.fromEntries(entries));
			fc.pre(findInexact(text) === undefined);
			const payload: IDataObject = JSON.parse(text);
			for (const body of [ofJson(text), ofInput(payload)])
				expect(JSON.stringify(body)).toBe(JSON.stringify(payload));
		}),
		{ numRuns: 500 },
	);
});

test.each([['+1 555 555 0100'], [''], ['(555) 555-0142'], [[{ type: 'home' }]]])(
	'the phone of the node stands in the place of what is no other number: %j',
	(phone) => {
		expect(ofInput({ phone }, { phone: PHONE })).toEqual({ phone: PHONE });
	},
);

test.each([
	[undefined, undefined, {}],
	[true, undefined, { outboundDial: true }],
	[undefined, 'as it is', { outboundDial: 'as it is' }],
	[false, true, { outboundDial: false }],
])('outbound dial is %j in the node and %j in the payload', (own, inPayload, expected) => {
	const payload = inPayload === undefined ? {} : { outboundDial: inPayload };
	expect(ofInput(payload, { 'options.outboundDial': own })).toEqual(expected);
});
