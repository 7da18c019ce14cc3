/** Automatic registration, as n8n goes about it, at a service that offers a subscription endpoint. */
import { createServer } from 'node:http';

import type { INodeParameters } from 'n8n-workflow';

import { seeded } from '../../sandbox/service/service.ts';
import type { Fault, FaultKind, Service } from '../../sandbox/service/service.ts';
import { credentialOf, findNobody, start, startStranger } from './service.ts';
import { triggerOf, type Trigger } from './trigger.ts';

// Failures that may pass are tried again after a while.

const SECRET = 'secret-of-the-webhook';
const PATH = '/public/webhooks';

const triggerAt = (service: Pick<Service, 'url'>, parameters: INodeParameters = {}) =>
	triggerOf(credentialOf(service), parameters);

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

async function forgetAtService(service: Service): Promise<void> {
	for (const { id } of service.subscriptions()) {
		const headers = { apiKey: seeded.demo.apiKey };
		await fetch(`${service.url}${PATH}/${id}`, { method: 'DELETE', headers });
	}
	expect(service.subscriptions()).toEqual([]);
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
	return { message: error.message, description: String(Reflect.get(error, 'description')) };
}

const on = (operation: 'create' | 'get' | 'getAll' | 'delete', fault: FaultKind): Fault => ({
	...fault,
	operations: [`subscription.${operation}`],
});

describe('while the service does as it should', () => {
	test('a subscription is made when the trigger is switched on, and taken away when it is off', async () => {
		const service = await start();
		const trigger = triggerAt(service, { events: ['message.received', 'agent.answered'] });
		await trigger.activate();
		expect(subscribed(service)).toEqual([
			{ url: trigger.address(), events: ['agent.answered', 'message.received'] },
		]);
		const creation = service.received().find(({ method }) => method === 'POST');
		expect(creation?.body).toEqual({
			url: trigger.address(),
			events: ['agent.answered', 'message.received'],
		});
		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
		for (const { headers } of service.received()) expect(headers.apikey).toBe(seeded.demo.apiKey);
	});

	test('no events are named when none are chosen', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		await trigger.activate();
		const creation = service.received().find(({ method }) => method === 'POST');
		expect(creation?.body).toEqual({ url: trigger.address() });
	});

	test('the secret is told only if there is a field for it', async () => {
		const service = await start();
		const trigger = triggerAt(service, { subscription: { verifierField: 'secret' } });
		await trigger.activate();
		expect(service.subscriptions()).toMatchObject([{ secret: SECRET }]);
	});

	test('it is found again after a restart', async () => {
		const service = await start();
		const trigger = triggerAt(service, { events: ['a'] });
		await trigger.activate();
		await asked(service);
		for (const mode of ['init', 'leadershipChange', 'activate', 'update'] as const) {
			await trigger.activate(mode);
			expect(await asked(service)).toEqual([`GET ${PATH}/id`]);
		}
		expect(service.subscriptions()).toHaveLength(1);
	});

	test('it is found again with the events in another order', async () => {
		const service = await start();
		const trigger = triggerAt(service, { events: ['a', 'b'] });
		await trigger.activate();
		trigger.setting.parameters.events = ['b', 'a'];
		await asked(service);
		await trigger.activate();
		expect(await asked(service)).toEqual([`GET ${PATH}/id`]);
	});

	test('it is replaced when the events changed', async () => {
		const service = await start();
		const trigger = triggerAt(service, { events: ['a'] });
		await trigger.activate();
		for (const events of [['a', 'b'], ['b'], []]) {
			trigger.setting.parameters.events = events;
			await trigger.activate('update');
			expect(subscribed(service)).toEqual([{ url: trigger.address(), events }]);
		}
	});

	test('it is replaced when the address of n8n changed', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		await trigger.activate();
		trigger.setting.host = 'https://elsewhere.example.com';
		await trigger.activate('init');
		expect(subscribed(service)).toEqual([{ url: trigger.address(), events: [] }]);
		expect(trigger.address()).toContain('elsewhere');
		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
	});

	test('it is taken away when the address of n8n changed and the trigger is switched off', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		await trigger.activate();
		trigger.setting.host = 'https://elsewhere.example.com';
		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
		expect(JSON.stringify(trigger.setting.stored)).not.toContain('n8n.example.com');
	});

	test('it is replaced when the path changed', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		await trigger.activate();
		const [old] = service.subscriptions();
		trigger.setting.parameters.subscriptionPath = `${PATH}/`;
		await trigger.activate();
		expect(service.subscriptions()).toEqual([old]);
		trigger.setting.parameters.subscriptionPath = '/public/other';
		const { message } = await stoppedBy(trigger.activate());
		expect(message).toContain('The service takes no subscriptions at /public/other');
		expect(service.subscriptions()).toEqual([]);
	});

	test('it is made anew when it was deleted at the service', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		await trigger.activate();
		await forgetAtService(service);
		await trigger.activate('init');
		expect(subscribed(service)).toEqual([{ url: trigger.address(), events: [] }]);
	});

	test('that it was deleted meanwhile is no error when the trigger is switched off', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		await trigger.activate();
		await forgetAtService(service);
		await trigger.deactivate();
		await asked(service);
		await trigger.deactivate();
		expect(await asked(service)).toEqual([]);
	});

	test('others are left alone', async () => {
		const service = await start();
		await subscribe(service, 'https://other.example.com/hook', ['x']);
		const trigger = triggerAt(service);
		const neighbour = triggerAt(service);
		await neighbour.activate();
		await trigger.activate();
		await trigger.deactivate();
		expect(subscribed(service)).toEqual([
			{ url: 'https://other.example.com/hook', events: ['x'] },
			{ url: neighbour.address(), events: [] },
		]);
	});

	test('nothing is asked when the address is entered by hand', async () => {
		const service = await start();
		const trigger = triggerAt(service, { registration: 'manual' });
		await trigger.activate();
		await trigger.deactivate();
		await (
			await trigger.listen()
		)();
		expect(service.received()).toEqual([]);
	});

	test('what is left from an automatic registration is taken away, also after the change to by hand', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		await trigger.activate();
		trigger.setting.parameters.registration = 'manual';
		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
	});

	test('neither key nor secret is stored with the workflow', async () => {
		const service = await start();
		const trigger = triggerAt(service, { subscription: { verifierField: 'secret' } });
		await trigger.activate();
		const stored = JSON.stringify(trigger.setting.stored);
		expect(stored).toContain(trigger.address());
		expect(stored).not.toContain(SECRET);
		expect(stored).not.toContain(seeded.demo.apiKey);
	});

	test('a workflow that fails because of another trigger leaves nothing behind', async () => {
		const service = await start({ events: { endpoint: { list: 'notFound' } } });
		const trigger = triggerAt(service);
		await trigger.activateInVain();
		expect(service.subscriptions()).toEqual([]);
		expect(await asked(service)).toContain(`POST ${PATH}`);
	});
});

