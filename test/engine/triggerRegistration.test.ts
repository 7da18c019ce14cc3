/** Automatic registration, as n8n goes about it, at a service that offers a subscription endpoint. */
import { text } from 'node:stream/consumers';

import type { INodeParameters } from 'n8n-workflow';

import { seeded, type Fault, type FaultKind, type Service } from '../../sandbox/service/service.ts';
import { credentialOf, start, startStranger } from './service.ts';
import { Trigger } from './trigger.ts';

const SECRET = 'secret-of-the-webhook';
const PATH = '/public/webhooks';

const triggerAt = (service: Pick<Service, 'url'>, parameters: INodeParameters = {}) =>
	new Trigger(credentialOf(service), parameters);

/** A trigger at a service on which its requests fail like this. */
async function setUp(parameters?: INodeParameters, ...faults: Fault[]) {
	const service = await start({ faults });
	return { service, trigger: triggerAt(service, parameters) };
}

async function activated(parameters?: INodeParameters) {
	const { service, trigger } = await setUp(parameters);
	await trigger.activate();
	await service.reset('log');
	return { service, trigger };
}

/** The addresses that get events, and which. */
const subscribed = (service: Service) =>
	service.subscriptions().map(({ url, events }) => ({ url, events }));

/** How the service was asked since the last time. */
async function asked(service: Service): Promise<string[]> {
	const requests = service.received().map(({ method, path }) => `${method} ${path}`);
	await service.reset('log');
	return requests.map((request) => request.replace(/\/[\da-f-]{36}$/, '/id'));
}

/** What the user reads of the error that stops something. */
async function stoppedBy(action: Promise<unknown>): Promise<string> {
	const error: unknown = await action.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (!(error instanceof Error)) throw new Error('Nothing was stopped');
	expect(['NodeApiError', 'NodeOperationError']).toContain(error.name);
	const description = String(Reflect.get(error, 'description'));
	// None of these is an option of the trigger.
	expect(error.message + description).not.toMatch(/Max Retries|Timeout|Run the node|undefined/);
	return error.message;
}

const on = (operation: 'create' | 'delete', fault: FaultKind): Fault => ({
	...fault,
	operations: [`subscription.${operation}`],
});
const failing = (operation: 'create' | 'delete', status = 500) =>
	on(operation, { kind: 'status', status });

describe('a subscription', () => {
	const hooks = { a: [{ target: '{url}', key: '{secret}' }], topics: '{events}', b: ['{events}'] };

	test.each<[string, INodeParameters, (url: string) => object]>([
		['without events', {}, (url) => ({ url, secret: SECRET })],
		['with events', { events: ['b', 'a'] }, (url) => ({ url, events: ['a', 'b'], secret: SECRET })],
		[
			'with words that look like placeholders',
			{ events: ['{secret}', '"{url}"'] },
			(url) => ({ url, events: ['"{url}"', '{secret}'], secret: SECRET }),
		],
		[
			'as the service wants it',
			{ subscriptionBody: JSON.stringify({ ...hooks, kind: 'to {url}', n: null }) },
			(url) => ({ a: [{ target: url, key: SECRET }], b: [], kind: 'to {url}', n: null }),
		],
		[
			'as an object of an expression',
			{ subscriptionBody: { url: '{url}', n: 1 }, events: ['c'] },
			(url) => ({ url, n: 1 }),
		],
	])('%s is made and taken away', async (_what, parameters, body) => {
		const sent: unknown[] = [];
		const stranger = await startStranger(async (response) => {
			sent.push(`${response.req.method} ${response.req.url}`, await text(response.req));
			response.writeHead(201).end('{"data":{"id":7}}');
		});
		const trigger = triggerAt(stranger, parameters);
		await trigger.activate();
		await trigger.deactivate();
		expect(sent).toEqual([
			...[`POST ${PATH}`, JSON.stringify(body(trigger.address))],
			...[`DELETE ${PATH}/7`, ''],
		]);
	});

	test.each<[string, INodeParameters, string?]>([
		['with other events', { events: ['c'] }],
		['at another address', {}, 'https://elsewhere.example.com'],
	])('published again %s, is taken away and another one made', async (...row) => {
		const [, parameters, host] = row;
		const { service, trigger } = await activated();
		const stored = JSON.stringify(trigger.stored);
		for (const hidden of [SECRET, seeded.demo.apiKey]) expect(stored).not.toContain(hidden);
		Object.assign(trigger.parameters, parameters);
		trigger.host = host ?? trigger.host;
		await trigger.activate('update');
		expect(await asked(service)).toEqual([`DELETE ${PATH}/id`, `POST ${PATH}`]);
		expect(subscribed(service)).toEqual([
			{ url: trigger.address, events: parameters.events ?? [] },
		]);
	});

	test('at the earlier service is left alone, and the log says so', async () => {
		const { service, trigger } = await activated();
		const other = await start();
		trigger.credential.baseUrl = other.url;
		await trigger.activate('update');
		expect(await asked(other)).toEqual([`POST ${PATH}`]);
		const [{ id } = { id: '' }] = service.subscriptions();
		expect(trigger.warnings).toEqual([
			`The subscription ${service.url}${PATH}/${id} is still there: the base URL has changed`,
		]);
	});

	test('of a copy of the workflow is its own, also if it came with the static data', async () => {
		const { service, trigger } = await activated();
		const copy = triggerAt(service);
		copy.stored = structuredClone(trigger.stored);
		await copy.activate();
		expect(subscribed(service).map(({ url }) => url)).toEqual([trigger.address, copy.address]);
		await copy.deactivate();
		expect(subscribed(service).map(({ url }) => url)).toEqual([trigger.address]);
	});
});

