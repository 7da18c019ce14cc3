/** The trigger in a real n8n: who may start a workflow, with what, and how often. */
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../sandbox/n8n/credentials.ts';
import type { Flow } from '../../sandbox/n8n/flow.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { webhookNode } from '../../sandbox/n8n/workflows.ts';
import { byId } from '../../sandbox/operations.ts';
import {
	seeded,
	type EventSettingsPatch,
	type SettingsPatch,
} from '../../sandbox/service/service.ts';
import { callTrigger, outputs, post, SECRET, type Call } from './events.ts';

jest.setTimeout(START_TIMEOUT_MS);

/** As small as n8n allows, so that a large body need not be. */
const PAYLOAD_LIMIT = 1_048_576;
const LIMITED = { N8N_PAYLOAD_SIZE_MAX: '1' };

let sandbox: Sandbox;
let refusals: Promise<Refusal[]>;

beforeAll(async () => {
	sandbox = await startSandbox({
		service: { agent: { enabled: false } },
		n8n: { env: LIMITED },
		credential: { data: { webhookSecret: SECRET } },
	});
	refusals = startRefusals();
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

/** An active workflow that begins with the trigger. */
const flowWith = (parameters: INodeParameters = {}) =>
	sandbox.activate([sandbox.trigger(parameters)]);

/** Has the service prove its events. */
const SIGNED: SettingsPatch = { events: { signing: { kind: 'sharedSecret', secret: SECRET } } };

/** Has the service send its events to a workflow. */
async function connectService(flow: Flow, more: EventSettingsPatch = {}): Promise<void> {
	await sandbox.service.configure({
		events: {
			subscriptions: [{ url: flow.url }],
			signing: { kind: 'sharedSecret', secret: SECRET },
			...more,
		},
	});
}

const stateOfDeliveries = async () => {
	await sandbox.service.deliveriesSettled();
	return sandbox.service.deliveries().map(({ state }) => state);
};

const hmac = (content: string | Buffer, key = SECRET) => createHmac('sha256', key).update(content);

const automatic = { registration: 'automatic', subscriptionPath: '/public/webhooks' };

interface Refusal {
	flow: Flow;
	/** What n8n says against the activation. */
	words: string;
	expected: RegExp;
}

/**
 * Activates workflows that cannot be. n8n 2.41 tries for a quarter of a minute before it says so, while the
 * other tests run.
 */
async function startRefusals(): Promise<Refusal[]> {
	const noSecret = /The credential has no webhook secret: enter it there/;
	const nobody = 'http://127.0.0.1:9';
	// n8n 2 shows the message of an error, n8n 1 its description.
	const cases: Array<[RegExp, INodeParameters, ICredentialDataDecryptedObject?]> = [
		[noSecret, {}, { webhookSecret: '' }],
		[noSecret, { ...automatic, verification: 'signature' }, { webhookSecret: ' ' }],
		[
			/cannot be reached at 127.0.0.1:9|No connection could be made/,
			automatic,
			{ baseUrl: nobody },
		],
		[
			/takes no subscriptions at \/nowhere: check "Sub|Check "Subscription Path"/,
			{ ...automatic, subscriptionPath: 'nowhere' },
		],
	];
	return await Promise.all(
		cases.map(async ([expected, parameters, data = {}]) => {
			const credentials = await sandbox.addCredential(data);
			const flow = await sandbox.store([sandbox.trigger(parameters, { credentials })]);
			const words = await flow.activate().then(
				() => 'The workflow was activated',
				(error: unknown) => String(error),
			);
			return { flow, words, expected };
		}),
	);
}

afterEach(() => sandbox.service.reset('settings', 'log'));

describe('an event of the service', () => {
	test('starts the workflow with its body', async () => {
		const flow = await flowWith();
		await connectService(flow);
		const message = sandbox.service.receiveMessage({ body: 'Grüße 👋' });
		const [event, ...others] = await outputs(flow, 1);
		expect(others).toEqual([]);
		expect(event).toMatchObject({
			event: 'message.received',
			id: expect.any(String),
			data: { ...message },
		});
		expect(await stateOfDeliveries()).toEqual(['delivered']);
	});

	test('starts it with the whole request, if wanted, without the secret', async () => {
		const flow = await flowWith({ options: { fullRequest: true } });
		await connectService(flow);
		sandbox.service.emit({ body: { hello: 1 }, headers: { 'X-Other': 'there' } });
		const [output] = await outputs(flow, 1);
		expect(output).toMatchObject({
			headers: { 'x-other': 'there', 'content-type': 'application/json' },
			query: {},
			body: { hello: 1 },
		});
		expect(JSON.stringify(output)).not.toContain(SECRET);
	});
});

describe('verification', () => {
	const BODY = '{ "text" : "Grüße 👋", "id":1,\n"id":2 }';
	const signed = (body: string | Buffer = BODY) => ({ 'x-signature': hmac(body).digest('hex') });
	const seconds = (shift = 0) => String(Math.floor(Date.now() / 1_000) + shift);

	let flow: Flow;
	const callAt = (time: string, signedTime = time, prefix = 'v1=') => ({
		headers: {
			'x-hook-time': time,
			'x-hook-signature': prefix + hmac(`${signedTime}.${BODY}`).digest('base64'),
		},
	});

	const withHeader = (name: string, value: string): Call => ({ headers: { [name]: value } });

	interface Kind {
		kind: string;
		parameters: INodeParameters;
		/** The calls that are let in, made when they are due. */
		right(): Call[];
		/** Those that are not. */
		wrong(): Record<string, Call>;
	}
	const kinds: Kind[] = [
		{
			kind: 'a secret in a header',
			parameters: {},
			right: () => [
				withHeader('x-webhook-secret', SECRET),
				withHeader('X-WEBHOOK-SECRET', `Bearer ${SECRET}`),
			],
			wrong: () => ({
				'no header': {},
				'an empty header': withHeader('x-webhook-secret', ''),
				'another secret': withHeader('x-webhook-secret', SECRET.replace('a', 'b')),
				'a longer secret': withHeader('x-webhook-secret', `${SECRET}s`),
				'a shorter secret': withHeader('x-webhook-secret', SECRET.slice(0, -1)),
				'another header': withHeader('x-secret', SECRET),
				'the secret in the query': { query: `?secret=${SECRET}` },
				'no body either': { body: '' },
			}),
		},
		{
			kind: 'a secret in the query',
			parameters: { secretIn: 'query', parameterName: 'key' },
			right: () => [{ query: `?key=${SECRET}` }, { query: `?a=1&key=${SECRET}&b=2` }],
			wrong: () => ({
				'no parameter': {},
				'an empty parameter': { query: '?key=' },
				'another secret': { query: '?key=x' },
				'another parameter': { query: `?secret=${SECRET}` },
				'several parameters': { query: `?key=${SECRET}&key=${SECRET}` },
				'a nested parameter': { query: `?key[a]=${SECRET}` },
				'the secret in a header': { headers: { 'x-webhook-secret': SECRET, key: SECRET } },
			}),
		},
		{
			kind: 'a signature',
			parameters: { verification: 'signature' },
			right: () => [
				{ headers: signed() },
				withHeader('x-signature', hmac(BODY).digest('hex').toUpperCase()),
			],
			wrong: () => ({
				'no header': {},
				'a wrong signature': withHeader('x-signature', '0'.repeat(64)),
				'a signature cut off': withHeader('x-signature', signed()['x-signature'].slice(1)),
				'the signature of another body': { headers: signed('{"id":2}') },
				'the signature of the same JSON': { headers: signed(JSON.stringify(JSON.parse(BODY))) },
				'another secret': withHeader('x-signature', hmac(BODY, 'other').digest('hex')),
				'an empty secret': withHeader('x-signature', hmac(BODY, '').digest('hex')),
				'another encoding': withHeader('x-signature', hmac(BODY).digest('base64')),
				'the secret itself': { headers: { 'x-signature': SECRET, 'x-webhook-secret': SECRET } },
			}),
		},
		{
			kind: 'a signature with a time',
			parameters: {
				verification: 'signature',
				signatureHeader: 'X-Hook-Signature',
				signature: {
					encoding: 'base64',
					prefix: 'v1=',
					timestampHeader: 'X-Hook-Time',
					tolerance: 60,
					signedContent: '{timestamp}.{body}',
				},
			},
			right: () => [callAt(seconds()), callAt(new Date().toISOString())],
			wrong: () => ({
				'no time': callAt(''),
				'an old time': callAt(seconds(-120)),
				'a time to come': callAt(seconds(120)),
				'an old time in milliseconds': callAt(`${seconds(-120)}000`),
				'a word': callAt('now'),
				'the signature of another time': callAt(seconds(), seconds(-1)),
				'no prefix': callAt(seconds(), seconds(), ''),
				hexadecimal: {
					headers: {
						'x-hook-time': seconds(),
						'x-hook-signature': `v1=${hmac(`${seconds()}.${BODY}`).digest('hex')}`,
					},
				},
			}),
		},
	];

	test.each(kinds)(
		'by $kind refuses what is wrong with 401, and lets in what is right',
		async ({ parameters, right, wrong }) => {
			flow = await flowWith({ ...parameters, skipDuplicates: false });
			const logged = sandbox.n8n.log().length;
			const wrongCalls = Object.entries(wrong());
			for (const [what, call] of wrongCalls) {
				const answer = await callTrigger(flow, { body: BODY, ...call });
				expect({ what, status: answer.status }).toEqual({ what, status: 401 });
				expect(await answer.json()).toEqual({ message: 'Unauthorized' });
			}
			const log = () => sandbox.n8n.log().slice(logged);
			// The answer comes first.
			await until(
				'the log tells of every refusal',
				() => log().split('A call was refused: ').length === wrongCalls.length + 1,
			);
			expect(log()).not.toContain(SECRET);
			const rightCalls = right();
			for (const call of rightCalls) {
				expect((await callTrigger(flow, { body: BODY, ...call })).status).toBe(200);
			}
			expect(await outputs(flow, rightCalls.length)).toEqual(
				rightCalls.map(() => ({ text: 'Grüße 👋', id: 2 })),
			);
		},
	);

	test('by a signature refuses a form with files, which n8n reads alone', async () => {
		flow = await flowWith({ verification: 'signature' });
		const body = new FormData();
		body.set('a', '1');
		const answer = await fetch(flow.url, { method: 'POST', body, headers: signed('') });
		expect(answer.status).toBe(401);
		await outputs(flow, 0);
	});

	test('none lets in everybody', async () => {
		flow = await flowWith({ verification: 'none' });
		expect((await callTrigger(flow)).status).toBe(200);
		expect(await outputs(flow, 1)).toHaveLength(1);
	});

	test('without the credential that there was lets in nobody, and has the service deliver again', async () => {
		const credentials = await sandbox.addCredential({});
		flow = await sandbox.activate([sandbox.trigger({}, { credentials })]);
		await sandbox.n8n.rest.delete(`/rest/credentials/${credentials[CREDENTIAL_TYPE]?.id}`);
		for (const secret of [SECRET, '']) {
			const answer = await post(flow, '{}', { 'x-webhook-secret': secret });
			expect(answer.status).toBe(500);
			expect(await answer.json()).toEqual({ message: 'The call could not be handled' });
		}
		await until('the log names the cause', () =>
			/A call could not be handled: .*redential/.test(sandbox.n8n.log()),
		);
		await outputs(flow, 0);
	});
});

describe('the body', () => {
	const JSON_TYPE = 'application/json';
	const FORM = 'application/x-www-form-urlencoded';
	let flow: Flow;

	beforeAll(async () => {
		flow = await flowWith();
	});

	test.each<[string, BodyInit, string, IDataObject]>([
		['an object', '{"a":{"b":[1,null]}}', JSON_TYPE, { a: { b: [1, null] } }],
		['an empty object', '{}', JSON_TYPE, {}],
		['a list of more than objects', '[{"a":1},2]', JSON_TYPE, { body: [{ a: 1 }, 2] }],
		['a text', '"hello"', JSON_TYPE, { body: 'hello' }],
		['an empty text', '""', JSON_TYPE, { body: '' }],
		['a number', '5', JSON_TYPE, { body: 5 }],
		['false', 'false', JSON_TYPE, { body: false }],
		['null', 'null', JSON_TYPE, { body: null }],
		['JSON with its character set', '{"a":"ü"}', `${JSON_TYPE}; charset=utf-8`, { a: 'ü' }],
		['JSON of another type', '{"a":1}', 'application/cloudevents+json', { a: 1 }],
		['broken JSON of another type', '{"a":', 'application/hal+json', { body: '{"a":' }],
		['JSON as text', '{"a":1}', 'text/plain', { a: 1 }],
		['plain text', 'hello', 'text/plain', { body: 'hello' }],
		['text of an unknown type', 'hello', 'text/x-odd', { body: 'hello' }],
		['a form', 'a=1&b=x+y&b=%C3%BC', FORM, { a: '1', b: ['x y', 'ü'] }],
		['XML', '<event><id>1</id></event>', 'text/xml', { event: { id: '1' } }],
		['nothing', '', JSON_TYPE, {}],
		['nothing as text', '', 'text/plain', {}],
		['no type', new Blob(['{"a":1}']), '', { a: 1 }],
	])('%s', async (_what, body, type, expected) => {
		const answer = await post(flow, body, { 'content-type': type });
		expect(answer.status).toBe(200);
		expect(await outputs(flow, 1)).toEqual([expected]);
	});

	test('that cannot be read starts nothing, and is answered as by n8n itself', async () => {
		const webhook = await sandbox.activate([webhookNode('own-webhook')]);
		const large = JSON.stringify({ text: 'x'.repeat(PAYLOAD_LIMIT) });
		const calls: Array<[BodyInit, Record<string, string>]> = [
			['{"a":', {}],
			['  ', {}],
			[large, {}],
			['not packed', { 'content-encoding': 'gzip' }],
			['<a>', { 'content-type': 'text/xml' }],
			['{}', { 'content-type': `${JSON_TYPE}; charset=x-unknown` }],
		];
		for (const [body, headers] of calls) {
			const [ours, own] = [await post(flow, body, headers), await post(webhook, body, headers)];
			expect(ours.status).toBe(own.status);
			expect(ours.status).toBeGreaterThanOrEqual(400);
		}
		const oddly: Array<[BodyInit, Record<string, string>]> = [
			[large, {}],
			['not packed', { 'content-encoding': 'gzip' }],
		];
		for (const [body, headers] of oddly) {
			const answer = await post(flow, body, { 'content-type': 'text/x-odd', ...headers });
			expect(answer.status).toBeGreaterThanOrEqual(400);
		}
		await outputs(flow, 0);
	});
});

describe('what starts the workflow', () => {
	const RECEIVED = { event: 'message.received', data: { inbound: true, inboxId: 'I-1' } };

	test('are the chosen events, messages and inboxes, and what does not say; others are accepted', async () => {
		const flow = await flowWith({
			events: ['message.received', 'message.status'],
			filters: { inboxIds: [byId('i-1')] },
		});
		const event = (change: object, data: object = {}) =>
			JSON.stringify({ ...RECEIVED, data: { ...RECEIVED.data, ...data }, ...change });
		const unwanted = [
			event({ event: 'agent.answered' }),
			event({}, { inbound: false }),
			event({}, { inboxId: 'I-2' }),
			`[${event({}, { inbound: false })},${event({ event: 'agent.answered' })}]`,
			'[]',
		];
		for (const body of unwanted) {
			const answer = await post(flow, body);
			expect(answer.status).toBe(200);
			expect(await answer.json()).toEqual({ message: 'Webhook call received' });
		}
		await post(flow, event({}));
		expect(await outputs(flow, 1)).toMatchObject([RECEIVED]);
		const unclear = [event({ event: undefined }), '{"events":[{"event":"other"}]}', '5', ''];
		for (const body of unclear) expect((await post(flow, body)).status).toBe(200);
		await outputs(flow, unclear.length);
	});

	test('of a batch, is one item for each event that passes', async () => {
		const flow = await flowWith({ events: ['a'] });
		const events = [
			{ event: 'a', id: 1 },
			{ event: 'a', id: 2, inbound: false },
			{ event: 'b', id: 3 },
			{ event: 'a', id: 4 },
		];
		for (let i = 0; i < 2; i++) expect((await post(flow, JSON.stringify(events))).status).toBe(200);
		expect(await outputs(flow, 1)).toEqual([events[0], events[3]]);
	});

	test('of one event starts every workflow that it is sent to', async () => {
		const flows = await Promise.all([flowWith(), flowWith()]);
		for (const flow of [...flows, ...flows]) await post(flow, '{"id":1}');
		for (const flow of flows) expect(await outputs(flow, 1)).toEqual([{ id: 1 }]);
	});

	test('is answered by n8n when nothing is set', async () => {
		for (const options of [{}, { responseCode: null, responseBody: '' }] as INodeParameters[]) {
			const flow = await flowWith({ options });
			const answer = await post(flow, '{}');
			expect(answer.status).toBe(200);
			expect(await answer.json()).toEqual({ message: 'Workflow was started' });
			await outputs(flow, 1);
		}
	});
});

describe('an event that says that it is outbound', () => {
	const outbound = ['{"inbound":false}', '{"data":{"inbound":false}}'];

	test('starts nothing, unless that is turned off; one that does not say so starts it', async () => {
		const flow = await flowWith();
		const statuses = await flowWith({ ignoreOutbound: false });
		const answer = flowWith({ options: { inboundField: 'data.direction' } });
		const named = '{"data":{"direction":"outbound"}}';
		for (const body of [...outbound, '{"inbound":true}', '{"text":"hello"}', named]) {
			for (const to of [flow, statuses, await answer])
				expect((await post(to, body)).status).toBe(200);
		}
		expect(await outputs(flow, 3)).toEqual([
			{ inbound: true },
			{ text: 'hello' },
			JSON.parse(named),
		]);
		await outputs(statuses, 5);
		await outputs(await answer, 4);
	});
});

describe('the same delivery again', () => {
	const event = (id: unknown, more: object = {}) => JSON.stringify({ ...more, data: { id } });

	test('at the same time starts one workflow, also by what the service sends', async () => {
		const flow = await flowWith();
		const answers = await Promise.all(Array.from({ length: 10 }, () => post(flow, event('d-1'))));
		expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
		await outputs(flow, 1);
		await connectService(flow, { misbehaviour: { duplicates: 4, reverse: 3 } });
		sandbox.service.receiveMessage();
		sandbox.service.emit({ count: 3, connections: 5 });
		expect(new Set(await stateOfDeliveries())).toEqual(new Set(['delivered']));
		expect(sandbox.service.deliveries()).toHaveLength(20);
		const events = await outputs(flow, 4);
		expect(new Set(events.map(({ id }) => id)).size).toBe(4);
	});

	test('after the sender hung up on the first one starts nothing', async () => {
		const flow = await flowWith();
		const body = event('d-1');
		const { port } = sandbox.n8n;
		const socket = connect(port, '127.0.0.1');
		socket.write(
			`POST /webhook/${flow.path} HTTP/1.1\r\nhost: n8n\r\ncontent-type: application/json\r\nx-webhook-secret: ${SECRET}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
		);
		await sleep(10);
		socket.destroy();
		for (let i = 0; i < 3; i++) expect((await post(flow, body)).status).toBe(200);
		await outputs(flow, 1);
	});
});

describe('while the trigger is tried out', () => {
	/** What the trigger shows after a call, beside the answer. Nothing runs after it. */
	async function tryOut(parameters: INodeParameters, body: string, secret = SECRET) {
		const trigger = sandbox.trigger(parameters);
		const next = { name: 'Next', type: 'n8n-nodes-base.noOp' };
		const flow = await sandbox.store([trigger, next]);
		await flow.listen();
		const headers = { 'x-webhook-secret': secret };
		const answer = await callTrigger(flow, { body, headers, url: flow.testUrl });
		const text = await answer.text();
		const [run] = await flow.ran(1);
		expect(run?.items('Next')).toEqual([]);
		return { status: answer.status, text, error: run?.error, run: JSON.stringify(run) };
	}

	test('an event that passes starts the workflow', async () => {
		const flow = await sandbox.store([sandbox.trigger({})]);
		await flow.listen();
		expect((await post(flow, '{"id":1}', {}, flow.testUrl)).status).toBe(200);
		expect(await outputs(flow, 1)).toEqual([{ id: 1 }]);
	});

	test.each(['wrong', ''])(
		'a call with the secret "%s" is refused, and shows why',
		async (secret) => {
			const { status, text, error, run } = await tryOut({}, '{}', secret);
			expect(status).toBe(500);
			expect(text).toContain('Workflow could not be started');
			expect(error?.message).toMatch(/^The call was refused: /);
			expect(error?.description).toContain('"Verification"');
			expect(run).not.toContain(SECRET);
		},
	);

	test('an event that is left out shows why', async () => {
		const { error } = await tryOut({ events: ['message.received'] }, '{"event":"message.created"}');
		expect(error?.message).toBe(
			'The event does not start the workflow: it is called "message.created", and "Events" lists "message.received"',
		);
	});

	test('n8n goes on after that', async () => {
		const flow = await sandbox.store([sandbox.trigger({})]);
		const logged = sandbox.n8n.log().length;
		for (let i = 0; i < 5; i++) {
			await flow.listen();
			const call = { headers: { 'x-webhook-secret': 'wrong' }, url: flow.testUrl };
			expect((await callTrigger(flow, call)).status).toBe(500);
			await flow.ran(1);
		}
		expect((await fetch(`${sandbox.n8n.url}/healthz`)).status).toBe(200);
		const log = sandbox.n8n.log().slice(logged);
		expect(log).toContain('The call was refused: ');
		expect(log).not.toContain('Cannot set headers');
		expect(log).not.toContain(SECRET);
	});

	test('in production nothing of it is to be seen', async () => {
		const flow = await flowWith({ events: ['a'] });
		expect((await callTrigger(flow)).status).toBe(401);
		expect((await post(flow, '{"event":"b"}')).status).toBe(200);
		await outputs(flow, 0);
	});
});

describe('activation', () => {
	const subscribed = () =>
		sandbox.service.subscriptions().map(({ url, events }) => ({ url, events }));

	test('registers the address, and deactivation takes it away', async () => {
		const flow = await flowWith({ ...automatic, events: ['message.received'] });
		expect(subscribed()).toEqual([{ url: flow.url, events: ['message.received'] }]);
		await sandbox.service.configure(SIGNED);
		sandbox.service.receiveMessage();
		sandbox.service.emit({ event: 'message.status' });
		expect(await outputs(flow, 1)).toMatchObject([{ event: 'message.received' }]);
		await flow.deactivate();
		expect(subscribed()).toEqual([]);
		expect((await post(flow, '{}')).status).toBe(404);
	});

	test('is refused without a secret, or when the service does not subscribe, in clear words', async () => {
		for (const { flow, words, expected } of await refusals) {
			expect(words).toMatch(expected);
			expect((await post(flow, '{}')).status).toBe(404);
			await expect(flow.listen()).rejects.toThrow(expected);
		}
		expect(subscribed()).toEqual([]);
	});

	test('leaves the registration of a test alone, and the other way round', async () => {
		const flow = await flowWith(automatic);
		await flow.listen();
		expect(subscribed().map(({ url }) => url)).toEqual([flow.url, flow.testUrl]);
		await sandbox.service.configure(SIGNED);
		sandbox.service.receiveMessage();
		await outputs(flow, 2);
		await until('the registration of the test is gone', () => subscribed().length === 1);
		expect(subscribed().map(({ url }) => url)).toEqual([flow.url]);
		await flow.deactivate();
		expect(subscribed()).toEqual([]);
	});
});

describe('after a restart of n8n', () => {
	let flow: Flow;

	beforeAll(async () => {
		flow = await flowWith(automatic);
		await post(flow, '{"id":"before"}');
		await outputs(flow, 1);
		await sandbox.n8n.restart(LIMITED);
	});

	test('an event starts the workflow, without a second subscription', async () => {
		expect(sandbox.service.subscriptions()).toMatchObject([{ url: flow.url }]);
		await sandbox.service.configure(SIGNED);
		sandbox.service.receiveMessage();
		expect(await outputs(flow, 1)).toMatchObject([{ event: 'message.received' }]);
	});

	test('a delivery that was taken before starts nothing', async () => {
		expect((await post(flow, '{"id":"before"}')).status).toBe(200);
		expect((await post(flow, '{"id":"after"}')).status).toBe(200);
		expect(await outputs(flow, 1)).toEqual([{ id: 'after' }]);
	});

	test('deactivation takes the subscription away', async () => {
		await flow.deactivate();
		expect(sandbox.service.subscriptions()).toEqual([]);
		for (const { headers } of sandbox.service.received())
			expect(headers.apikey).toBe(seeded.demo.apiKey);
	});
});
