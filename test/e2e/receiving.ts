/** The trigger in a real n8n: who may start a workflow, with what, and how often. */
import { createHmac } from 'node:crypto';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../sandbox/n8n/credentials.ts';
import type { Flow } from '../../sandbox/n8n/flow.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { webhookNode } from '../../sandbox/n8n/workflows.ts';
import type { EventSettingsPatch } from '../../sandbox/service/service.ts';
import { EXAMPLES } from '../unit/trigger/verification/publishedExamples.ts';
import { callTrigger, ENCODINGS, FORM, outputs, post, SECRET, type Call } from './events.ts';
import { testOnN8n2, sandbox } from './shared.ts';

/** What n8n is set to take. */
const PAYLOAD_LIMIT = 1_048_576;
const JSON_TYPE = 'application/json';

/** Has the service prove its events. */
const SIGNED: EventSettingsPatch = { signing: { kind: 'sharedSecret', secret: SECRET } };

const automatic = { registration: 'automatic', subscriptionPath: '/public/webhooks' };

/** An active workflow that begins with the trigger. */
const flowWith = (parameters: INodeParameters = {}) =>
	sandbox.activate([sandbox.trigger(parameters)]);

test('an event of the service starts the workflow with its body', async () => {
	const flow = await flowWith();
	await sandbox.service.configure({ events: { ...SIGNED, subscriptions: [{ url: flow.url }] } });
	const message = sandbox.service.receiveMessage({ body: 'Grüße 👋' });
	const [event, ...others] = await outputs(flow, 1);
	expect(others).toEqual([]);
	expect(event).toMatchObject({
		event: 'message.received',
		id: expect.any(String),
		data: { ...message },
	});
});

describe('a message', () => {
	let flow: Flow;

	beforeAll(async () => {
		flow = await flowWith({ events: ['message.created'] });
	});

	/** Sends an event, and looks at the answer: some services text it to the contact. */
	async function send({ body = '', headers }: Call): Promise<void> {
		const answer = await post(flow, body, headers);
		expect([answer.status, await answer.text()]).toEqual([200, '']);
	}

	const message = (way: string, inbound: boolean) => ({
		event: 'message.created',
		inbound,
		body: `See you "at" ten, ${way}`,
	});

	test.each(Object.entries(ENCODINGS))(
		'as %s starts nothing if it is an own one, and once if it is of a contact; the answer has no body',
		async (way, encode) => {
			for (const inbound of [false, true]) await send(encode(message(way, inbound)));
			expect(JSON.stringify(await outputs(flow, 1))).toContain('See you');
		},
	);
});

