/** However often n8n tries to subscribe, and whatever the service answers, one subscription is left at most. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import { systemClock } from '../../nodes/MessagingService/n8n/clock';
import { later, triggerOf, type Trigger } from './trigger.ts';

const PATH = '/hooks';
const KEY = 'key-of-the-team';
const OTHER = 'https://other.example.com/hook';

/** What this service calls the parts of a subscription. */
const NAMES = { urlField: 'target', eventsField: 'topics', secretField: 'token' };

interface Entry {
	target: string;
	topics: string[];
	token?: string;
}

/** How a service of many kinds answers. */
interface Manners {
	/** Field with the ID in its answers; none when there is no body. */
	idField: string;
	list: 'honest' | 'linksToItself' | 'none' | 'withoutAddress' | 'failing' | 'page' | 'busy';
	removal: 'works' | 'notAllowed' | 'failing';
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
	manners = { ...HONEST, ...changes };
	asked = 0;
	received = [];
	entries.clear();
	if (manners.hasOther) entries.set('other', { target: OTHER, topics: [] });
}

const show = ([id, entry]: [string, Entry]) => ({
	...(manners.list !== 'withoutAddress' && { target: entry.target }),
	...(manners.idField === 'data.id' ? { data: { id } } : { [manners.idField]: id }),
	topics: entry.topics,
});

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
	switch (manners.list) {
		case 'none':
			return void answer(404);
		case 'failing':
			return void answer(500);
		case 'page':
			return void answer(200, '<html></html>');
		case 'busy':
			return void response.writeHead(429, { 'retry-after': '900' }).end();
		case 'linksToItself':
			return void answer(200, { data: [...entries].map(show), links: { next: `${PATH}?page=2` } });
		default:
			return void answer(200, { data: [...entries].map(show) });
	}

	function create(body: Entry, reply: typeof answer): void {
		const fate = manners.requests[asked++] ?? 'succeed';
		const isThere = [...entries.values()].some(({ target }) => target === body.target);
		if (fate === 'refuse') return void reply(422);
		if (fate === 'failBefore') return void reply(500);
		if (fate === 'breakBefore') return void request.socket.destroy();
		if (isThere && manners.second === 'refuses') return void reply(409, { message: 'exists' });
		const made: [string, Entry] = [`s${asked}`, { ...body, topics: body.topics ?? [] }];
		entries.set(...made);
		if (fate === 'failAfter') return void reply(500);
		if (fate === 'breakAfter') return void request.socket.destroy();
		reply(201, manners.idField === '' ? '' : { ...show(made), target: body.target });
	}
}

function remove(id: string, answer: (status: number) => void): void {
	if (manners.removal === 'notAllowed') return answer(405);
	if (manners.removal === 'failing') return answer(500);
	answer(entries.delete(id) ? 204 : 404);
}

function triggerWith(subscription: INodeParameters = {}): Trigger {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('There is no port');
	const baseUrl = `http://127.0.0.1:${address.port}`;
	return triggerOf(
		{ baseUrl, apiKey: KEY },
		{ subscriptionPath: PATH, subscription: { ...NAMES, ...subscription } },
	);
}

/** Changes settings of a trigger, as the user does before the workflow is published again. */
function set(trigger: Trigger, details: INodeParameters): void {
	const { subscription } = trigger.setting.parameters;
	trigger.setting.parameters.subscription = { ...Object(subscription), ...details };
}

