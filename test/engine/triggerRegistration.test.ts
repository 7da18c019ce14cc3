/** However often n8n tries to subscribe, and whatever the service answers, one subscription is left at most. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import { resetSubscriptions } from '../../nodes/MessagingService/memory/subscriptions';
import { triggerOf, type Trigger } from './trigger.ts';

const PATH = '/hooks';
const KEY = 'key-of-the-team';
const OTHER = 'https://other.example.com/hook';

interface Entry {
	url: string;
	events: string[];
}

/** How a service of many kinds answers. */
interface Manners {
	/** Field with the ID in its answers; none when there is no body. */
	idField: string;
	list: 'honest' | 'none' | 'notAllowed' | 'empty' | 'withoutAddress' | 'failing' | 'page' | 'busy';
	single: 'works' | 'notFound' | 'notAllowed';
	removal: 'works' | 'notFound' | 'notAllowed' | 'failing';
	/** What it does for a second subscription of the same address. */
	second: 'makes' | 'refuses';
	/** Whether somebody else has a subscription. */
	hasOther: boolean;
	/** What becomes of the requests for a subscription, one after the other; the rest succeed. */
	requests: Array<'succeed' | 'failBefore' | 'failAfter' | 'breakBefore' | 'breakAfter' | 'refuse'>;
}

const HONEST: Manners = {
	idField: 'id',
	list: 'honest',
	single: 'works',
	removal: 'works',
	second: 'makes',
	hasOther: true,
	requests: [],
};

let manners = HONEST;
let asked = 0;
let received: string[] = [];
const entries = new Map<string, Entry>();

const server = createServer((request, response) => void serve(request, response));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve())));
afterAll(() => {
	server.closeAllConnections();
	return new Promise((resolve) => server.close(resolve));
});

beforeEach(() => begin());

function begin(changes: Partial<Manners> = {}): void {
	resetSubscriptions();
	manners = { ...HONEST, ...changes };
	asked = 0;
	received = [];
	entries.clear();
	if (manners.hasOther) entries.set('other', { url: OTHER, events: [] });
}

const show = ([id, entry]: [string, Entry]) => ({
	...(manners.list !== 'withoutAddress' && { url: entry.url }),
	...nest(manners.idField, id),
	events: entry.events,
});

const nest = (path: string, value: string): object =>
	path.split('.').reduceRight<unknown>((inside, name) => ({ [name]: inside }), value) as object;

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk);
	const { method = '', url = '' } = request;
	received.push(`${method} ${url}`);
	const answer = (status: number, body: unknown = {}) =>
		response
			.writeHead(status, { 'content-type': 'application/json' })
			.end(typeof body === 'string' ? body : JSON.stringify(body));
	const id = url.slice(PATH.length + 1);
	if (method === 'POST') return void create(JSON.parse(Buffer.concat(chunks).toString()), answer);
	if (method === 'DELETE') return void remove(id, answer);
	if (id !== '') return void showOne(id, answer);
	switch (manners.list) {
		case 'none':
			return void answer(404);
		case 'notAllowed':
			return void answer(405);
		case 'failing':
			return void answer(500);
		case 'page':
			return void answer(200, '<html></html>');
		case 'busy':
			return void response.writeHead(429, { 'retry-after': '900' }).end();
		case 'empty':
			return void answer(200, { data: [] });
		default:
			return void answer(200, { data: [...entries].map(show) });
	}

	function create(body: Entry, reply: typeof answer): void {
		const fate = manners.requests[asked++] ?? 'succeed';
		const isThere = [...entries.values()].some((each) => each.url === body.url);
		if (fate === 'refuse') return void reply(422);
		if (fate === 'failBefore') return void reply(500);
		if (fate === 'breakBefore') return void request.socket.destroy();
		if (isThere && manners.second === 'refuses') return void reply(409, { message: 'exists' });
		const made: [string, Entry] = [`s${asked}`, { url: body.url, events: body.events ?? [] }];
		entries.set(...made);
		if (fate === 'failAfter') return void reply(500);
		if (fate === 'breakAfter') return void request.socket.destroy();
		reply(201, manners.idField === '' ? '' : { ...show(made), url: body.url });
	}
}

