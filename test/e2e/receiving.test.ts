/** The trigger in a real n8n: who may start a workflow, with what, how often, and what a crash leaves. */
import { createHmac, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { sign as signForGitHub } from '@octokit/webhooks-methods';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { Webhook } from 'standardwebhooks';

import { CREDENTIAL_TYPE } from '../../sandbox/n8n/credentials.ts';
import { listExecutions } from '../../sandbox/n8n/executions.ts';
import type { Flow } from '../../sandbox/n8n/flow.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { activateWorkflow, webhookNode, type StoredWorkflow } from '../../sandbox/n8n/workflows.ts';
import type { EventSettingsPatch, SettingsPatch } from '../../sandbox/service/service.ts';
import { callTrigger, outputs, post, SECRET, type Call } from './events.ts';
import './hostile.ts';
import { describeOnN8n2, sandbox, shareSandbox } from './shared.ts';

/** As small as n8n allows, so that a large body need not be. */
const PAYLOAD_LIMIT = 1_048_576;
const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
/** Deliveries that are under way at the same time when n8n is killed. */
const BURST = 25;

/** Has the service prove its events. */
const SIGNED: SettingsPatch = { events: { signing: { kind: 'sharedSecret', secret: SECRET } } };

const automatic = { registration: 'automatic', subscriptionPath: '/public/webhooks' };

let refusals: Promise<Refusal[]>;

shareSandbox({
	service: { messages: 0, agent: { enabled: false } },
	n8n: { env: { N8N_PAYLOAD_SIZE_MAX: '1' } },
	credential: { data: { webhookSecret: SECRET } },
});

beforeAll(() => {
	refusals = startRefusals();
});

afterEach(() => sandbox.service.reset('settings', 'log'));

/** An active workflow that begins with the trigger. */
const flowWith = (parameters: INodeParameters = {}) =>
	sandbox.activate([sandbox.trigger(parameters)]);

/** Has the service send its events to a workflow. */
async function connectService(flow: Flow, more: EventSettingsPatch = {}): Promise<void> {
	await sandbox.service.configure({
		events: { ...SIGNED.events, subscriptions: [{ url: flow.url }], ...more },
	});
}

/** Renames a node as the editor does, and publishes the workflow. */
async function rename({ workflow }: Flow, name: string, newName: string): Promise<void> {
	const { rest } = sandbox.n8n;
	const { id, connections, versionId } = workflow;
	const nodes = workflow.nodes.map((node) =>
		node.name === name ? { ...node, name: newName } : node,
	);
	const changes = { nodes, connections, versionId };
	await activateWorkflow(rest, await rest.patch<StoredWorkflow>(`/rest/workflows/${id}`, changes));
}

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
	// n8n 2 shows the message of an error, n8n 1 its description.
	const cases: Array<[RegExp, INodeParameters, string]> = [
		[/Enter a "Webhook Secret" in the credential/, {}, ''],
		[
			/takes no subscriptions at \/nowhere: check "Sub|Check "Subscription Path"/,
			{ ...automatic, subscriptionPath: 'nowhere' },
			SECRET,
		],
	];
	return await Promise.all(
		cases.map(async ([expected, parameters, webhookSecret]) => {
			const credentials = await sandbox.addCredential({ webhookSecret });
			const flow = await sandbox.store([sandbox.trigger(parameters, { credentials })]);
			const words = await flow.activate().then(
				() => 'The workflow was activated',
				(error: unknown) => String(error),
			);
			return { flow, words, expected };
		}),
	);
}

test('an event of the service starts the workflow with its body', async () => {
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
});

test('the whole request comes out, if wanted, without the secret', async () => {
	const flow = await flowWith({ options: { fullRequest: true } });
	await post(flow, '{"hello":1}', { 'X-Other': 'there' });
	const [output] = await outputs(flow, 1);
	expect(output).toMatchObject({
		headers: { 'x-other': 'there', 'content-type': 'application/json' },
		query: {},
		body: { hello: 1 },
	});
	expect(JSON.stringify(output)).not.toContain(SECRET);
	const nodeInfos = [{ name: flow.trigger.type, version: 2 }];
	expect(await sandbox.n8n.rest.post('/rest/node-types', { nodeInfos })).toMatchObject([
		{ sensitiveOutputFields: ['headers.authorization', 'headers.cookie'] },
	]);
});