describe('a subscription that n8n does not remember', () => {
	test('since a call wrote over the static data, is known all the same, and stored again', async () => {
		const service = await start({ events: { endpoint: { list: 'notFound' } } });
		const trigger = triggerAt(service);
		await trigger.activate();
		trigger.setting.stored = {};
		await trigger.activate('update');
		expect(service.subscriptions()).toHaveLength(1);
		expect(JSON.stringify(trigger.setting.stored)).toContain(trigger.address());
		trigger.setting.stored = {};
		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
	});

	test.each(['envelope', 'array'] as const)('is found in a list: %s', async (list) => {
		const service = await start({ events: { endpoint: { list } } });
		const trigger = triggerAt(service, { events: ['a'] });
		await subscribe(service, 'https://other.example.com/hook');
		await subscribe(service, trigger.address(), ['a']);
		await asked(service);
		await trigger.activate();
		expect(await asked(service)).toEqual([`GET ${PATH}`]);
		expect(service.subscriptions()).toHaveLength(2);
		await trigger.deactivate();
		expect(subscribed(service)).toEqual([{ url: 'https://other.example.com/hook', events: [] }]);
	});

	test('is replaced when it has other events', async () => {
		const service = await start();
		const trigger = triggerAt(service, { events: ['a'] });
		await subscribe(service, trigger.address(), ['b']);
		await trigger.activate();
		expect(subscribed(service)).toEqual([{ url: trigger.address(), events: ['a'] }]);
	});

	test.each(['absolute', 'relative'] as const)(
		'is found on a later page, by links that are %s',
		async (links) => {
			const service = await start({ dialect: { links } });
			const trigger = triggerAt(service);
			for (let i = 0; i < 45; i++) await subscribe(service, `https://example.com/${i}`);
			await subscribe(service, trigger.address());
			await trigger.activate();
			expect(service.subscriptions()).toHaveLength(46);
		},
	);

	test.each(['notFound', 'notAllowed'] as const)(
		'cannot be found where there is no list: %s',
		async (list) => {
			const service = await start({ events: { endpoint: { list } } });
			const trigger = triggerAt(service);
			await trigger.activate();
			expect(subscribed(service)).toEqual([{ url: trigger.address(), events: [] }]);
			await trigger.activate('init');
			expect(service.subscriptions()).toHaveLength(1);
		},
	);

	test.each<[string, FaultKind]>([
		['an error', { kind: 'status', status: 500 }],
		['a wrong key', { kind: 'status', status: 401 }],
		['a broken connection', { kind: 'dropBefore' }],
		['a web page', { kind: 'html' }],
		['half an answer', { kind: 'truncatedJson' }],
		['no answer', { kind: 'emptyBody' }],
		['another shape', { kind: 'wrongShape' }],
	])(
		'is not taken for missing when the list gives %s',
		async (_what, fault) => {
			const service = await start({ faults: [on('getAll', fault)] });
			const trigger = triggerAt(service);
			await subscribe(service, trigger.address());
			const { message, description } = await stoppedBy(trigger.activate());
			expect(message).toMatch(/service/);
			expect(description).not.toBe('');
			expect(service.subscriptions()).toHaveLength(1);
		},
		15_000,
	);

	test('that has no ID stops the activation, since it could not be removed', async () => {
		const service = await start();
		const trigger = triggerAt(service, { subscription: { idField: 'uuid' } });
		await subscribe(service, trigger.address());
		const { message, description } = await stoppedBy(trigger.activate());
		expect(message).toContain('The service did not say the ID of the subscription');
		expect(description).toContain('Field Names');
		expect(service.subscriptions()).toHaveLength(1);
	});

	test('is not looked for at another origin', async () => {
		const service = await start({ dialect: { links: 'foreign' } });
		for (let i = 0; i < 25; i++) await subscribe(service, `https://example.com/${i}`);
		const { message } = await stoppedBy(triggerAt(service).activate());
		expect(message).toContain('another address');
		expect(service.subscriptions()).toHaveLength(25);
	});
});

