/** What a webhook call is made of; how the node sends it is tried in `engine/parameters.test.ts`. */
import fc from 'fast-check';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { findInexact } from '../../../../nodes/MessagingService/api/json';
import { noResponse } from '../../../../nodes/MessagingService/api/request';
import type { Item, Run } from '../../../../nodes/MessagingService/operations/operation';
import { readWebhookCall } from '../../../../nodes/MessagingService/operations/agent/webhookCall';
import { API_KEY, clientOf } from '../../helpers/api';
import { fake } from '../../helpers/fake';
import { failureOf, parametersOf } from '../../helpers/parameters';
import { VirtualClock } from '../../helpers/virtualClock';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const ADDRESS = `https://messaging.example.com/public/pipelines/webhook/${ID}`;
const PHONE = '+15555550100';

/** Reads the call for an item whose agent may start without a contact. */
function read(values: Record<string, unknown>, json: IDataObject = {}, notices: string[] = []) {
	const all = { webhook: ID, 'options.startWithoutContact': true, ...values };
	const run = fake<Run>({
		client: clientOf(async () => noResponse('unreachable'), new VirtualClock()),
		context: fake<IExecuteFunctions>({ getInputData: () => [{ json }] }),
		rawParameters: { phone: String(values.phone ?? '') },
		notices: { add: (words: string) => void notices.push(words) },
		shared: <Value extends object>(Type: new () => Value) => new Type(),
	});
	return readWebhookCall(fake<Item>({ parameters: parametersOf(all), json }), run);
}

const inEveryMode = (value: unknown) => [
	value,
	{ __rl: true, mode: 'url', value },
	{ __rl: true, mode: 'id', value },
];

test.each([
	ID,
	ID.toUpperCase(),
	` ${ID}\n`,
	` ${ADDRESS} `,
	`${ADDRESS}/?a=1#top`,
	`http://localhost:8080/x/webhook/${ID}`,
	`messaging.example.com/public/pipelines/webhook/${ID}`,
])('a webhook is read in either mode: %j', (value) => {
	for (const webhook of inEveryMode(value)) expect(read({ webhook }).id).toBe(ID);
});

const INCOMPLETE = /^"Agent Webhook" is incomplete/;
const NO_ADDRESS = /^"Agent Webhook" is not a webhook address/;

test.each([
	[ID.slice(0, -1), INCOMPLETE],
	[ID.slice(0, 8), INCOMPLETE],
	[ID.slice(4), INCOMPLETE],
	[ADDRESS.slice(0, -4), INCOMPLETE],
	['https://messaging.example.com/public/pipelines/webhook/lead', NO_ADDRESS],
	[`${ID}/../${ID}`, NO_ADDRESS],
	[`${ID}0`, NO_ADDRESS],
	[`https://messaging.example.com/?id=${ID}`, NO_ADDRESS],
	[`https://messaging.example.com/agents/${ID}`, NO_ADDRESS],
])('what is no webhook is refused: %j', (webhook, message) => {
	const error = failureOf(() => read({ webhook }));
	expect(error.message).toMatch(message);
	expect(error.description).toMatch(/agent builder/);
});

const ofInput = (json: IDataObject, values = {}) =>
	read({ payloadMode: 'input', ...values }, json).body;
const ofJson = (payloadJson: string) => read({ payloadMode: 'json', payloadJson }).body;

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

test.each([
	['+1 555 555 0100'],
	['(555) 555-0100'],
	[15555550100],
	[''],
	['home'],
	[[{ type: 'home' }]],
])('the phone of the node stands in the place of what is no other number: %j', (phone) => {
	expect(ofInput({ phone }, { phone: PHONE })).toEqual({ phone: PHONE });
});

test.each(['+1 555 555 0142', '(555) 555-0142', 15555550142, '5550142'])(
	'the phone of the node is not that of somebody else in the payload: %j',
	(phone) => {
		expect(() => ofInput({ phone }, { phone: PHONE })).toThrow(/in the node but .* in the payload/);
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

test('no part of the key is left in the notice of a gap that is shortened', () => {
	for (let length = 980; length <= 1_000; length++) {
		const notices: string[] = [];
		read({ payloadMode: 'input' }, { note: `{{${'-'.repeat(length)}${API_KEY}}}` }, notices);
		expect(notices).toEqual([expect.stringContaining('has a gap: {{---')]);
		expect(notices[0]).not.toContain(API_KEY.slice(0, 2));
	}
});
