/** Automatic registration, as n8n goes about it, at a service that offers a subscription endpoint. */
import type { INodeParameters } from 'n8n-workflow';

import {
	seeded,
	type Fault,
	type FaultKind,
	type Service,
	type ServiceOptions,
} from '../../sandbox/service/service.ts';
import { credentialOf, findNobody, start, startStranger } from './service.ts';
import { later, triggerOf } from './trigger.ts';

const SECRET = 'secret-of-the-webhook';
const PATH = '/public/webhooks';
const OTHER = { url: 'https://other.example.com/hook', events: ['x'] };
const NO_LIST: ServiceOptions = { events: { endpoint: { list: 'notFound' } } };

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

/** What the service was asked since the last time. */
async function asked(service: Service): Promise<string[]> {
	const requests = service.received().map(({ method, path }) => `${method} ${path}`);
	await service.reset('log');
	const ids = new Set(service.subscriptions().map(({ id }) => id));
	return requests.map((request) =>
		request.replace(/\/[^/]+$/, (end) => (ids.has(end.slice(1)) ? '/id' : end)),
	);
}

/** A subscription that somebody else made at the service. */
async function subscribe(service: Service, url: string, events: string[] = []): Promise<void> {
	const answer = await fetch(service.url + PATH, {
		method: 'POST',
		headers: { 'content-type': 'application/json', apiKey: seeded.demo.apiKey },
		body: JSON.stringify({ url, events }),
	});
	expect(answer.status).toBe(201);
}

/** A list that shows others shows that it would show this trigger, too. */
async function seedOther(service: Service): Promise<void> {
	await subscribe(service, OTHER.url, OTHER.events);
	await service.reset('log');
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
	return { message: error.message, description: String(Reflect.get(error, 'description')) };
}

const on = (operation: 'create' | 'getAll' | 'delete', fault: FaultKind): Fault => ({
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
		const creation = service.received().find(({ method }) => method === 'POST');
		expect(creation?.body).toEqual({ url: trigger.address(), ...body });
		expect(service.subscriptions()).toMatchObject([{ url: trigger.address(), ...body }]);
		const stored = JSON.stringify(trigger.setting.stored);
		expect(stored).toContain(trigger.address());
		for (const hidden of [SECRET, seeded.demo.apiKey]) expect(stored).not.toContain(hidden);

		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
		for (const { headers } of service.received()) expect(headers.apikey).toBe(seeded.demo.apiKey);
	});

	test('it is found again, also with the events in another order', async () => {
		const { service, trigger } = await activated({ events: ['a', 'b'] });
		await trigger.activate('init');
		trigger.setting.parameters.events = ['b', 'a'];
		await trigger.activate('update');
		expect(await asked(service)).toEqual([`GET ${PATH}`, `GET ${PATH}`]);
		expect(service.subscriptions()).toHaveLength(1);
	});

	test('it is replaced when the address of n8n changed', async () => {
		const { service, trigger } = await activated();
		trigger.setting.host = 'https://elsewhere.example.com';
		await trigger.activate('init');
		expect(subscribed(service)).toEqual([{ url: trigger.address(), events: [] }]);
		expect(trigger.address()).toContain('elsewhere');
		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
	});

	test('a copy of the workflow has one of its own, also if it came with the static data', async () => {
		const { service, trigger } = await activated();
		const copy = triggerAt(service);
		copy.setting.stored = structuredClone(trigger.setting.stored);
		await copy.activate();
		expect(subscribed(service).map(({ url }) => url)).toEqual([trigger.address(), copy.address()]);
	});

	test('nothing is asked when the address is entered by hand', async () => {
		const { service, trigger } = await activated({ registration: 'manual' });
		await trigger.deactivate();
		const end = await trigger.listen();
		await end();
		expect(service.received()).toEqual([]);
	});

	test('a workflow that fails because of another trigger leaves nothing behind', async () => {
		const { service, trigger } = await setUp({}, NO_LIST);
		await trigger.activateInVain();
		expect(service.subscriptions()).toEqual([]);
		expect(await asked(service)).toContain(`POST ${PATH}`);
	});
});

describe('a subscription that n8n does not remember', () => {
	test.each(['envelope', 'array'] as const)('is found in a list: %s', async (list) => {
		const { service, trigger } = await setUp({ events: ['a'] }, { events: { endpoint: { list } } });
		await subscribe(service, OTHER.url, OTHER.events);
		await subscribe(service, trigger.address(), ['a']);
		await asked(service);
		await trigger.activate();
		expect(await asked(service)).toEqual([`GET ${PATH}`]);
		expect(service.subscriptions()).toHaveLength(2);
		await trigger.deactivate();
		expect(subscribed(service)).toEqual([OTHER]);
	});

	test('is replaced when it has other events', async () => {
		const { service, trigger } = await setUp({ events: ['a'] });
		await subscribe(service, trigger.address(), ['b']);
		await trigger.activate();
		expect(subscribed(service)).toEqual([{ url: trigger.address(), events: ['a'] }]);
		const deletions = service.received().filter(({ method }) => method === 'DELETE');
		expect(deletions).toHaveLength(1);
	});

	test('is found on a later page', async () => {
		const { service, trigger } = await setUp({}, { dialect: { links: 'relative' } });
		for (let i = 0; i < 21; i++) await subscribe(service, `https://example.com/${i}`);
		await subscribe(service, trigger.address());
		await trigger.activate();
		expect(service.subscriptions()).toHaveLength(22);
	});

	test('that has no ID stops the activation, since it could not be removed', async () => {
		const { service, trigger } = await setUp({ subscription: { idField: 'uuid' } });
		await subscribe(service, trigger.address());
		const { message, description } = await stoppedBy(trigger.activate());
		expect(message).toContain(`a subscription for ${trigger.address()} that has no "uuid"`);
		expect(description).toContain('"ID Field" in "Registration Details"');
		expect(service.subscriptions()).toHaveLength(1);
	});
});