/** The subscriptions that a trigger has for production, at whatever host n8n was when they were made. */
const ofTrigger = (trigger: Trigger) => {
	const { pathname } = new URL(trigger.address());
	return [...entries]
		.filter(([, { target }]) => new URL(target).pathname === pathname)
		.map(([id]) => id);
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

const count = (method: string) => received.filter((each) => each.startsWith(method)).length;

describe('a service without a list', () => {
	/** The first activation fails with these words. Then somebody does at the service what they say. */
	async function expectOneTry(trigger: Trigger, words: string): Promise<void> {
		expect(await complaint(trigger.publish())).toContain(words);
		expect(count('POST')).toBe(1);
		for (const id of ofTrigger(trigger)) entries.delete(id);
	}

	async function expectOne(trigger: Trigger): Promise<void> {
		expect(await later(() => complaint(trigger.publish()))).toBeUndefined();
		expect(ofTrigger(trigger)).toHaveLength(1);
		await trigger.deactivate();
		expect(ofTrigger(trigger)).toEqual([]);
	}

	test('that calls the ID something else gets one request, and the error says what to do', async () => {
		begin({ list: 'none', idField: 'uuid' });
		const trigger = triggerWith();
		await expectOneTry(trigger, `a subscription for ${trigger.address()} that has no "id"`);
		set(trigger, { idField: 'uuid' });
		await expectOne(trigger);
	});

	test.each([
		['failAfter', 'reported a server error'],
		['breakAfter', 'broke off'],
	] as const)(
		'that fails after it has acted gets no second request by itself: %s',
		async (fate, why) => {
			begin({ list: 'none', requests: [fate] });
			const trigger = triggerWith();
			await expectOneTry(trigger, `may have a subscription for ${trigger.address()}`);
			expect(await complaint(trigger.activate())).toContain(why);
			await expectOne(trigger);
		},
	);

	test('that refuses a second subscription of an address says so', async () => {
		begin({ second: 'refuses', list: 'none' });
		const trigger = triggerWith();
		entries.set('old', { target: trigger.address(), topics: [] });
		expect(await complaint(trigger.activate())).toContain(
			`may have a subscription for ${trigger.address()}`,
		);
	});
});

test('a list whose pages link to the same page again and again ends', async () => {
	begin({ list: 'linksToItself' });
	const trigger = triggerWith();
	await trigger.activate();
	expect(ofTrigger(trigger)).toHaveLength(1);
	expect(count('GET')).toBe(2);
});

test('a subscription can be removed a second time', async () => {
	const trigger = triggerWith();
	await trigger.activate();
	const { stored } = trigger.setting;
	await trigger.deactivate();
	trigger.setting.stored = stored;
	await trigger.deactivate();
	expect(count('DELETE')).toBe(2);
	expect(ofTrigger(trigger)).toEqual([]);
});

test('a service that asks to wait does not hold up n8n', async () => {
	begin({ list: 'busy' });
	const trigger = triggerWith();
	// The pause is that of a team.
	trigger.setting.credential.apiKey = 'key-of-a-busy-team';
	const wait = jest.spyOn(systemClock, 'wait');
	const words = await complaint(trigger.activate());
	expect(words).toContain('is not accepting more requests right now');
	expect(count('POST')).toBe(0);
	expect(wait.mock.calls.filter(([milliseconds]) => milliseconds > 0)).toEqual([]);
	wait.mockRestore();
});

const steps = fc.array(
	fc.constantFrom('publish', 'activate', 'init', 'deactivate', 'listen', 'changeEvents', 'move'),
	{ minLength: 2, maxLength: 12 },
);

const services = fc.record<Manners>({
	idField: fc.constantFrom('id', 'uuid', 'data.id', ''),
	list: fc.constantFrom<Manners['list']>('honest', 'none', 'withoutAddress', 'failing', 'page'),
	removal: fc.constantFrom<Manners['removal']>('works', 'failing'),
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

test('whatever the service answers and n8n does, there is one at most, and an error names it', async () => {
	await fc.assert(
		fc.asyncProperty(services, steps, async (service, actions) => {
			begin(service);
			const trigger = triggerWith();
			for (const action of actions) {
				const words = await take(trigger, action);
				const here = [...entries.values()].filter(({ target }) => target === trigger.address());
				expect(here.length).toBeLessThanOrEqual(1);
				const isTried = ['publish', 'activate', 'init'].includes(action);
				if (isTried && words !== undefined && here.length > 0) {
					expect(words).toContain(new URL(trigger.address()).pathname);
				}
			}
		}),
		{ numRuns: 100 },
	);
});

async function take(trigger: Trigger, action: string) {
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
		default:
			return void (trigger.setting.host = `https://n8n-${received.length}.example.com`);
	}
}