test('with manual registration nothing is asked, and an earlier subscription is forgotten', async () => {
	const { service, trigger } = await activated();
	trigger.parameters.registration = 'manual';
	await trigger.activate('update');
	await trigger.deactivate();
	expect(service.received()).toEqual([]);
	trigger.parameters.registration = 'automatic';
	await trigger.activate('update');
	expect(await asked(service)).toEqual([`POST ${PATH}`]);
});

describe('when the subscription cannot be made', () => {
	test.each<[string, FaultKind, string | RegExp, boolean]>([
		['an error', { kind: 'status', status: 500 }, 'reported a server error', true],
		['a refusal', { kind: 'status', status: 422 }, 'did not accept', false],
		['another one that there is', { kind: 'status', status: 409 }, 'did not accept', true],
		['a broken connection', { kind: 'dropAfter' }, 'broke off', true],
		['a web page', { kind: 'html' }, 'A web page came back', true],
		['no ID', { kind: 'wrongShape', body: { id: null } }, 'Unexpected response', true],
		['no endpoint', { kind: 'status', status: 404 }, `takes no subscriptions at ${PATH}`, false],
	])('%s stops the activation, with what to look for', async (_what, fault, words, isOpen) => {
		const { service, trigger } = await setUp({}, on('create', fault));
		const message = await stoppedBy(trigger.activate());
		expect(message).toContain(words);
		expect(await asked(service)).toEqual([`POST ${PATH}`]);
		expect(message.includes(`remove each for ${trigger.address}`)).toBe(isOpen);
		await service.configure({ faults: [] });
		await trigger.activate();
		expect(service.subscriptions()).not.toEqual([]);
	});
});