describe('when the service does not tell whether the subscription is there', () => {
	const silences: Array<[string, FaultKind]> = [
		['an error', { kind: 'status', status: 500 }],
		['a wrong key', { kind: 'status', status: 401 }],
		['no permission', { kind: 'status', status: 403 }],
		['a broken connection', { kind: 'dropBefore' }],
		['a redirect', { kind: 'redirect', location: 'https://example.com/' }],
	];

	test.each(silences)(
		'%s stops the activation',
		async (_what, fault) => {
			const service = await start();
			const trigger = triggerAt(service);
			await trigger.activate();
			await service.configure({ faults: [on('get', fault)] });
			await stoppedBy(trigger.activate('update'));
			await service.configure({ faults: [] });
			await trigger.activate('update');
			expect(service.subscriptions()).toHaveLength(1);
		},
		15_000,
	);

	test.each(silences)(
		'%s does not keep n8n from listening after a restart',
		async (_what, fault) => {
			const service = await start();
			const trigger = triggerAt(service);
			await trigger.activate();
			await asked(service);
			await service.configure({ faults: [on('get', fault)] });
			await trigger.activate('init');
			expect(await asked(service)).toEqual([`GET ${PATH}/id`]);
			expect(service.subscriptions()).toHaveLength(1);
		},
	);

	test('a service that is silent holds up a restart for some seconds only', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		await trigger.activate();
		await service.configure({ faults: [on('get', { kind: 'neverAnswer' })] });
		const before = Date.now();
		await trigger.activate('init');
		expect(Date.now() - before).toBeLessThan(10_000);
		expect(service.subscriptions()).toHaveLength(1);
	});

	test('a service that is not there does not keep n8n from listening after a restart', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		await trigger.activate();
		const nobody = await findNobody();
		trigger.setting.credential.baseUrl = nobody.url;
		await trigger.activate('init');
		const { message } = await stoppedBy(trigger.activate());
		expect(message).toContain('cannot be reached');
	});

	test('only "not found" means that it is gone', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		await trigger.activate();
		await service.configure({ faults: [on('get', { kind: 'status', status: 404 })] });
		await trigger.activate();
		// It was there all the same, and the list says so: no second one is made.
		expect(service.subscriptions()).toHaveLength(1);
	});

	test('a service that cannot show a single one is trusted', async () => {
		const service = await start({ events: { endpoint: { readable: false } } });
		const trigger = triggerAt(service);
		await trigger.activate();
		await asked(service);
		await trigger.activate();
		expect(await asked(service)).toEqual([`GET ${PATH}/id`]);
		expect(service.subscriptions()).toHaveLength(1);
	});
});