describe('verification', () => {
	const BODY = '{ "text" : "Grüße 👋", "id":1,\n"id":2 }';
	const OUTPUT = { text: 'Grüße 👋', id: 2 };
	const KEY = `whsec_${Buffer.from(SECRET).toString('base64')}`;

	const hmac = (content: string | Buffer, key = SECRET) =>
		createHmac('sha256', key).update(content);
	const seconds = (shift = 0) => Math.floor(Date.now() / 1_000) + shift;
	const withHeader = (name: string, value: string): Call => ({ headers: { [name]: value } });
	const timed = (time: number, signedTime = time) => ({
		headers: {
			'x-time': String(time),
			'x-signature': hmac(`${signedTime}.${BODY}`).digest('base64'),
		},
	});
	const standard = (time: number, body = BODY) => ({
		headers: {
			'webhook-id': 'msg_1',
			'webhook-timestamp': String(time),
			'webhook-signature': new Webhook(KEY).sign('msg_1', new Date(time * 1_000), body),
		},
	});
	interface Kind {
		kind: string;
		parameters: INodeParameters;
		webhookSecret?: string;
		/** The calls that are let in, made when they are due. */
		right(): Promise<Call[]> | Call[];
		/** Those that are not. */
		wrong(): Promise<Call[]> | Call[];
	}
	const kinds: Kind[] = [
		{
			kind: 'a secret in a header',
			parameters: {},
			right: () => [
				withHeader('x-webhook-secret', SECRET),
				withHeader('X-WEBHOOK-SECRET', `Bearer ${SECRET}`),
			],
			wrong: () => [
				{},
				withHeader('x-webhook-secret', ''),
				withHeader('x-webhook-secret', `${SECRET}s`),
				withHeader('x-secret', SECRET),
				{ query: `?secret=${SECRET}` },
				{ body: '' },
			],
		},
		{
			kind: 'a secret in the query',
			parameters: { secretIn: 'query', parameterName: 'key' },
			right: () => [{ query: `?a=1&key=${SECRET}&b=2` }],
			wrong: () => [
				{},
				{ query: '?key=' },
				{ query: `?secret=${SECRET}` },
				{ query: `?key=${SECRET}&key=${SECRET}` },
				{ query: `?key[a]=${SECRET}` },
				{ headers: { 'x-webhook-secret': SECRET, key: SECRET } },
			],
		},
		{
			kind: 'a signature with a time',
			parameters: {
				verification: 'signature',
				signature: {
					encoding: 'base64',
					timestampHeader: 'X-Time',
					tolerance: 60,
					signedContent: '{timestamp}.{body}',
				},
			},
			right: () => [timed(seconds())],
			wrong: () => [
				timed(seconds(-120)),
				timed(seconds(120)),
				timed(seconds(), seconds(-1)),
				{ ...timed(seconds()), body: JSON.stringify(JSON.parse(BODY)) },
				{ headers: { 'x-signature': SECRET, 'x-time': String(seconds()) } },
			],
		},
		{
			kind: 'a signature as GitHub makes it',
			parameters: {
				verification: 'signature',
				signatureHeader: 'X-Hub-Signature-256',
				signature: { prefix: 'sha256=' },
			},
			right: async () => [withHeader('x-hub-signature-256', await signForGitHub(SECRET, BODY))],
			wrong: async () => [
				{},
				withHeader('x-hub-signature-256', await signForGitHub('another', BODY)),
				withHeader('x-hub-signature-256', await signForGitHub(SECRET, `${BODY} `)),
			],
		},
		{
			kind: 'Standard Webhooks',
			parameters: { verification: 'signature', scheme: 'standardWebhooks' },
			webhookSecret: KEY,
			right: () => [standard(seconds())],
			wrong: () => [standard(seconds(-400)), standard(seconds(), `${BODY} `)],
		},
	];

	test.each(kinds)(
		'by $kind refuses what is wrong with 401, and lets in what is right',
		async ({ parameters, webhookSecret = SECRET, right, wrong }) => {
			const credentials = await sandbox.addCredential({ webhookSecret });
			const trigger = sandbox.trigger({ ...parameters, skipDuplicates: false }, { credentials });
			const flow = await sandbox.activate([trigger]);
			const logged = sandbox.n8n.log().length;
			const wrongCalls = await wrong();
			for (const call of wrongCalls) {
				const answer = await callTrigger(flow, { body: BODY, ...call });
				expect({ call, status: answer.status }).toEqual({ call, status: 401 });
				expect(await answer.json()).toEqual({ message: 'Unauthorized' });
			}
			const log = () => sandbox.n8n.log().slice(logged);
			// The answer comes first.
			await until(
				'the log tells of every refusal',
				() => log().split('A call was refused: ').length === wrongCalls.length + 1,
			);
			expect(log()).not.toContain(SECRET);
			const rightCalls = await right();
			for (const call of rightCalls) {
				expect((await callTrigger(flow, { body: BODY, ...call })).status).toBe(200);
			}
			expect(await outputs(flow, rightCalls.length)).toEqual(rightCalls.map(() => OUTPUT));
		},
	);

	test('by a signature refuses a form with files, which n8n reads alone', async () => {
		const flow = await flowWith({ verification: 'signature' });
		const body = new FormData();
		body.set('a', '1');
		const headers = { 'x-signature': hmac('').digest('hex') };
		expect((await fetch(flow.url, { method: 'POST', body, headers })).status).toBe(401);
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

describe('the body', () => {
	let flow: Flow;

	beforeAll(async () => {
		flow = await flowWith({ skipDuplicates: false });
	});

	test.each<[string, BodyInit, string, IDataObject]>([
		['an object', '{"a":{"b":[1,null]}}', JSON_TYPE, { a: { b: [1, null] } }],
		['a list of more than objects', '[{"a":1},2]', JSON_TYPE, { body: [{ a: 1 }, 2] }],
		['a text', '"hello"', JSON_TYPE, { body: 'hello' }],
		['JSON with its character set', '{"a":"ü"}', `${JSON_TYPE}; charset=utf-8`, { a: 'ü' }],
		['JSON of another type', '{"a":1}', 'application/cloudevents+json', { a: 1 }],
		['JSON as text', '{"a":1}', 'text/plain', { a: 1 }],
		['text of an unknown type', 'hello', 'text/x-odd', { body: 'hello' }],
		['a form', 'a=1&b=x+y&b=%C3%BC', FORM, { a: '1', b: ['x y', 'ü'] }],
		['XML', '<event><id>1</id></event>', 'text/xml', { event: { id: '1' } }],
		['nothing', '', JSON_TYPE, {}],
		['no type', new Blob(['{"a":2}']), '', { a: 2 }],
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

test('what is not wanted is accepted and starts nothing; of a batch each event that passes is one item', async () => {
	const flow = await flowWith({ events: ['a'] });
	const events = [
		{ event: 'a', id: 1 },
		{ event: 'a', id: 2, inbound: false },
		{ event: 'b', id: 3 },
		{ event: 'a', id: 4 },
	];
	for (const event of events.slice(1, 3)) {
		const answer = await post(flow, JSON.stringify(event));
		expect(answer.status).toBe(200);
		expect(await answer.json()).toEqual({ message: 'Webhook call received' });
	}
	for (let i = 0; i < 2; i++) expect((await post(flow, JSON.stringify(events))).status).toBe(200);
	expect(await outputs(flow, 1)).toEqual([events[0], events[3]]);
});

describeOnN8n2('the same delivery again', () => {
	const event = (id: unknown) => JSON.stringify({ data: { id } });

	test('at the same time starts one workflow, also by what the service sends', async () => {
		const flow = await flowWith();
		const answers = await Promise.all(Array.from({ length: 10 }, () => post(flow, event('d-1'))));
		expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
		await outputs(flow, 1);
		await connectService(flow, { duplicates: 4 });
		for (let i = 0; i < 4; i++) sandbox.service.receiveMessage();
		await sandbox.service.deliveriesSettled();
		const states = sandbox.service.deliveries().map(({ state }) => state);
		expect(states).toEqual(Array(20).fill('delivered'));
		const events = await outputs(flow, 4);
		expect(new Set(events.map(({ id }) => id)).size).toBe(4);
	});

	test('in other bytes, or with another ID beyond 2^53, is another one', async () => {
		const flow = await flowWith();
		const ids = ['1234567890123456789', '1234567890123456790'];
		const bodies = ids.map((id) => `{"id":42,"event":"message.received","data":{"id":${id}}}`);
		for (const body of [...bodies, ...bodies]) expect((await post(flow, body)).status).toBe(200);
		await outputs(flow, 2);
	});

	test('with the same ID in a known header starts nothing, with another body it does', async () => {
		const flow = await flowWith();
		const headers = { 'x-github-delivery': 'd-1' };
		for (const body of ['{"n":1}', '{"n":1}', '{"n":2}', '{"n":2}'])
			expect((await post(flow, body, headers)).status).toBe(200);
		expect(await outputs(flow, 2)).toEqual([{ n: 1 }, { n: 2 }]);
		const log = () => sandbox.n8n.log();
		await until('the log says what was left out', () =>
			log().includes('An event does not start the workflow: it was delivered before'),
		);
	});

	test('of which somebody has changed a header that is not signed starts nothing', async () => {
		const flow = await flowWith({ verification: 'signature' });
		const body = event('signed');
		const signature = createHmac('sha256', SECRET).update(body).digest('hex');
		for (const delivery of ['d-1', 'd-2']) {
			const headers = { 'x-signature': signature, 'x-github-delivery': delivery };
			expect((await callTrigger(flow, { body, headers })).status).toBe(200);
		}
		await outputs(flow, 1);
	});

	test('starts each of two workflows, and a test besides, also after a rename', async () => {
		const flow = await flowWith();
		const other = await flowWith();
		await flow.listen();
		const body = event('everywhere');
		const deliverEverywhere = async () => {
			for (const each of [flow, other]) expect((await post(each, body)).status).toBe(200);
		};
		await deliverEverywhere();
		expect((await post(flow, body, {}, flow.testUrl)).status).toBe(200);
		await outputs(flow, 2);
		await outputs(other, 1);
		await rename(flow, flow.trigger.name, 'Renamed');
		await deliverEverywhere();
		await flow.ran(0);
		await outputs(other, 0);
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
	test('an event that passes starts the workflow', async () => {
		const flow = await sandbox.store([sandbox.trigger({})]);
		await flow.listen();
		expect((await post(flow, '{"id":1}', {}, flow.testUrl)).status).toBe(200);
		expect(await outputs(flow, 1)).toEqual([{ id: 1 }]);
	});

	test('a call that is refused or left out shows why, and n8n goes on', async () => {
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
});

describe('activation', () => {
	const subscribed = () => sandbox.service.subscriptions().map(({ url }) => url);

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
		expect(subscribed()).toEqual([flow.url, flow.testUrl]);
		await sandbox.service.configure(SIGNED);
		sandbox.service.receiveMessage();
		await outputs(flow, 2);
		await until('the registration of the test is gone', () => subscribed().length === 1);
		expect(subscribed()).toEqual([flow.url]);
		await flow.deactivate();
		expect(subscribed()).toEqual([]);
		expect((await post(flow, '{}')).status).toBe(404);
	});

	test('of a copy has an address of its own, and the same event starts both once', async () => {
		const flow = await flowWith(automatic);
		const nodes = flow.workflow.nodes.map((node) => ({ ...node, webhookId: randomUUID() }));
		const copy = await sandbox.activate(nodes);
		expect(subscribed()).toEqual([flow.url, copy.url]);
		await sandbox.service.configure({ events: { ...SIGNED.events, duplicates: 2 } });
		sandbox.service.receiveMessage();
		await sandbox.service.deliveriesSettled();
		const [[ofFlow], [ofCopy]] = [await outputs(flow, 1), await outputs(copy, 1)];
		expect(ofFlow?.data).toEqual(ofCopy?.data);
		await flow.deactivate();
		expect(subscribed()).toEqual([copy.url]);
		await copy.deactivate();
	});
});

// n8n 1.x answers before it has stored the execution, whatever the trigger: see docs/trigger.md.
describeOnN8n2('n8n is killed in the middle of a burst', () => {
	let flow: Flow;
	const answered = new Set<number>();
	let sent = 0;

	const deliver = async (id: number) =>
		(await post(flow, JSON.stringify({ event: 'message.received', data: { id } }))).status;

	/** How many executions there are by now, with those that n8n is still to begin after the crash. */
	async function executions(): Promise<number> {
		return (await listExecutions(sandbox.n8n.rest, flow.workflow)).length;
	}

	beforeAll(async () => {
		flow = await flowWith(automatic);
		// Some are always under way, until n8n answers no more.
		const senders = Array.from({ length: BURST }, async () => {
			for (;;) {
				const id = sent++;
				if ((await deliver(id)) === 200) answered.add(id);
			}
		});
		while (answered.size < BURST / 2) await sleep(1);
		await sandbox.n8n.kill();
		await Promise.allSettled(senders);
		await sandbox.n8n.start();
	});

	test('no event is lost: what was answered has its execution, the rest comes again', async () => {
		expect(answered.size).toBeLessThan(sent);
		const before = await executions();
		expect(before).toBeGreaterThanOrEqual(answered.size);
		const rest = [...Array(sent).keys()].filter((id) => !answered.has(id));
		const statuses = await Promise.all(rest.map(deliver));
		expect(new Set(statuses)).toEqual(new Set([200]));
		// Some of these may have started before the kill, and start again: the process that knew of them is gone.
		await until('the rest has started', async () => (await executions()) >= before + rest.length);
		await Promise.all(rest.map(deliver));
		await sleep(1_000);
		expect(await executions()).toBe(before + rest.length);
	});

	test('there is one subscription still, and deactivation takes it away', async () => {
		expect(sandbox.service.subscriptions()).toMatchObject([{ url: flow.url }]);
		await flow.deactivate();
		expect(sandbox.service.subscriptions()).toEqual([]);
	});
});