describe('when the subscription cannot be taken away', () => {
	test('it is named, and no second one is made', async () => {
		const { service, trigger } = await activated({ events: ['a'] });
		const [{ id } = { id: '' }] = service.subscriptions();
		await service.configure({ faults: [failing('delete')] });
		const words = `The subscription ${service.url}${PATH}/${id} was not removed`;
		await trigger.deactivate();
		expect(trigger.warnings).toEqual([expect.stringContaining(words)]);
		trigger.parameters.events = ['b'];
		expect(await stoppedBy(trigger.activate('update'))).toContain(words);
		expect(subscribed(service)).toEqual([{ url: trigger.address, events: ['a'] }]);
		await service.configure({ faults: [] });
		await trigger.activate('update');
		expect(subscribed(service)).toEqual([{ url: trigger.address, events: ['b'] }]);
	});

	test.each<[string, (trigger: Trigger, service: Service) => unknown]>([
		['the credential is gone', (trigger) => (trigger.hasCredential = false)],
		[
			'a login page answers',
			async (_, service) => await service.configure({ faults: [on('delete', { kind: 'html' })] }),
		],
	])('because %s, the log names it', async (_why, change) => {
		const { service, trigger } = await activated();
		const [{ id } = { id: '' }] = service.subscriptions();
		await change(trigger, service);
		await trigger.deactivate();
		expect(trigger.warnings).toEqual([
			expect.stringContaining(`The subscription ${service.url}${PATH}/${id} was not removed`),
		]);
	});

	test.each([404, 410])('because it is gone, all is well: %i', async (status) => {
		const { service, trigger } = await activated();
		await service.configure({ faults: [failing('delete', status)] });
		await trigger.activate();
		expect((await asked(service)).slice(-2)).toEqual([`DELETE ${PATH}/id`, `POST ${PATH}`]);
		expect(trigger.warnings).toEqual([]);
	});
});

// What is shown of an answer with the key or the secret, and of a redirect: see hostile.test.ts.
test('a secret is not kept as the ID of a subscription', async () => {
	const service = await startStranger((response) => {
		response.end(JSON.stringify({ id: `sub-${SECRET}` }));
	});
	const trigger = triggerAt(service);
	expect(await stoppedBy(trigger.activate())).toContain('if its answer has no "id"');
	expect(JSON.stringify(trigger.stored)).not.toContain(SECRET);
});

describe('what cannot work stops the activation before anything is asked', () => {
	const LONG = 'f0'.repeat(400);

	test.each<[string, INodeParameters, string?]>([
		['Enter a "Webhook Secret" in the credential', {}, '  '],
		['"Events" has an entry without a name', { events: ['a', ''] }],
		['"Events" has an entry without a name', { events: '={{ null }}' }],
		['"Verification" has an unknown value: "[hidden]"', { verification: LONG }, LONG],
	])('%s, also with manual registration', async (words, parameters, webhookSecret = SECRET) => {
		const service = await start();
		for (const registration of ['automatic', 'manual']) {
			const trigger = triggerAt(service, { registration, ...parameters });
			trigger.credential.webhookSecret = webhookSecret;
			expect(await stoppedBy(trigger.activate())).toContain(words);
		}
		expect(service.received()).toEqual([]);
	});

	test.each<[string, INodeParameters]>([
		['"Subscription Path" is empty', { subscriptionPath: ' ' }],
		['"Subscription Path" is no path', { subscriptionPath: '/hooks?team=1' }],
		['"Subscription Path" is no path', { subscriptionPath: 'https://example.com/hooks' }],
		['"Subscription Body" does not have "{url}"', { subscriptionBody: '{"url":"{address}"}' }],
		['"Subscription Body" is not valid JSON', { subscriptionBody: '{"url":{url}}' }],
		['the secret cannot be in the query', { secretIn: 'query' }],
	])('%s', async (words, parameters) => {
		const { service, trigger } = await setUp(parameters);
		expect(await stoppedBy(trigger.activate())).toContain(words);
		expect(service.received()).toEqual([]);
	});

	test.each(['http://localhost:5678', 'http://127.0.0.1:5678', 'http://[::1]', 'http://0.0.0.0'])(
		'an address of n8n that the service cannot reach: %s',
		async (host) => {
			const { service, trigger } = await setUp();
			trigger.host = host;
			// The service is on this machine, too.
			await trigger.activate();
			await service.reset('log');
			trigger.credential.baseUrl = 'https://messaging.example.com';
			const message = await stoppedBy(trigger.activate('update'));
			expect(message).toMatch(/^The service cannot reach n8n at http.*: set WEBHOOK_URL to /);
		},
	);

	test('no credential', async () => {
		const { service, trigger } = await setUp();
		trigger.hasCredential = false;
		expect(await stoppedBy(trigger.activate())).toMatch(/credential/);
		expect(service.received()).toEqual([]);
	});
});