describe('when the subscription cannot be made', () => {
	test.each<[string, FaultKind, string]>([
		['an error', { kind: 'status', status: 500 }, 'failed to answer'],
		['an error after all', { kind: 'status', status: 500, processed: true }, 'failed to answer'],
		['a gateway error', { kind: 'status', status: 504, processed: true }, 'failed to answer'],
		['a refusal', { kind: 'status', status: 422 }, 'did not accept'],
		['a conflict', { kind: 'status', status: 409 }, 'did not accept'],
		['a wrong key', { kind: 'status', status: 401 }, 'API key'],
		['no permission', { kind: 'status', status: 403 }, 'API key'],
		['a broken connection', { kind: 'dropAfter' }, 'broke off'],
		['half an answer', { kind: 'dropMidBody' }, 'broke off'],
		['a redirect', { kind: 'redirect', location: 'https://example.com/' }, 'redirect'],
	])(
		'%s stops the activation and leaves nothing',
		async (_what, fault, words) => {
			const service = await start({ faults: [on('create', fault)] });
			const trigger = triggerAt(service);
			const { message, description } = await stoppedBy(trigger.activate());
			expect(message).toContain(words);
			expect(description).not.toBe('');
			expect(service.subscriptions()).toEqual([]);
			expect(JSON.stringify(trigger.setting.stored)).not.toContain(trigger.address());
			expect(service.received().filter(({ method }) => method === 'POST')).toHaveLength(1);

			await service.configure({ faults: [] });
			await trigger.activate();
			expect(service.subscriptions()).toHaveLength(1);
		},
		15_000,
	);

	test('too many requests are waited out', async () => {
		const fault: FaultKind = { kind: 'tooManyRequests', retryAfterMs: 1 };
		const service = await start({ faults: [{ ...on('create', fault), requests: { first: 1 } }] });
		const trigger = triggerAt(service);
		await trigger.activate();
		expect(service.subscriptions()).toHaveLength(1);
	});

	test('a service without the endpoint says what to do', async () => {
		const service = await start({ events: { endpoint: { enabled: false } } });
		const { message, description } = await stoppedBy(triggerAt(service).activate());
		expect(message).toContain(`The service takes no subscriptions at ${PATH}`);
		expect(description).toContain('Manual');
	});

	test('a service that is not there says so', async () => {
		const { message } = await stoppedBy(triggerAt(await findNobody()).activate());
		expect(message).toContain('cannot be reached');
	});

	test.each<[string, FaultKind]>([
		['a web page', { kind: 'html' }],
		['half of JSON', { kind: 'truncatedJson' }],
		['nothing', { kind: 'emptyBody' }],
		['another shape', { kind: 'wrongShape', body: { ok: true } }],
		['an ID that is none', { kind: 'wrongShape', body: { id: null } }],
		['an empty ID', { kind: 'wrongShape', body: { id: '' } }],
	])('but the answer is %s, it is found in the list', async (_what, fault) => {
		const service = await start({ faults: [on('create', fault)] });
		const trigger = triggerAt(service);
		await trigger.activate();
		expect(service.subscriptions()).toHaveLength(1);
		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
	});

	test('and no ID is known, the error says where to look', async () => {
		const service = await start({
			events: { endpoint: { list: 'notFound' } },
			faults: [on('create', { kind: 'emptyBody' })],
		});
		const trigger = triggerAt(service);
		const { message, description } = await stoppedBy(trigger.activate());
		expect(message).toContain('The service did not say the ID of the subscription');
		expect(description).toContain(trigger.address());
	});

	test('and what was made cannot be found, the error says so', async () => {
		const service = await start({
			events: { endpoint: { list: 'notFound' } },
			faults: [on('create', { kind: 'dropAfter' })],
		});
		const { description } = await stoppedBy(triggerAt(service).activate());
		expect(description).toContain('may have acted');
	});

	test('and cleaning up fails as well, the first error is told', async () => {
		// The list is asked before, too.
		const cleaningUp = { ...on('getAll', { kind: 'status', status: 500 }), requests: { from: 2 } };
		const service = await start({ faults: [on('create', { kind: 'dropAfter' }), cleaningUp] });
		const trigger = triggerAt(service);
		const { message } = await stoppedBy(trigger.activate());
		expect(message).toContain('broke off');

		await service.configure({ faults: [] });
		await trigger.activate();
		expect(service.subscriptions()).toHaveLength(1);
	});

	test('in place of an old one, the next activation makes it', async () => {
		const service = await start();
		const trigger = triggerAt(service, { events: ['a'] });
		await trigger.activate();
		trigger.setting.parameters.events = ['b'];
		await service.configure({ faults: [on('create', { kind: 'status', status: 500 })] });
		await stoppedBy(trigger.activate('update'));
		expect(service.subscriptions()).toEqual([]);
		await service.configure({ faults: [] });
		await trigger.activate();
		expect(subscribed(service)).toEqual([{ url: trigger.address(), events: ['b'] }]);
	});
});