function remove(id: string, answer: (status: number) => void): void {
	if (manners.removal === 'notFound') return answer(404);
	if (manners.removal === 'notAllowed') return answer(405);
	if (manners.removal === 'failing') return answer(500);
	answer(entries.delete(id) ? 204 : 404);
}

function showOne(id: string, answer: (status: number, body?: unknown) => void): void {
	if (manners.single === 'notAllowed') return answer(405);
	const entry = manners.single === 'works' ? entries.get(id) : undefined;
	if (entry) answer(200, show([id, entry]));
	else answer(404);
}

function triggerWith(subscription: INodeParameters = {}): Trigger {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('There is no port');
	const baseUrl = `http://127.0.0.1:${address.port}`;
	return triggerOf({ baseUrl, apiKey: KEY }, { subscriptionPath: PATH, subscription });
}

/** Changes settings of a trigger, as the user does before the workflow is published again. */
function set(trigger: Trigger, details: INodeParameters): void {
	const { subscription } = trigger.setting.parameters;
	trigger.setting.parameters.subscription = { ...Object(subscription), ...details };
}

/** The subscriptions that a trigger has for production, at whatever host n8n was when they were made. */
const ofTrigger = (trigger: Trigger) => {
	const { pathname } = new URL(trigger.address());
	return [...entries].filter(([, { url }]) => new URL(url).pathname === pathname).map(([id]) => id);
};