test('a service that cannot be asked does not keep n8n from listening after a restart', async () => {
	const { service, trigger } = await activated();
	await service.configure(failing('getAll'));
	await trigger.activate('init');
	const nobody = await findNobody();
	trigger.setting.credential.baseUrl = nobody.url;
	await trigger.activate('init');
	const { message } = await stoppedBy(triggerAt(nobody).activate());
	expect(message).toContain('cannot be reached');
});

describe('when the subscription cannot be made', () => {
	test.each<[string, FaultKind, string]>([
		['an error', { kind: 'status', status: 500 }, 'reported a server error'],
		['an error after all', { kind: 'status', status: 500, processed: true }, 'a server error'],
		['a refusal', { kind: 'status', status: 422 }, 'did not accept'],
		['a broken connection', { kind: 'dropAfter' }, 'broke off'],
	])('%s stops the activation, and there is never a second one', async (_what, fault, words) => {
		const { service, trigger } = await setUp();
		await seedOther(service);
		await service.configure({ faults: [on('create', fault)] });
		const { message, description } = await stoppedBy(trigger.activate());
		expect(message).toContain(words);
		expect(description).not.toBe('');
		expect(service.received().filter(({ method }) => method === 'POST')).toHaveLength(1);

		await service.configure({ faults: [] });
		await later(() => trigger.activate());
		expect(subscribed(service)).toEqual([OTHER, { url: trigger.address(), events: [] }]);
	});

	test('a slow one is waited for, though the list does not show it yet', async () => {
		const { service, trigger } = await setUp();
		await service.configure(failing('create', 504));
		const failure = await stoppedBy(trigger.activate());
		await service.configure({ faults: [] });
		expect(await stoppedBy(trigger.activate())).toEqual(failure);
		await subscribe(service, trigger.address());
		await trigger.activate();
		expect(service.subscriptions()).toHaveLength(1);
	});

	test('a service without the endpoint says what to do', async () => {
		const { trigger } = await setUp({}, { events: { endpoint: { enabled: false } } });
		const { message, description } = await stoppedBy(trigger.activate());
		expect(message).toContain(`The service takes no subscriptions at ${PATH}`);
		expect(description).toContain('Manual');
	});

	test.each<[string, FaultKind]>([
		['a web page', { kind: 'html' }],
		['an ID that is none', { kind: 'wrongShape', body: { id: null } }],
	])(
		'and the answer is %s, the error says so, and the next activation finds it',
		async (...row) => {
			const [, fault] = row;
			const { service, trigger } = await setUp({}, { faults: [on('create', fault)] });
			const { message } = await stoppedBy(trigger.activate());
			expect(message).toContain(`The service made a subscription for ${trigger.address()}`);
			await trigger.activate();
			expect(service.subscriptions()).toHaveLength(1);
			await trigger.deactivate();
			expect(service.subscriptions()).toEqual([]);
		},
	);
});

describe('when the subscription cannot be taken away', () => {
	test('the next activation finds it again, and makes no second one', async () => {
		const { service, trigger } = await activated({ events: ['a'] });
		await service.configure(failing('delete'));
		const { message } = await stoppedBy(trigger.deactivate());
		expect(message).toContain('reported a server error');
		await trigger.activate();
		trigger.setting.parameters.events = ['b'];
		await stoppedBy(trigger.activate('update'));
		expect(subscribed(service)).toEqual([{ url: trigger.address(), events: ['a'] }]);
		await service.configure({ faults: [] });
		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
	});
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

describe('the key stays at home', () => {
	test('whatever the service answers', async () => {
		const stranger = await startStranger();
		const fault: FaultKind = { kind: 'redirect', location: `${stranger.url}/hooks`, status: 307 };
		for (const operation of ['create', 'getAll'] as const) {
			const { trigger } = await setUp({}, { faults: [on(operation, fault)] });
			await stoppedBy(trigger.activate());
		}
		expect(stranger.requests).toEqual([]);
	});

	test.each(['GET', 'POST', 'DELETE'])(
		'and is not shown when the service repeats it, nor is the secret: %s',
		async (refused) => {
			const { apiKey } = seeded.demo;
			const service = await startStranger((response) => {
				const { method = '' } = response.req;
				response.writeHead(method === refused ? 400 : method === 'GET' ? 404 : 200);
				response.end(JSON.stringify({ id: '1', message: `no: ${apiKey}, ${SECRET}` }));
			});
			const trigger = triggerAt(service, { subscription: { secretField: 'secret' } });
			const { message, description } = await stoppedBy(
				trigger.activate().then(() => trigger.deactivate()),
			);
			expect(message + description).toContain('[hidden]');
			for (const hidden of [apiKey, SECRET]) expect(message + description).not.toContain(hidden);
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

	test('no credential', async () => {
		const { service, trigger } = await setUp();
		trigger.setting.hasCredential = false;
		const { message } = await stoppedBy(trigger.activate());
		expect(message).toMatch(/credential/);
		expect(service.received()).toEqual([]);
	});
});