describe('verification', () => {
	// Only the bytes as they came match the signature.
	const BODY = '{ "text" : "Grüße 👋", "id":1,\n"id":2 }';
	const OUTPUT = { text: 'Grüße 👋', id: 2 };
	test.each<[string, INodeParameters, right: Call, wrong: Call[]]>([
		[
			'a secret in a header',
			{},
			{ headers: { 'X-WEBHOOK-SECRET': `Bearer ${SECRET}, Bearer ${SECRET}` } },
			[{}, { headers: { 'x-webhook-secret': `${SECRET}, other` } }, { query: `?secret=${SECRET}` }],
		],
		[
			'a secret in the query',
			{ secretIn: 'query', parameterName: 'key' },
			{ query: `?a=1&key=${SECRET}&b=2&key=${SECRET}` },
			[{ query: `?key=${SECRET}&key=other` }, { query: `?key[a]=${SECRET}` }],
		],
	])(
		'by %s refuses what is wrong with 401, and lets in what is right',
		async (_kind, parameters, right, wrong) => {
			const flow = await flowWith(parameters);
			const logged = sandbox.n8n.log().length;
			for (const call of wrong) {
				const answer = await callTrigger(flow, { body: BODY, ...call });
				expect({ call, status: answer.status }).toEqual({ call, status: 401 });
				expect(await answer.json()).toEqual({ message: 'Unauthorized' });
			}
			const log = () => sandbox.n8n.log().slice(logged);
			// The answer comes first.
			await until(
				'the log tells of every refusal',
				() => log().split('The call was refused: ').length === wrong.length + 1,
			);
			expect(log()).not.toContain(SECRET);
			expect((await callTrigger(flow, { body: BODY, ...right })).status).toBe(200);
			expect(await outputs(flow, 1)).toEqual([OUTPUT]);
		},
	);

	const published = EXAMPLES.filter(({ parameters }) => parameters.scheme === undefined);

	test.each(published)('by HMAC lets in what $service has published', async (example) => {
		const { parameters, secret, headers, body } = example;
		const credentials = await sandbox.addCredential({ webhookSecret: secret });
		const trigger = sandbox.trigger({ ...parameters, tolerance: 0 } as INodeParameters, {
			credentials,
		});
		const flow = await sandbox.activate([trigger]);
		const call = { headers: { ...headers, 'content-type': 'text/plain' } };
		for (const [sent, status] of [
			[`${body} `, 401],
			[body, 200],
		] as const)
			expect((await callTrigger(flow, { ...call, body: sent })).status).toBe(status);
		await outputs(flow, 1);
	});

	test('by Standard Webhooks lets in one of several signatures, also by the previous secret', async () => {
		const key = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
		const secrets = { webhookSecret: 'whsec_AAAA', previousWebhookSecret: `whsec_${key}` };
		const credentials = await sandbox.addCredential(secrets);
		const parameters = { verification: 'signature', scheme: 'standardWebhooks' };
		const flow = await sandbox.activate([sandbox.trigger(parameters, { credentials })]);
		const deliver = async (id: string, fold: (signature: string) => string, body = '{"a":1}') => {
			const time = Math.floor(Date.now() / 1_000);
			const hmac = createHmac('sha256', Buffer.from(key, 'base64')).update(`${id}.${time}.{"a":1}`);
			const headers = {
				'webhook-id': id,
				'webhook-timestamp': `${time}`,
				'webhook-signature': fold(`v1,${hmac.digest('base64')}`),
			};
			return (await callTrigger(flow, { body, headers })).status;
		};
		expect(await deliver('m-1', (signature) => signature, '{"a":2}')).toBe(401);
		expect(await deliver('m-1', (signature) => `${signature}, v1,AAAA`)).toBe(200);
		expect(await deliver('m-1', (signature) => `v1a,xx ${signature}`)).toBe(200);
		expect(await deliver('m-2', (signature) => `${signature}, ${signature}`)).toBe(200);
		expect(await outputs(flow, 2)).toEqual([{ a: 1 }, { a: 1 }]);
	});

	test('by a signature refuses a form with files, which n8n reads alone', async () => {
		const flow = await flowWith({ verification: 'signature' });
		const body = new FormData();
		body.set('a', '1');
		const headers = { 'x-signature': createHmac('sha256', SECRET).digest('hex') };
		expect((await callTrigger(flow, { body, headers })).status).toBe(401);
		await outputs(flow, 0);
	});

	test('without the credential that there was lets in nobody, and has the service deliver again', async () => {
		const credentials = await sandbox.addCredential({});
		const flow = await sandbox.activate([sandbox.trigger({}, { credentials })]);
		await sandbox.n8n.rest.delete(`/rest/credentials/${credentials[CREDENTIAL_TYPE]?.id}`);
		const answer = await post(flow, '{}');
		expect(answer.status).toBe(500);
		expect(await answer.json()).toEqual({ message: 'The call could not be handled' });
		await until('the log names the cause', () =>
			/A call could not be handled: .*redential/.test(sandbox.n8n.log()),
		);
		await outputs(flow, 0);
	});
});

/** As it was, this killed n8n. */
const MANY_FIELDS = 'a=&'.repeat(14_000);
const LONG_LIST = `{"data":[${'1,'.repeat(400_000)}1]}`;