describe('when the subscription cannot be taken away', () => {
	test('the next activation finds it again', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		await trigger.activate();
		await service.configure({ faults: [on('delete', { kind: 'status', status: 500 })] });
		const { message } = await stoppedBy(trigger.deactivate());
		expect(message).toContain('failed to answer');
		await trigger.activate();
		expect(service.subscriptions()).toHaveLength(1);
		await service.configure({ faults: [] });
		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
	});

	test('it is not replaced by a second one', async () => {
		const service = await start();
		const trigger = triggerAt(service, { events: ['a'] });
		await trigger.activate();
		trigger.setting.parameters.events = ['b'];
		await service.configure({ faults: [on('delete', { kind: 'status', status: 500 })] });
		await stoppedBy(trigger.activate('update'));
		expect(subscribed(service)).toEqual([{ url: trigger.address(), events: ['a'] }]);
	});

	test('a short failure is overcome', async () => {
		const fault = on('delete', { kind: 'status', status: 503 });
		const service = await start({ faults: [{ ...fault, requests: { first: 1 } }] });
		const trigger = triggerAt(service);
		await trigger.activate();
		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
	});
});

describe('trying the trigger out', () => {
	test('has a subscription of its own, which goes with the test', async () => {
		const service = await start();
		const trigger = triggerAt(service, { events: ['a'] });
		const end = await trigger.listen();
		expect(subscribed(service)).toEqual([{ url: trigger.address(true), events: ['a'] }]);
		await end();
		expect(service.subscriptions()).toEqual([]);
		expect(trigger.setting.stored).toEqual({});
	});

	test('leaves that of production alone', async () => {
		const service = await start();
		const trigger = triggerAt(service, { events: ['a'] });
		await trigger.activate();
		const production = service.subscriptions();
		const end = await trigger.listen();
		expect(service.subscriptions()).toHaveLength(2);
		await end();
		expect(service.subscriptions()).toEqual(production);

		trigger.setting.parameters.events = ['b'];
		const endAgain = await trigger.listen();
		expect(service.subscriptions()).toEqual(expect.arrayContaining(production));
		await endAgain();
		expect(service.subscriptions()).toEqual(production);
	});

	test('is left alone by production', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		const end = await trigger.listen();
		const [test] = service.subscriptions();
		await trigger.activate();
		expect(service.subscriptions()).toHaveLength(2);
		trigger.setting.parameters.events = ['b'];
		await trigger.activate('update');
		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([test]);
		await end();
		expect(service.subscriptions()).toEqual([]);
	});

	test('that fails leaves production alone, and nothing else', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		await trigger.activate();
		const production = service.subscriptions();
		await service.configure({ faults: [on('create', { kind: 'status', status: 500 })] });
		await stoppedBy(trigger.listen());
		expect(service.subscriptions()).toEqual(production);
	});

	test('finds what an earlier test left behind', async () => {
		const service = await start();
		const trigger = triggerAt(service);
		await subscribe(service, trigger.address(true));
		const end = await trigger.listen();
		expect(service.subscriptions()).toHaveLength(1);
		await end();
		expect(service.subscriptions()).toEqual([]);
	});
});