/** What the user reads of an activation that fails; undefined when it succeeds. */
async function complaint(action: Promise<unknown>): Promise<string | undefined> {
	const error: unknown = await action.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (error === undefined) return undefined;
	if (!(error instanceof Error)) throw new Error('What was thrown is no error');
	// n8n 2 shows the message alone, n8n 1 the description.
	for (const words of [error.message, String(Reflect.get(error, 'description'))]) {
		expect(words).not.toContain(KEY);
		expect(words).not.toMatch(/undefined|\[object/);
	}
	return error.message;
}

const posts = () => received.filter((each) => each.startsWith('POST')).length;

describe('a subscription whose ID is under another name, at a service without a list', () => {
	test('is made once, named, and used as soon as the name is right', async () => {
		begin({ list: 'none', idField: 'uuid' });
		const trigger = triggerWith();
		const first = await complaint(trigger.publish());
		expect(posts()).toBe(1);
		const [id, ...more] = ofTrigger(trigger);
		expect(more).toEqual([]);
		// What n8n 2 shows is what the last of its tries says.
		expect(first).toContain(`a subscription for ${trigger.address()}`);
		expect(first).toContain('no "id" but url, uuid: enter the one with the ID as "ID Field"');

		resetSubscriptions();
		expect(await complaint(trigger.publish())).toContain(trigger.address());
		expect(posts()).toBe(1);

		set(trigger, { idField: 'uuid' });
		expect(await complaint(trigger.publish())).toBeUndefined();
		expect(posts()).toBe(1);
		expect(ofTrigger(trigger)).toEqual([id]);
		await trigger.deactivate();
		expect(ofTrigger(trigger)).toEqual([]);
		expect(JSON.stringify(trigger.setting.stored)).not.toContain(trigger.address());
	});

	test('has the names in its answer told', async () => {
		begin({ list: 'none', idField: 'meta.uuid' });
		const trigger = triggerWith();
		expect(await complaint(trigger.activate())).toMatch(
			/made a subscription for .* has no "id" but url, meta\.uuid: enter the one with the ID as "ID Field"/,
		);
		set(trigger, { idField: 'meta.uuid' });
		expect(await complaint(trigger.activate())).toBeUndefined();
		expect(posts()).toBe(1);
	});

	test('keeps no secret of the answer', async () => {
		begin({ list: 'none', idField: 'signing_secret' });
		const trigger = triggerWith({ verifierField: 'secret' });
		await complaint(trigger.activate());
		expect(JSON.stringify(trigger.setting.stored)).not.toContain('signing_secret');
	});
});

describe('a request that fails after the service has acted', () => {
	test.each(['failAfter', 'breakAfter'] as const)(
		'is not repeated until somebody says that nothing is left: %s',
		async (fate) => {
			begin({ list: 'none', requests: [fate] });
			const trigger = triggerWith();
			const words = await complaint(trigger.publish());
			expect(words).toContain(trigger.address());
			expect(words).toContain('set "Attempt" in "Registration Details" to 2');
			for (let times = 0; times < 3; times++) {
				resetSubscriptions();
				expect(await complaint(trigger.publish('init'))).toContain(trigger.address());
			}
			expect(posts()).toBe(1);

			for (const id of ofTrigger(trigger)) entries.delete(id);
			set(trigger, { attempt: 2 });
			expect(await complaint(trigger.publish())).toBeUndefined();
			expect(ofTrigger(trigger)).toHaveLength(1);
		},
	);

	test('counts once for each time that the number is raised', async () => {
		begin({ list: 'none', requests: ['failAfter', 'failAfter'] });
		const trigger = triggerWith({ attempt: 4 });
		expect(await complaint(trigger.publish())).toContain('to 5');
		set(trigger, { attempt: 5 });
		expect(await complaint(trigger.publish())).toContain('to 6');
		expect(await complaint(trigger.publish())).toContain('to 6');
		expect(posts()).toBe(2);
	});

	test('is settled by the ID that is entered', async () => {
		begin({ list: 'none', requests: ['failAfter'] });
		const trigger = triggerWith();
		await complaint(trigger.publish());
		const [id = ''] = ofTrigger(trigger);
		set(trigger, { subscriptionId: 'wrong' });
		expect(await complaint(trigger.publish())).toContain(
			`does not find the subscription "wrong" for ${trigger.address()}`,
		);
		set(trigger, { subscriptionId: id });
		expect(await complaint(trigger.publish())).toBeUndefined();
		expect(posts()).toBe(1);
		await trigger.deactivate();
		expect(ofTrigger(trigger)).toEqual([]);

		// The ID stays in the panel, and is that of no subscription any more.
		manners.requests = ['succeed', 'failAfter'];
		expect(await complaint(trigger.publish())).toContain('may have a subscription');
		expect(await complaint(trigger.publish())).toContain('may have a subscription');
	});

	test('is taken back where the list shows what it made', async () => {
		begin({ requests: ['failAfter', 'breakAfter'] });
		const trigger = triggerWith();
		expect(await complaint(trigger.activate())).toContain('reported a server error');
		expect(ofTrigger(trigger)).toEqual([]);
		expect(await complaint(trigger.activate())).toContain('broke off');
		expect(ofTrigger(trigger)).toEqual([]);
		expect(await complaint(trigger.activate())).toBeUndefined();
		expect(ofTrigger(trigger)).toHaveLength(1);
	});

	test('and what it made cannot be removed, it is named, and used by the next attempt', async () => {
		begin({ requests: ['failAfter'], removal: 'failing' });
		const trigger = triggerWith();
		const words = await complaint(trigger.activate());
		expect(words).toContain(`It made the subscription "s1" for ${trigger.address()}`);
		resetSubscriptions();
		expect(await complaint(trigger.activate())).toBeUndefined();
		expect(ofTrigger(trigger)).toEqual(['s1']);
	});

	test('an empty list proves nothing; one that shows others proves that there is none', async () => {
		begin({ hasOther: false, requests: ['failBefore'] });
		const trigger = triggerWith();
		expect(await complaint(trigger.publish())).toContain('may have a subscription');
		expect(posts()).toBe(1);
		begin({ requests: ['failBefore'] });
		expect(await complaint(triggerWith().publish())).toBeUndefined();
		expect(posts()).toBe(2);
	});

	test('a service that is cut off may still be at work, whatever its list shows', async () => {
		begin({ requests: ['breakBefore'] });
		const trigger = triggerWith();
		expect(await complaint(trigger.publish())).toContain('may have a subscription');
		expect(posts()).toBe(1);
	});

	test('a broken connection is settled by the list only after some minutes', async () => {
		begin({ requests: ['breakAfter'] });
		const trigger = triggerWith();
		manners.list = 'withoutAddress';
		expect(await complaint(trigger.publish())).toContain('may have a subscription');
		manners.list = 'honest';
		entries.delete('s1');
		expect(await complaint(trigger.publish())).toContain('may have a subscription');
		const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 121_000);
		expect(await complaint(trigger.publish())).toBeUndefined();
		clock.mockRestore();
		expect(ofTrigger(trigger)).toHaveLength(1);
	});
});