describe('the body', () => {
	let flow: Flow;

	beforeAll(async () => {
		flow = await flowWith({ skipDuplicates: false });
	});

	test.each<[string, BodyInit, string, IDataObject]>([
		['a form', 'a=1&b=x+y&b=%C3%BC', FORM, { a: '1', b: ['x y', 'ü'] }],
		['a form by its character set', 'a=ü', `${FORM}; charset=latin1`, { a: 'Ã¼' }],
		['a form of too many fields', MANY_FIELDS, FORM, { body: MANY_FIELDS }],
		['a long list', LONG_LIST, JSON_TYPE, { data: JSON.parse(LONG_LIST).data }],
		['XML', '<id>1</id>', 'text/xml', { body: '<id>1</id>' }],
		['nothing', '', JSON_TYPE, {}],
	])('%s', async (_what, body, type, expected) => {
		const answer = await post(flow, body, { 'content-type': type });
		expect(answer.status).toBe(200);
		expect(await outputs(flow, 1)).toEqual([expected]);
	});

	test('that cannot be read starts nothing, and is answered as by n8n itself', async () => {
		const webhook = await sandbox.activate([webhookNode('own-webhook')]);
		const calls: Array<[BodyInit, Record<string, string>]> = [
			['{"a":', {}],
			[JSON.stringify({ text: 'x'.repeat(PAYLOAD_LIMIT) }), {}],
			['not packed', { 'content-encoding': 'gzip' }],
			['{}', { 'content-type': `${JSON_TYPE}; charset=x-unknown` }],
		];
		for (const [body, headers] of calls) {
			const [ours, own] = [await post(flow, body, headers), await post(webhook, body, headers)];
			expect(ours.status).toBe(own.status);
			expect(ours.status).toBeGreaterThanOrEqual(400);
		}
		await outputs(flow, 0);
	});
});

testOnN8n2(
	'the same delivery again starts each of two workflows once, and a test besides',
	async () => {
		const flow = await flowWith();
		const other = await flowWith();
		await flow.listen();
		const body = '{"data":{"id":"d-1"}}';
		for (const each of [flow, other]) {
			const answers = await Promise.all(Array.from({ length: 10 }, () => post(each, body)));
			expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
		}
		expect((await post(flow, body, {}, flow.testUrl)).status).toBe(200);
		await outputs(flow, 2);
		await outputs(other, 1);
	},
);

test('while the trigger is tried out, a call that is refused or left out shows why, and n8n goes on', async () => {
	const flow = await sandbox.store([
		sandbox.trigger({ events: ['message.received'] }),
		{ name: 'Next', type: 'n8n-nodes-base.noOp' },
	]);
	const logged = sandbox.n8n.log().length;
	const calls: Array<[secret: string, expected: RegExp]> = [
		['wrong', /^The call was refused: /],
		[SECRET, /it is called "message.created", and "Events" lists "message.received"/],
	];
	for (const [secret, expected] of calls) {
		await flow.listen();
		const headers = { 'x-webhook-secret': secret };
		const call = { body: '{"event":"message.created"}', headers, url: flow.testUrl };
		expect((await callTrigger(flow, call)).status).toBe(500);
		const [run] = await flow.ran(1);
		expect(run?.error?.message).toMatch(expected);
		expect(run?.items('Next')).toEqual([]);
		expect(JSON.stringify(run)).not.toContain(SECRET);
	}
	const log = sandbox.n8n.log().slice(logged);
	expect(log).not.toContain('Cannot set headers');
	expect(log).not.toContain(SECRET);
});

describe('activation', () => {
	const subscribed = () => sandbox.service.subscriptions().map(({ url }) => url);

	test('is refused when the service does not subscribe, in clear words', async () => {
		// n8n 2 shows the message of an error, n8n 1 its description; n8n 2.41 tries for a quarter of a minute before.
		const words = /takes no subscriptions at \/nowhere: check "Sub|Check "Subscription Path"/;
		const flow = await sandbox.store([
			sandbox.trigger({ ...automatic, subscriptionPath: 'nowhere' }),
		]);
		await expect(flow.activate()).rejects.toThrow(words);
		expect((await post(flow, '{}')).status).toBe(404);
		await expect(flow.listen()).rejects.toThrow(words);
		expect(subscribed()).toEqual([]);
	});

	test('leaves the registration of a test alone, and the other way round', async () => {
		const flow = await flowWith(automatic);
		await flow.listen();
		expect(subscribed()).toEqual([flow.url, flow.testUrl]);
		await sandbox.service.configure({ events: SIGNED });
		sandbox.service.receiveMessage();
		await outputs(flow, 2);
		await until('the registration of the test is gone', () => subscribed().length === 1);
		expect(subscribed()).toEqual([flow.url]);
		await flow.deactivate();
		expect(subscribed()).toEqual([]);
		expect((await post(flow, '{}')).status).toBe(404);
	});
});