describe('names that differ from service to service', () => {
	test('plain ones', async () => {
		const service = await start({
			events: {
				endpoint: {
					path: '/v2/event-hooks',
					urlField: 'callback',
					eventsField: 'topics',
					idField: 'uuid',
					secretField: 'signingKey',
					wrapped: true,
				},
			},
		});
		const trigger = triggerAt(service, {
			subscriptionPath: 'v2/event-hooks/',
			events: ['a'],
			subscription: {
				urlField: 'callback',
				eventsField: 'topics',
				idField: 'uuid',
				verifierField: 'signingKey',
			},
		});
		await trigger.activate();
		expect(service.subscriptions()).toMatchObject([
			{ url: trigger.address(), events: ['a'], secret: SECRET },
		]);
		await trigger.activate('init');
		expect(service.subscriptions()).toHaveLength(1);
		await trigger.deactivate();
		expect(service.subscriptions()).toEqual([]);
	});

	test('nested ones, in requests, answers and lists', async () => {
		const hooks = await startNestedService();
		const trigger = triggerAt(hooks, {
			events: ['a'],
			subscription: {
				urlField: 'hook.target.url',
				eventsField: 'hook.topics',
				idField: 'meta.key',
				verifierField: 'hook.secret',
			},
		});
		await trigger.activate();
		expect(hooks.all()).toEqual([
			{ hook: { target: { url: trigger.address() }, topics: ['a'], secret: SECRET } },
		]);
		await trigger.activate('init');
		trigger.setting.stored = {};
		await trigger.activate();
		expect(hooks.all()).toHaveLength(1);
		await trigger.deactivate();
		expect(hooks.all()).toEqual([]);
		await hooks.close();
	});
});

/** A service whose subscriptions have their parts in other parts, and no page for a single one. */
async function startNestedService() {
	const subscriptions = new Map<string, unknown>();
	const show = ([key, body]: [string, unknown]) => ({ ...Object(body), meta: { key } });
	const server = createServer(async (request, response) => {
		const key = request.url?.split('/')[3] ?? '';
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk);
		const answer = (status: number, body: unknown) =>
			response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		if (request.method === 'POST') {
			const id = `a/b?c#${subscriptions.size}`;
			const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
			subscriptions.set(id, body);
			answer(201, { data: show([id, body]) });
		} else if (request.method === 'DELETE') {
			answer(subscriptions.delete(decodeURIComponent(key)) ? 200 : 404, {});
		} else if (key) answer(405, {});
		else answer(200, [...subscriptions].map(show));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('There is no port');
	return {
		url: `http://127.0.0.1:${address.port}`,
		all: () => [...subscriptions.values()],
		close: () => {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(resolve));
		},
	};
}

