/** How a service gets to know the address of the trigger and checks it, in a real n8n. */
import { createServer } from 'node:http';

import type { INodeParameters } from 'n8n-workflow';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { activateWorkflow, type StoredWorkflow } from '../../sandbox/n8n/workflows.ts';
import { callTrigger, outputs, post, SECRET } from './events.ts';

jest.setTimeout(START_TIMEOUT_MS);

const TOKEN = 'a-verify-token-for-tests';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		service: { agent: { enabled: false } },
		credential: { data: { webhookSecret: SECRET, verifyToken: TOKEN } },
	});
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

const flowWith = (parameters: INodeParameters) => sandbox.activate([sandbox.trigger(parameters)]);

const meta = (changes: Record<string, string> = {}) =>
	`?${new URLSearchParams({
		'hub.mode': 'subscribe',
		'hub.verify_token': TOKEN,
		'hub.challenge': '1158201444',
		...changes,
	})}`;

async function ask(url: string, method = 'GET') {
	const response = await fetch(url, { method });
	return { status: response.status, text: await response.text(), headers: response.headers };
}

/** The addresses of a workflow: the one for production is active, and at the other one n8n is listening. */
async function bothAddresses(parameters: INodeParameters): Promise<[Flow, string[]]> {
	const flow = await flowWith(parameters);
	await flow.listen();
	return [flow, [flow.url, flow.testUrl]];
}

/** Ends the wait at the test address by an event, which is the first that starts the workflow. */
async function expectOneEvent(flow: Flow): Promise<void> {
	expect(await flow.executions()).toEqual([]);
	expect((await post(flow, '{"id":1}', {}, flow.testUrl)).status).toBe(200);
	expect(await outputs(flow, 1)).toEqual([{ id: 1 }]);
}

describe('a service without a list, which calls the ID of a subscription something else', () => {
	const endpoint = { list: 'notFound', idField: 'uuid' } as const;
	let flow: Flow;

	/** Saves the workflow with other details of the registration, and publishes it. */
	async function publishWith(subscription: INodeParameters): Promise<string | undefined> {
		const { rest } = sandbox.n8n;
		const path = `/rest/workflows/${flow.workflow.id}`;
		const { name, nodes, connections, settings, versionId } = await rest.get<StoredWorkflow>(path);
		for (const { parameters } of nodes) Object.assign(parameters, { subscription });
		const saved = { name, nodes, connections, settings, versionId };
		const stored = await rest.patch<StoredWorkflow>(path, saved);
		return await activateWorkflow(rest, stored).then(
			() => undefined,
			(error: unknown) => String(error),
		);
	}

	beforeAll(async () => {
		await sandbox.service.configure({ events: { endpoint } });
		const parameters = { registration: 'automatic', subscriptionPath: '/public/webhooks' };
		flow = await sandbox.store([sandbox.trigger(parameters)]);
	});
	afterAll(() => sandbox.service.reset('settings'));

	test('gets one subscription, however often n8n tries, and the error names it', async () => {
		for (let times = 0; times < 2; times++) {
			expect(await publishWith({})).toContain(`a subscription for ${flow.url}`);
			expect(sandbox.service.subscriptions()).toMatchObject([{ url: flow.url }]);
		}
	});

	test('has it used once the name is right, also after a restart', async () => {
		const [made] = sandbox.service.subscriptions();
		await sandbox.n8n.restart();
		expect(await publishWith({ idField: 'uuid' })).toBeUndefined();
		expect(sandbox.service.subscriptions()).toEqual([made]);
		await sandbox.service.configure({
			events: { signing: { kind: 'sharedSecret', secret: SECRET } },
		});
		sandbox.service.receiveMessage();
		expect(await outputs(flow, 1)).toMatchObject([{ event: 'message.received' }]);
		await flow.deactivate();
		expect(sandbox.service.subscriptions()).toEqual([]);
	});
});

test('as shipped, only POST has an address', async () => {
	const [flow, addresses] = await bothAddresses({});
	for (const url of addresses) {
		for (const method of ['GET', 'HEAD'])
			expect((await ask(url + meta(), method)).status).toBe(404);
	}
	await expectOneEvent(flow);
});