describe('a service that refuses a second subscription of an address', () => {
	test('is not asked to make one: it is found in the list', async () => {
		begin({ second: 'refuses' });
		const trigger = triggerWith();
		entries.set('old', { url: trigger.address(), events: [] });
		expect(await complaint(trigger.publish())).toBeUndefined();
		expect(ofTrigger(trigger)).toEqual(['old']);
	});

	test('without a list, the error names it, and the ID may be entered', async () => {
		begin({ second: 'refuses', list: 'none' });
		const trigger = triggerWith();
		entries.set('old', { url: trigger.address(), events: [] });
		const words = await complaint(trigger.publish());
		expect(words).toContain(`a subscription for ${trigger.address()} already`);
		set(trigger, { subscriptionId: 'old' });
		expect(await complaint(trigger.publish())).toBeUndefined();
		expect(ofTrigger(trigger)).toEqual(['old']);
	});

	test('and has none any more, once it was removed there', async () => {
		begin({ second: 'refuses', list: 'none' });
		const trigger = triggerWith();
		entries.set('old', { url: trigger.address(), events: [] });
		await complaint(trigger.publish());
		entries.delete('old');
		expect(await complaint(trigger.publish())).toBeUndefined();
		expect(ofTrigger(trigger)).toHaveLength(1);
	});
});

test('several subscriptions of the same address become one', async () => {
	const trigger = triggerWith();
	for (const id of ['a', 'b', 'c']) entries.set(id, { url: trigger.address(), events: ['x'] });
	entries.set('d', { url: trigger.address(), events: [] });
	expect(await complaint(trigger.publish())).toBeUndefined();
	expect(ofTrigger(trigger)).toEqual(['d']);
	expect([...entries.keys()]).toContain('other');
});

test('"not found" is not taken for "gone" by a service that shows no single subscription', async () => {
	begin({ list: 'none', single: 'notFound' });
	const trigger = triggerWith();
	for (const mode of ['activate', 'init', 'init', 'leadershipChange'] as const) {
		resetSubscriptions();
		expect(await complaint(trigger.publish(mode))).toBeUndefined();
	}
	expect(ofTrigger(trigger)).toHaveLength(1);
	expect(posts()).toBe(1);
});

test('a subscription that was shown and is gone is made anew, also without a list', async () => {
	begin({ list: 'none' });
	const trigger = triggerWith();
	await trigger.publish();
	entries.clear();
	await trigger.publish('init');
	expect(ofTrigger(trigger)).toHaveLength(1);
});

test('a service that removes none leaves one, which the next activation uses or names', async () => {
	for (const removal of ['notFound', 'notAllowed', 'failing'] as const) {
		begin({ list: 'none', single: 'notFound', removal });
		const trigger = triggerWith();
		await trigger.publish();
		await complaint(trigger.deactivate());
		resetSubscriptions();
		const words = await complaint(trigger.publish());
		if (words !== undefined)
			expect(words).toContain(`the subscription "s1" for ${trigger.address()}`);
		expect(ofTrigger(trigger)).toEqual(['s1']);
	}
});

test('a service that shows what it does not find when it is to be removed gets no second one', async () => {
	begin({ removal: 'notFound' });
	const trigger = triggerWith();
	await trigger.publish();
	const before = trigger.address();
	trigger.setting.host = 'https://elsewhere.example.com';
	expect(await complaint(trigger.publish())).toContain(
		`The subscription "s1" for ${before} was not removed`,
	);
	expect(ofTrigger(trigger)).toEqual(['s1']);
});

test('what a failed activation could not remove is known after a restart', async () => {
	begin({ list: 'none', removal: 'failing' });
	const trigger = triggerWith();
	await trigger.activateInVain();
	resetSubscriptions();
	expect(await complaint(trigger.publish())).toBeUndefined();
	expect(ofTrigger(trigger)).toEqual(['s1']);
});

test('the subscription for tests is left at most once, too', async () => {
	begin({ list: 'none', idField: 'uuid' });
	const trigger = triggerWith();
	for (let times = 0; times < 3; times++) {
		expect(await complaint(trigger.listen())).toContain(trigger.address(true));
	}
	expect(posts()).toBe(1);
	expect(trigger.setting.stored).toEqual({});
});

