/** Automatic registration, as n8n goes about it, at a service that offers a subscription endpoint. */
import type { INodeParameters } from 'n8n-workflow';

import {
	seeded,
	type Fault,
	type FaultKind,
	type Service,
	type ServiceOptions,
} from '../../sandbox/service/service.ts';
import { credentialOf, start, startStranger } from './service.ts';
import { triggerOf } from './trigger.ts';

const SECRET = 'secret-of-the-webhook';
const PATH = '/public/webhooks';
/** How often n8n 2 tries to activate a trigger. */
const TRIES = 5;

const triggerAt = (service: Pick<Service, 'url'>, parameters: INodeParameters = {}) =>
	triggerOf(credentialOf(service), parameters);

async function setUp(parameters?: INodeParameters, options?: ServiceOptions) {
	const service = await start(options);
	return { service, trigger: triggerAt(service, parameters) };
}

async function activated(parameters?: INodeParameters, options?: ServiceOptions) {
	const { service, trigger } = await setUp(parameters, options);
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

interface Words {
	message: string;
	description: string;
}

/** What the user reads of the error that stops something. */
async function stoppedBy(action: Promise<unknown>): Promise<Words> {
	const error: unknown = await action.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (!(error instanceof Error)) throw new Error('Nothing was stopped');
	expect(['NodeApiError', 'NodeOperationError']).toContain(error.name);
	const description = String(Reflect.get(error, 'description'));
	// None of these is an option of the trigger.
	expect(error.message + description).not.toMatch(/Max Retries|Timeout|Run the node|undefined/);
	return { message: error.message, description };
}

const on = (operation: 'create' | 'delete', fault: FaultKind): Fault => ({
	...fault,
	operations: [`subscription.${operation}`],
});
const failing = (operation: Parameters<typeof on>[0], status = 500) => ({
	faults: [on(operation, { kind: 'status', status })],
});

describe('while the service does as it should', () => {
	test.each<[string, INodeParameters, object]>([
		['without events', {}, {}],
		['with events', { events: ['b', 'a'] }, { events: ['a', 'b'] }],
		['with the secret', { subscription: { secretField: 'secret' } }, { secret: SECRET }],
	])('a subscription is made and taken away: %s', async (_what, parameters, body) => {
		const { service, trigger } = await setUp(parameters);
		await trigger.activate();
		expect(service.received().map((request) => request.body)).toEqual([
			{ url: trigger.address(), ...body },
		]);
		expect(service.subscriptions()).toMatchObject([{ url: trigger.address(), ...body }]);
		const stored = JSON.stringify(trigger.setting.stored);
		expect(stored).toContain(service.url);
		for (const hidden of [SECRET, seeded.demo.apiKey]) expect(stored).not.toContain(hidden);

		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
		for (const { headers } of service.received()) expect(headers.apikey).toBe(seeded.demo.apiKey);
	});

	test.each([
		['uuid', '{"data":{"uuid":7}}'],
		['hook.id', '{"hook":{"id":7}}'],
	])('the parts of a subscription have the names that are entered: %s in %s', async (...row) => {
		const [idField, answer] = row;
		const asked: string[] = [];
		const service = await startStranger((response) => {
			asked.push(`${response.req.method} ${response.req.url}`);
			response.writeHead(201).end(answer);
		});
		const names = { urlField: 'target', eventsField: 'topics', idField };
		const trigger = triggerAt(service, { events: ['a'], subscription: names });
		await trigger.activate();
		await trigger.deactivate();
		expect(asked).toEqual([`POST ${PATH}`, `DELETE ${PATH}/7`]);
	});

	test.each<[string, INodeParameters, string?]>([
		['without a change, as when n8n 1 starts', {}],
		['with other events', { events: ['c'] }],
		['at another address', {}, 'https://elsewhere.example.com'],
	])('%s, the earlier one is taken away and another one made', async (...row) => {
		const [, parameters, host] = row;
		const { service, trigger } = await activated();
		Object.assign(trigger.setting.parameters, parameters);
		trigger.setting.host = host ?? trigger.setting.host;
		await trigger.activate('update');
		expect(await asked(service)).toEqual([`DELETE ${PATH}/id`, `POST ${PATH}`]);
		expect(subscribed(service)).toEqual([
			{ url: trigger.address(), events: parameters.events ?? [] },
		]);
		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
	});

	test('at another service, another one is made, and that of the earlier one is left alone', async () => {
		const { service, trigger } = await activated();
		const other = await start();
		trigger.setting.credential.baseUrl = other.url;
		await trigger.activate('update');
		expect(await asked(other)).toEqual([`POST ${PATH}`]);
		const [{ id } = { id: '' }] = service.subscriptions();
		expect(trigger.setting.warnings).toEqual([
			`The subscription ${service.url}${PATH}/${id} is still there: the base URL has changed`,
		]);
		await trigger.deactivate();
		expect(await asked(other)).toEqual([`DELETE ${PATH}/id`]);
		expect(service.subscriptions()).toHaveLength(1);
	});

	test('a copy of the workflow has one of its own, also if it came with the static data', async () => {
		const { service, trigger } = await activated();
		const copy = triggerAt(service);
		copy.setting.stored = structuredClone(trigger.setting.stored);
		await copy.activate();
		expect(subscribed(service).map(({ url }) => url)).toEqual([trigger.address(), copy.address()]);
		await copy.deactivate();
		expect(subscribed(service).map(({ url }) => url)).toEqual([trigger.address()]);
	});

	test('nothing is asked when the address is entered by hand', async () => {
		const { service, trigger } = await activated({ registration: 'manual' });
		await trigger.deactivate();
		const end = await trigger.listen();
		await end();
		expect(service.received()).toEqual([]);
	});

	test('trying the trigger out has a subscription of its own, and leaves that of production alone', async () => {
		const { service, trigger } = await activated({ events: ['a'] });
		const production = service.subscriptions();
		for (const events of [['a'], ['b']]) {
			trigger.setting.parameters.events = events;
			const end = await trigger.listen();
			expect(service.subscriptions()).toEqual([
				...production,
				expect.objectContaining({ url: trigger.address(true), events }),
			]);
			await end();
			expect(service.subscriptions()).toEqual(production);
		}
		await service.configure(failing('create'));
		await stoppedBy(trigger.listen());
		expect(service.subscriptions()).toEqual(production);
	});
});

describe('when the subscription cannot be made', () => {
	test.each<[string, FaultKind, string, boolean]>([
		['an error', { kind: 'status', status: 500 }, 'reported a server error', true],
		['a refusal', { kind: 'status', status: 422 }, 'did not accept', false],
		['another one that there is', { kind: 'status', status: 409 }, 'did not accept', true],
		['a broken connection', { kind: 'dropAfter' }, 'broke off', true],
	])('%s stops the activation, with what to look for', async (_what, fault, words, isOpen) => {
		const { service, trigger } = await setUp({}, { faults: [on('create', fault)] });
		const { message, description } = await stoppedBy(trigger.activate());
		expect(message).toContain(words);
		expect(await asked(service)).toEqual([`POST ${PATH}`]);
		for (const text of [message, description])
			expect(text.includes(`remove every subscription for ${trigger.address()}`)).toBe(isOpen);

		await service.configure({ faults: [] });
		await trigger.activate();
		expect(service.subscriptions()).not.toEqual([]);
	});

	test.each<[string, FaultKind, RegExp]>([
		['a web page', { kind: 'html' }, /^A web page came back/],
		[
			'an ID that is none',
			{ kind: 'wrongShape', body: { id: null } },
			/its answer has no usable "id".*"ID Field" in "Registration Details"/,
		],
	])('and the answer is %s, the error says so, and names the address', async (...row) => {
		const [, fault, words] = row;
		const { trigger } = await setUp({}, { faults: [on('create', fault)] });
		const { message } = await stoppedBy(trigger.activate());
		expect(message).toMatch(words);
		expect(message).toContain(`remove every subscription for ${trigger.address()}`);
	});

	test('n8n tries several times, and each try is one request', async () => {
		const { service, trigger } = await setUp({}, failing('create'));
		await stoppedBy(trigger.publish());
		expect(await asked(service)).toEqual(Array(TRIES).fill(`POST ${PATH}`));
	});

	test('a service without the endpoint says what to do', async () => {
		const { trigger } = await setUp({}, { events: { endpoint: { enabled: false } } });
		const { message, description } = await stoppedBy(trigger.activate());
		expect(message).toContain(`The service takes no subscriptions at ${PATH}`);
		expect(description).toContain('Manual');
	});

	test('a service that is busy says so at once', async () => {
		const service = await startStranger((response) => {
			response.writeHead(429, { 'retry-after': '900' }).end();
		});
		const { message } = await stoppedBy(triggerAt(service).activate());
		expect(message).toContain('is not accepting more requests right now');
		expect(service.requests).toHaveLength(1);
	});
});

describe('when the subscription cannot be taken away', () => {
	test('it is named, and no second one is made', async () => {
		const { service, trigger } = await activated({ events: ['a'] });
		const [{ id } = { id: '' }] = service.subscriptions();
		await service.configure(failing('delete'));
		const words = `The subscription ${service.url}${PATH}/${id} was not removed`;
		await trigger.deactivate();
		expect(trigger.setting.warnings).toEqual([expect.stringContaining(words)]);
		trigger.setting.parameters.events = ['b'];
		expect((await stoppedBy(trigger.activate('update'))).message).toContain(words);
		expect(subscribed(service)).toEqual([{ url: trigger.address(), events: ['a'] }]);
		await service.configure({ faults: [] });
		await trigger.activate('update');
		expect(subscribed(service)).toEqual([{ url: trigger.address(), events: ['b'] }]);
	});

	test('and was removed by hand, publishing makes another one', async () => {
		const { service, trigger } = await activated();
		await service.configure(failing('delete'));
		await trigger.deactivate();
		await service.configure(failing('delete', 404));
		await trigger.activate();
		expect((await asked(service)).slice(-2)).toEqual([`DELETE ${PATH}/id`, `POST ${PATH}`]);
	});

	test('publishing with manual registration forgets it, so that another one can be made', async () => {
		const { service, trigger } = await activated();
		await service.configure(failing('delete', 405));
		trigger.setting.parameters.events = ['b'];
		await stoppedBy(trigger.activate('update'));
		trigger.setting.parameters.registration = 'manual';
		await trigger.activate('update');
		trigger.setting.parameters.registration = 'automatic';
		await service.reset('log');
		await trigger.activate('update');
		expect(await asked(service)).toEqual([`POST ${PATH}`]);
	});

	test('because the credential is gone, the log names it', async () => {
		const { service, trigger } = await activated();
		trigger.setting.hasCredential = false;
		await trigger.deactivate();
		const [{ id } = { id: '' }] = service.subscriptions();
		expect(trigger.setting.warnings).toEqual([
			expect.stringContaining(`The subscription ${service.url}${PATH}/${id} was not removed`),
		]);
	});

	test.each([404, 410])('because it is gone, all is well: %i', async (status) => {
		const { service, trigger } = await activated();
		await service.configure(failing('delete', status));
		const { stored } = trigger.setting;
		await trigger.deactivate();
		trigger.setting.stored = stored;
		await trigger.deactivate();
		expect(trigger.setting.warnings).toEqual([]);
	});
});

describe('the key stays at home', () => {
	test('whatever the service answers', async () => {
		const stranger = await startStranger();
		const fault: FaultKind = { kind: 'redirect', location: `${stranger.url}/hooks`, status: 307 };
		const { trigger } = await setUp({}, { faults: [on('create', fault)] });
		await stoppedBy(trigger.activate());
		expect(stranger.requests).toEqual([]);
	});

	test.each(['POST', 'DELETE'])(
		'and is not shown when the service repeats it, nor is the secret: %s',
		async (refused) => {
			const { apiKey } = seeded.demo;
			const service = await startStranger((response) => {
				response.writeHead(response.req.method === refused ? 400 : 200);
				response.end(JSON.stringify({ id: SECRET, message: `no: ${apiKey}, ${SECRET}` }));
			});
			const trigger = triggerAt(service, { subscription: { secretField: 'secret' } });
			const error = await trigger.activate().then(
				async () => await trigger.deactivate(),
				(stopped: unknown) => stopped,
			);
			const shown = JSON.stringify([error, trigger.setting.warnings]);
			expect(shown).toContain('[hidden]');
			for (const hidden of [apiKey, SECRET]) expect(shown).not.toContain(hidden);
		},
	);
});

describe('what is not filled in stops the activation before anything is asked', () => {
	test.each<[string, string | RegExp, INodeParameters, string?]>([
		['no secret to be sent', 'Enter a "Webhook Secret" in the credential', {}, '  '],
		['an event without a name', '"Events" has an entry without a name', { events: ['a', ''] }],
	])('%s', async (_what, words, parameters, webhookSecret = SECRET) => {
		const service = await start();
		for (const registration of ['automatic', 'manual']) {
			const trigger = triggerAt(service, { registration, ...parameters });
			trigger.setting.credential.webhookSecret = webhookSecret;
			const production = await stoppedBy(trigger.activate());
			expect(production.message).toContain(words);
			expect(production.description).not.toBe('');
			expect(await stoppedBy(trigger.listen())).toEqual(production);
		}
		expect(service.received()).toEqual([]);
	});

	test.each<[string, INodeParameters]>([
		['"Subscription Path" is empty', { subscriptionPath: ' / ' }],
		['"Subscription Path" has a "?"', { subscriptionPath: '/hooks?team=5' }],
		['the secret cannot be in the query', { secretIn: 'query' }],
	])('%s', async (words, parameters) => {
		const { service, trigger } = await setUp(parameters);
		expect((await stoppedBy(trigger.activate())).message).toContain(words);
		expect(service.received()).toEqual([]);
	});

	test('and shows no secret that was entered in the wrong field', async () => {
		const secret = 'f0'.repeat(64);
		const { trigger } = await setUp({ headerName: `X-Webhook-Secret: ${secret}` });
		trigger.setting.credential.webhookSecret = secret;
		const { message } = await stoppedBy(trigger.activate());
		expect(message).toContain('"X-Webhook-Secret: [hidden]"');
	});

	test('no credential', async () => {
		const { service, trigger } = await setUp();
		trigger.setting.hasCredential = false;
		const { message } = await stoppedBy(trigger.activate());
		expect(message).toMatch(/credential/);
		expect(service.received()).toEqual([]);
	});
});