test("Meta's challenge is sent back, at both addresses, and does not end the wait for an event", async () => {
	const [flow, addresses] = await bothAddresses({ addressCheck: 'query' });
	for (const url of addresses) {
		const { status, text, headers } = await ask(url + meta());
		expect({ status, text }).toEqual({ status: 200, text: '1158201444' });
		expect(headers.get('content-type')).toMatch(/^text\/plain/);
		expect(headers.get('x-content-type-options')).toBe('nosniff');
		expect((await ask(url + meta({ 'hub.verify_token': 'wrong' }))).status).toBe(401);
		expect((await ask(url)).status).toBe(401);
		const script = '<script>alert(1)</script>';
		const reflected = await ask(url + meta({ 'hub.challenge': script }));
		expect(reflected.text).toBe(script);
		expect(reflected.headers.get('content-type')).toMatch(/^text\/plain/);
	}
	await expectOneEvent(flow);
	expect(sandbox.n8n.log()).toContain('its verify token is not that of the credential');
	expect(sandbox.n8n.log()).not.toContain(TOKEN);
});

test("Slack's challenge is sent back when the call is verified, at both addresses", async () => {
	const [flow, addresses] = await bothAddresses({ addressCheck: 'body' });
	const body = JSON.stringify({ token: 'x', challenge: '3eZbrw1a', type: 'url_verification' });
	for (const url of addresses) {
		const answered = await post(flow, body, {}, url);
		expect(answered.status).toBe(200);
		expect(await answered.text()).toBe('3eZbrw1a');
		expect(answered.headers.get('content-type')).toMatch(/^text\/plain/);
		expect((await ask(url)).status).toBe(404);
	}
	const refused = await callTrigger(flow, { body });
	expect(refused.status).toBe(401);
	expect(await refused.text()).not.toContain('3eZbrw1a');
	await expectOneEvent(flow);
});

test('a plain GET or HEAD is answered, at both addresses', async () => {
	const [flow, addresses] = await bothAddresses({ addressCheck: 'any' });
	for (const url of addresses) {
		expect(await ask(url)).toMatchObject({ status: 200, text: 'OK' });
		expect(await ask(url, 'HEAD')).toMatchObject({ status: 200, text: '' });
		expect((await ask(url, 'PUT')).status).toBe(404);
	}
	await expectOneEvent(flow);
});

test('the answers stop with the workflow', async () => {
	const flow = await flowWith({ addressCheck: 'any' });
	expect((await ask(flow.url)).status).toBe(200);
	await flow.deactivate();
	expect((await ask(flow.url)).status).toBe(404);
});

test('they hold after a restart', async () => {
	const flow = await flowWith({ addressCheck: 'query' });
	await sandbox.n8n.restart();
	expect(await ask(flow.url + meta())).toMatchObject({ status: 200, text: '1158201444' });
	expect((await post(flow, '{"id":2}')).status).toBe(200);
	expect(await outputs(flow, 1)).toEqual([{ id: 2 }]);
	expect((await ask(flow.url, 'HEAD')).status).toBe(404);
});

test('a service may check the address while it is told of it', async () => {
	const checks: string[] = [];
	const subscriptions = new Map<string, string>();
	const service = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk);
		const answer = (status: number, body: object = {}) =>
			response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		const id = request.url?.split('/')[2] ?? '';
		if (request.method === 'DELETE') return void answer(subscriptions.delete(id) ? 204 : 404);
		if (request.method === 'GET') return void answer(id && subscriptions.has(id) ? 200 : 404);
		const { url }: { url: string } = JSON.parse(Buffer.concat(chunks).toString());
		const { status, text } = await ask(url + meta({ 'hub.challenge': 'prove it' }));
		checks.push(`${status} ${text}`);
		if (text !== 'prove it') return void answer(422, { message: 'The address was not confirmed' });
		subscriptions.set('s1', url);
		answer(201, { id: 's1' });
	});
	await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', () => resolve()));
	const address = service.address();
	if (address === null || typeof address === 'string') throw new Error('There is no port');
	try {
		const credentials = await sandbox.addCredential({
			baseUrl: `http://127.0.0.1:${address.port}`,
			webhookSecret: SECRET,
			verifyToken: TOKEN,
		});
		const parameters = {
			registration: 'automatic',
			subscriptionPath: '/hooks',
			addressCheck: 'query',
		};
		const flow = await sandbox.activate([sandbox.trigger(parameters, { credentials })]);
		expect(checks).toEqual(['200 prove it']);
		expect([...subscriptions.values()]).toEqual([flow.url]);
		await flow.deactivate();
		await until('the subscription is gone', () => subscriptions.size === 0);
	} finally {
		service.closeAllConnections();
		await new Promise((resolve) => service.close(resolve));
	}
});