describe('the key stays at home', () => {
	test.each([
		'https://STRANGER/hooks',
		'//STRANGER/hooks',
		'/\\STRANGER/hooks',
		'@STRANGER/hooks',
		'.STRANGER/hooks',
		':STRANGER/hooks',
		'/public/../../hooks',
	])('whatever the path is: %s', async (path) => {
		const stranger = await startStranger();
		const service = await start();
		const host = new URL(stranger.url).host;
		const subscriptionPath = path.replace('STRANGER', host);
		await stoppedBy(triggerAt(service, { subscriptionPath }).activate());
		expect(stranger.requests).toEqual([]);
		expect(service.received().length).toBeGreaterThan(0);
	});

	test('whatever the service answers', async () => {
		const stranger = await startStranger();
		const fault: FaultKind = { kind: 'redirect', location: `${stranger.url}/hooks`, status: 307 };
		for (const operation of ['create', 'getAll'] as const) {
			const service = await start({ faults: [on(operation, fault)] });
			await stoppedBy(triggerAt(service).activate());
		}
		expect(stranger.requests).toEqual([]);
	});

	test('whatever ID the service gives', async () => {
		for (const id of ['../../admin/users', 'https://example.com/', '..', '?x=1', '#', 'a b']) {
			const service = await start({
				events: { endpoint: { list: 'notFound' } },
				faults: [on('create', { kind: 'wrongShape', body: { id } })],
			});
			const trigger = triggerAt(service);
			await trigger.activate();
			await trigger.deactivate();
			const { path } = service.received().at(-1) ?? {};
			expect(path).toMatch(/^\/public\/webhooks\/[^/]+$/);
		}
	});

	test('and is not shown when the service repeats it, nor is the secret', async () => {
		const { apiKey } = seeded.demo;
		const service = await startStranger((response) => {
			response.writeHead(response.req.method === 'POST' ? 400 : 404);
			response.end(JSON.stringify({ message: `no: ${apiKey}, ${SECRET}` }));
		});
		const trigger = triggerAt(service, { subscription: { verifierField: 'secret' } });
		const { message, description } = await stoppedBy(trigger.activate());
		expect(message + description).toContain('[hidden]');
		for (const hidden of [apiKey, SECRET]) expect(message + description).not.toContain(hidden);
	});
});

describe('what is not filled in stops the activation before anything is asked', () => {
	async function stoppedQuietly(change: (trigger: Trigger) => void): Promise<Words> {
		const service = await start();
		for (const registration of ['automatic', 'manual']) {
			const trigger = triggerAt(service, { registration });
			change(trigger);
			const production = await stoppedBy(trigger.activate());
			expect(await stoppedBy(trigger.listen())).toEqual(production);
			expect(production.description).not.toBe('');
			expect(service.received()).toEqual([]);
			if (registration === 'manual') return production;
		}
		throw new Error('There is no registration');
	}

	test.each(['sharedSecret', 'hmac'])('no secret, with %s', async (verification) => {
		const { message, description } = await stoppedQuietly(({ setting }) => {
			setting.credential.webhookSecret = '  ';
			setting.parameters.verification = verification;
		});
		expect(message).toContain('The credential has no webhook secret');
		expect(description).toContain('Webhook Secret');
	});

	test('a secret that is not written as chosen', async () => {
		const { message } = await stoppedQuietly(({ setting }) => {
			setting.parameters.verification = 'hmac';
			setting.parameters.signature = { secretEncoding: 'hex' };
		});
		expect(message).toContain('The webhook secret is not written');
	});

	test('a signature that does not cover the body', async () => {
		const { message } = await stoppedQuietly(({ setting }) => {
			setting.parameters.verification = 'hmac';
			setting.parameters.signature = { signedContent: 'fixed' };
		});
		expect(message).toBe('"Signed Content" does not contain {body}');
	});

	test('an address that is none', async () => {
		const { message } = await stoppedQuietly(({ setting }) => {
			setting.parameters.options = { allowedAddresses: 'example.com' };
		});
		expect(message).toContain('"example.com"');
	});

	test('no credential', async () => {
		const { message } = await stoppedQuietly(({ setting }) => {
			setting.hasCredential = false;
		});
		expect(message).toMatch(/credential/);
	});

	test('no path', async () => {
		const service = await start();
		const { message } = await stoppedBy(triggerAt(service, { subscriptionPath: ' ' }).activate());
		expect(message).toBe('"Subscription Path" is empty');
	});

	test('a base URL that is none', async () => {
		const trigger = triggerOf({ baseUrl: 'ftp://example.com', apiKey: 'k' });
		const { message } = await stoppedBy(trigger.activate());
		expect(message).toContain('base URL');
	});
});

test('without verification no secret is needed, and the key is found', async () => {
	const service = await start();
	const trigger = triggerAt(service, { verification: 'none' });
	trigger.setting.credential.webhookSecret = '';
	await trigger.activate();
	expect(service.subscriptions()).toHaveLength(1);
	await trigger.deactivate();
	expect(service.subscriptions()).toEqual([]);
});