test('one that may be left for an earlier address of n8n is named', async () => {
	begin({ list: 'none', requests: ['failAfter'] });
	const trigger = triggerWith();
	await complaint(trigger.publish());
	const before = trigger.address();
	trigger.setting.host = 'https://elsewhere.example.com';
	expect(await complaint(trigger.publish())).toContain(before);
	expect(posts()).toBe(1);
});

test('a service that asks to wait does not hold up n8n', async () => {
	begin({ list: 'busy' });
	const trigger = triggerWith();
	// The pause is that of a team.
	trigger.setting.credential.apiKey = 'key-of-a-busy-team';
	const before = Date.now();
	const words = await complaint(trigger.activate());
	expect(Date.now() - before).toBeLessThan(15_000);
	expect(words).toContain('is not accepting more requests right now');
	expect(posts()).toBe(0);
}, 20_000);

const steps = fc.array(
	fc.constantFrom(
		'publish',
		'activate',
		'init',
		'restart',
		'deactivate',
		'mend',
		'listen',
		'changeEvents',
		'move',
	),
	{ minLength: 2, maxLength: 12 },
);

const services = fc.record<Manners>({
	idField: fc.constantFrom('id', 'uuid', 'data.id', ''),
	list: fc.constantFrom<Manners['list']>(
		'honest',
		'none',
		'notAllowed',
		'empty',
		'withoutAddress',
		'failing',
		'page',
	),
	single: fc.constantFrom<Manners['single']>('works', 'notFound', 'notAllowed'),
	removal: fc.constantFrom<Manners['removal']>('works', 'notFound', 'notAllowed', 'failing'),
	second: fc.constantFrom<Manners['second']>('makes', 'refuses'),
	hasOther: fc.boolean(),
	requests: fc.array(
		fc.constantFrom<Manners['requests'][number]>(
			'succeed',
			'failBefore',
			'failAfter',
			'breakBefore',
			'breakAfter',
			'refuse',
		),
		{ maxLength: 6 },
	),
});

test('whatever the service answers and n8n does, one is left at most, and an error names it', async () => {
	await fc.assert(
		fc.asyncProperty(services, steps, async (service, actions) => {
			begin(service);
			const trigger = triggerWith();
			for (const action of actions) {
				const words = await take(trigger, action, service);
				expect(ofTrigger(trigger).length).toBeLessThanOrEqual(1);
				const isTried = ['publish', 'activate', 'init'].includes(action);
				if (isTried && words !== undefined && ofTrigger(trigger).length > 0) {
					expect(words).toContain(new URL(trigger.address()).pathname);
				}
			}
			await follow(trigger, service);
		}),
		{ numRuns: 150 },
	);
}, 120_000);

async function take(trigger: Trigger, action: string, service: Manners) {
	switch (action) {
		case 'publish':
			return await complaint(trigger.publish());
		case 'activate':
			return await complaint(trigger.activate());
		case 'init':
			return await complaint(trigger.publish('init'));
		case 'deactivate':
			return await complaint(trigger.deactivate());
		case 'listen':
			return await complaint(trigger.listen().then(async (end) => await end()));
		case 'changeEvents':
			return void (trigger.setting.parameters.events = [`event ${received.length}`]);
		case 'move':
			return void (trigger.setting.host = `https://n8n-${received.length}.example.com`);
		case 'mend':
			return void set(trigger, { idField: service.idField });
		default:
			return resetSubscriptions();
	}
}

/** The user does what the errors say: then the trigger is subscribed, unless the service never tells an ID. */
async function follow(trigger: Trigger, { idField, list, removal }: Manners): Promise<void> {
	manners.requests = [];
	set(trigger, { idField });
	let words = await complaint(trigger.publish());
	const next = /"Attempt" in "Registration Details" to (\d+)/.exec(words ?? '');
	if (words !== undefined && (next || words.includes('already'))) {
		for (const id of ofTrigger(trigger)) entries.delete(id);
		if (next) set(trigger, { attempt: Number(next[1]) });
		words = await complaint(trigger.publish());
	}
	expect(ofTrigger(trigger).length).toBeLessThanOrEqual(1);
	const isUnable = idField === '' || ['failing', 'page'].includes(list) || removal !== 'works';
	if (!isUnable) expect(words).toBeUndefined();
}
