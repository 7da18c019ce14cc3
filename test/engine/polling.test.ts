/** The polling trigger in n8n's own engine: which messages start the workflow, and that none is lost or comes twice. */
import { PollContext } from 'n8n-core';
import type { IDataObject, INodeParameters, WorkflowActivateMode } from 'n8n-workflow';

import type { Clock } from '../../nodes/MessagingService/api/time';
import { MessagingServicePollingTrigger } from '../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { poll, PollingState } from '../../nodes/MessagingService/polling/polling';
import { byId } from '../../sandbox/operations.ts';
import { createMessage } from '../../sandbox/service/store.ts';
import type { Service, ServiceOptions } from '../../sandbox/service/service.ts';
import { additionalData } from './engine.ts';
import { credentialOf, demoTeam, idsOf, start, startStranger } from './service.ts';
import { workflowOf } from './trigger.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ADA = '+15555550101';
const BEN = '+15555550102';

let now = Date.parse('2026-06-15T12:00:00Z');
let nextId = 1;
let clock: jest.SpyInstance;
beforeEach(() => {
	clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(() => clock.mockRestore());

const type = new MessagingServicePollingTrigger();

/** Gives the demo team a message, dated so many milliseconds ago. */
function write(service: Service, message: Parameters<typeof writeAll>[1] = {}): number {
	const [id = NaN] = writeAll(service, message);
	return id;
}

/** Gives the demo team so many messages, dated evenly over so many milliseconds; their IDs, the oldest first. */
function writeAll(
	service: Service,
	{ from = ADA, body = 'Hello', ago = 0, inbound = true, inbox = 0, count = 1, over = 0 } = {},
): number[] {
	const team = demoTeam(service);
	const ids = Array.from({ length: count }, (_, index) => {
		const at = Math.floor(now - ago - over + ((index + 1) * over) / count);
		const id = nextId++;
		const more = { inbox: team.inboxes[inbox] ?? {}, phone: from, body, inbound, at };
		team.messages.push({ at, message: createMessage(id, team, more) });
		return id;
	});
	team.messages.sort((one, other) => one.at - other.at);
	return ids;
}

interface TriggerOptions {
	/** Whether n8n stores what the trigger remembers only when it starts the workflow, as with its durable scheduler. */
	isDurable?: boolean;
	/** The time of its polls. */
	clock?: Clock;
	/** What n8n gives each poll, in milliseconds; n8n before 2.41 does not say. */
	budget?: number;
}

/** A trigger in a workflow of its own, with what n8n keeps of it. */
class Trigger {
	stored: IDataObject = {};
	/** What it wrote into n8n's log. */
	logged: string[] = [];
	parameters: INodeParameters;
	credential: ReturnType<typeof credentialOf>;
	/** What the process knows; n8n is started again with another one. */
	state: PollingState;
	workflowId = 'polling-test';
	/** Why n8n has activated it. */
	activation: WorkflowActivateMode = 'activate';
	private readonly options: TriggerOptions;

	constructor(
		service: Pick<Service, 'url'>,
		parameters: INodeParameters = {},
		options: TriggerOptions = {},
	) {
		this.parameters = parameters;
		this.credential = credentialOf(service);
		this.options = options;
		this.state = new PollingState(options.clock);
	}

	/** Polls as n8n does, which stores what the trigger remembers. Gives the IDs of the messages. */
	async poll(): Promise<unknown[]> {
		return idsOf(await this.run('trigger'));
	}

	/** What a poll gives; by hand, what "Fetch Test Event" shows. */
	async run(mode: 'trigger' | 'manual'): Promise<IDataObject[]> {
		const { parameters } = this;
		const { workflow, node } = workflowOf(type, this.workflowId, this.stored, { parameters });
		const data = additionalData({ credential: this.credential, parameters: {} });
		const context = new PollContext(workflow, node, data, mode, this.activation);
		const { budget, isDurable } = this.options;
		Object.assign(context, { getPollBudgetMs: budget === undefined ? undefined : () => budget });
		const logs = (['warn', 'info'] as const).map((level) =>
			jest.spyOn(context.logger, level).mockImplementation((words, place?) => {
				expect(place).toEqual({ node: 'Trigger', workflowId: this.workflowId });
				this.logged.push(`${level}: ${words}`);
			}),
		);
		const isFirst = Object.keys(this.stored).length === 0;
		const output = await poll(context, this.state).finally(() => {
			for (const log of logs) log.mockRestore();
		});
		if (!isDurable || output || isFirst) {
			this.stored = JSON.parse(JSON.stringify(workflow.staticData));
		}
		return output?.[0]?.map(({ json }) => json) ?? [];
	}
}

interface Setting extends TriggerOptions {
	parameters?: INodeParameters;
	dialect?: ServiceOptions['dialect'];
	/** The messages that the service has; none when left out. */
	old?: Parameters<typeof writeAll>[1];
}

const URGENT: Setting = { parameters: { filters: { text: 'urgent' } } };

/** A trigger and its service. */
async function setUp({ parameters, dialect, old, ...options }: Setting = {}) {
	const service = await start({ messages: 0, dialect });
	if (old) writeAll(service, old);
	return { service, trigger: new Trigger(service, parameters, options) };
}

/** The same after the first poll, which starts nothing. */
async function published(setting?: Setting) {
	const { service, trigger } = await setUp(setting);
	expect(await trigger.poll()).toEqual([]);
	return { service, trigger };
}

/** Parameters with which only the messages of these inboxes count. */
function inInboxes(service: Service, ...indexes: number[]): INodeParameters {
	const { inboxes } = demoTeam(service);
	return { filters: { inboxIds: indexes.map((index) => byId(String(inboxes[index]?.id))) } };
}

interface Heedless {
	messages: IDataObject[];
	total?: number;
	hasPages?: boolean;
}

/** A trigger at a service that lists these messages in their order. It heeds no dates, and pages only if it has any. */
async function heedless(list: Heedless): Promise<Trigger> {
	const stranger = await startStranger((response) => {
		const { messages, total, hasPages = true } = list;
		const url = new URL(stranger.requests.at(-1)?.url ?? '', stranger.url);
		const first = hasPages ? 50 * (Math.max(Number(url.searchParams.get('page')), 1) - 1) : 0;
		response.end(JSON.stringify({ data: messages.slice(first, first + 50), total }));
	});
	return new Trigger(stranger);
}

const messageAt = (id: number, ago: number) => ({
	id,
	inbound: true,
	sender: ADA,
	timestamp: new Date(now - ago).toISOString(),
});

test('n8n, which adds Poll Times to its fields, does so once however often it loads it', () => {
	const [one, other] = [1, 2].map(
		() => new MessagingServicePollingTrigger().description.properties,
	);
	expect(one).toEqual(other);
	expect(one).not.toBe(other);
});

test('the first poll starts nothing, and each later one what is new, the oldest first', async () => {
	const { service, trigger } = await published({ old: {} });
	const later = write(service, { ago: 1_000 });
	const earlier = write(service, { ago: 2_000 });
	expect(await trigger.poll()).toEqual([earlier, later]);
	expect(await trigger.poll()).toEqual([]);
});

test('a message that shows up a day after its date starts the workflow', async () => {
	const { service, trigger } = await published();
	const late = write(service, { ago: DAY });
	// Within an hour, since the days before are read once an hour.
	now += 59 * MINUTE;
	expect(await trigger.poll()).toEqual([]);
	now += MINUTE;
	expect(await trigger.poll()).toEqual([late]);
	now += HOUR;
	expect(await trigger.poll()).toEqual([]);
});

test('after a pause of three weeks, each message that came meanwhile starts it once, the oldest first', async () => {
	const { service, trigger } = await published({ old: { count: 60, over: 2 * DAY } });
	now += 21 * DAY;
	const ids = writeAll(service, { count: 2_100, over: 21 * DAY });
	expect(await trigger.poll()).toEqual(ids);
	expect(await trigger.poll()).toEqual([]);
	now += HOUR;
	const id = write(service);
	expect(await trigger.poll()).toEqual([id]);
	expect(trigger.logged).toEqual([]);
});

test('a message that is edited or gets a later date does not start it again', async () => {
	const { service, trigger } = await published(URGENT);
	const id = write(service, { body: 'urgent' });
	write(service, { body: 'no hurry' });
	expect(await trigger.poll()).toEqual([id]);
	now += HOUR;
	for (const stored of demoTeam(service).messages) {
		stored.at = now;
		Object.assign(stored.message, {
			body: 'urgent after all',
			timestamp: new Date(now).toISOString(),
		});
	}
	expect(await trigger.poll()).toEqual([]);
});

test('a poll where nothing is new takes few requests, however many messages there are', async () => {
	const { service, trigger } = await published({ old: { count: 5_000, over: 2 * DAY } });
	for (let polls = 0; polls < 5; polls++) {
		now += MINUTE;
		await service.reset('log');
		expect(await trigger.poll()).toEqual([]);
		expect(service.received().length).toBeLessThanOrEqual(3);
	}
});

test('a poll that cannot read the whole list fails and remembers nothing', async () => {
	const { service, trigger } = await published();
	const ids = writeAll(service, { count: 120, over: 120 });
	await service.configure({ faults: [{ kind: 'status', status: 500, requests: { from: 2 } }] });
	await service.reset('log');
	await expect(trigger.poll()).rejects.toThrow('reported a server error');
	await service.configure({ faults: [] });
	expect(await trigger.poll()).toEqual(ids);
});

test('the poll with which n8n activates it at its start may fail once, since n8n gives up a trigger that keeps failing', async () => {
	const { service, trigger } = await published();
	const ids = writeAll(service, { count: 20, over: 20 });
	await service.configure({ faults: [{ kind: 'status', status: 500 }] });
	trigger.state = new PollingState();
	await expect(trigger.poll()).rejects.toThrow('reported a server error');
	trigger.state = new PollingState();
	trigger.activation = 'init';
	expect(await trigger.poll()).toEqual([]);
	expect(trigger.logged).toEqual([
		expect.stringMatching(/next poll reads everything.*server error/),
	]);
	await expect(trigger.poll()).rejects.toThrow('reported a server error');
	await service.configure({ faults: [] });
	expect(await trigger.poll()).toEqual(ids);
});

test('its errors and its log hide the key', async () => {
	const stranger = await startStranger((response) => {
		response.writeHead(400).end(`Bad key ${response.req.headers.apikey}, ask for another`);
	});
	const trigger = new Trigger(stranger);
	const error = await trigger.poll().catch((failure: unknown) => failure);
	expect(error).toMatchObject({ message: expect.stringContaining('Bad key [hidden]') });
	expect(JSON.stringify(error) + String(error)).not.toContain(String(trigger.credential.apiKey));
});

/** A service that gives no more than 10,000 messages of a list. */
const WINDOW = { window: 10_000, total: 'ofWindow', beyondEnd: 400 } as const;

test('with a service that gives no more than 10,000 messages of a list, none is lost', async () => {
	const old = { count: 12_000, over: DAY };
	const { service, trigger } = await published({ dialect: WINDOW, old });
	now += MINUTE;
	const ids = writeAll(service, { count: 12_000, over: MINUTE });
	expect(await trigger.poll()).toEqual(ids);
	now += HOUR;
	expect(await trigger.poll()).toEqual([]);
	expect(trigger.logged).toEqual([]);
});

describe('a service that ends its lists in another way', () => {
	test.each(['null', 'braces', 'nothing', 204, 404, 416, 422] as const)(
		'with %j, behind a last page, can be polled',
		async (beyondEnd) => {
			const old = { count: 120, over: DAY };
			const { service, trigger } = await published({ dialect: { beyondEnd, links: 'none' }, old });
			const id = write(service);
			expect(await trigger.poll()).toEqual([id]);
			expect(trigger.logged).toEqual([]);
		},
	);

	test.each([
		[204, ''],
		[200, '{}'],
	])('and gives nothing at first cannot be published: status %i, "%s"', async (status, body) => {
		const nothing = await startStranger((response) => response.writeHead(status).end(body));
		await expect(new Trigger(nothing).poll()).rejects.toThrow('may not be complete');
	});
});

test('with a service that reads dates as days, all comes: at the next hour, or after a pause', async () => {
	const old = { ago: HOUR };
	const { service, trigger } = await published({ dialect: { datesAreDays: true }, old });
	now += 30 * MINUTE;
	const id = write(service);
	now += 30 * MINUTE;
	expect(await trigger.poll()).toEqual([id]);
	now += 5 * DAY;
	const ids = writeAll(service, { count: 500, over: 5 * DAY });
	expect(await trigger.poll()).toEqual(ids);
});

test('with a service that does both, polls fail with words, since a part of a day would be passed over', async () => {
	const { service, trigger } = await published({ dialect: { ...WINDOW, datesAreDays: true } });
	now += 5 * DAY;
	writeAll(service, { count: 24_000, over: 2 * DAY, ago: DAY });
	const { stored } = trigger;
	await expect(trigger.poll()).rejects.toThrow('The service reads dates as days');
	expect(trigger.stored).toEqual(stored);
});

/** A trigger whose polls have this time. A second passes with each request; those that come too late are not answered. */
async function setUpSlow(budget: number, options?: TriggerOptions) {
	const service = await start({ messages: 0, latencyMs: 20 });
	const clock: Clock = { now: () => service.received().length * 1_000, wait: async () => {} };
	const trigger = new Trigger(service, {}, { ...options, clock, budget });
	await trigger.poll();
	return { service, trigger };
}

describe('a poll that has little time', () => {
	test('gives what it has, and the next one goes on there', async () => {
		const { service, trigger } = await setUpSlow(10_000);
		now += 10 * DAY;
		const ids = writeAll(service, { count: 500, over: 10 * DAY });
		const polled: unknown[][] = [];
		for (let polls = 0; polls < 15; polls++) {
			await service.reset('log');
			polled.push(await trigger.poll());
			now += MINUTE;
		}
		expect(polled.flat()).toEqual(ids);
		expect(polled.filter(({ length }) => length > 0).length).toBeGreaterThan(2);
		const id = write(service);
		expect(await trigger.poll()).toEqual([id]);
	});

	test('fails if that is not enough for a day, and the next ones read less at once', async () => {
		const { service, trigger } = await setUpSlow(20_000);
		now += 3 * DAY;
		const ids = writeAll(service, { count: 5_000, over: 3 * DAY });
		const polled: unknown[][] = [];
		let failures = 0;
		for (let polls = 0; polls < 60 && polled.flat().length < ids.length; polls++) {
			await service.reset('log');
			const found = await trigger.poll().catch((failure: unknown) => {
				expect(failure).toMatchObject({ message: expect.stringContaining('read in the time') });
				failures++;
				return [];
			});
			polled.push(found);
			now += MINUTE;
		}
		expect(polled.flat()).toEqual(ids);
		expect(failures).toBeGreaterThan(0);
		expect(failures).toBeLessThan(6);
		// Once all is read, so are two days at once.
		now += 2 * DAY;
		await service.reset('data');
		await service.reset('log');
		await trigger.poll();
		expect(service.received().length).toBeLessThan(7);
	});
});

describe('where n8n stores the memory only when the workflow starts', () => {
	test('weeks without a start cost no more than a poll, and a message starts it', async () => {
		const { service, trigger } = await published({ ...URGENT, isDurable: true });
		for (let day = 0; day < 20; day++) {
			writeAll(service, { count: 100, over: DAY });
			now += DAY;
			expect(await trigger.poll()).toEqual([]);
		}
		now += MINUTE;
		await service.reset('log');
		const id = write(service, { body: 'Urgent!' });
		expect(await trigger.poll()).toEqual([id]);
		expect(service.received().length).toBeLessThanOrEqual(3);
		expect(await trigger.poll()).toEqual([]);
	});

	test('a filter that is removed after weeks brings no old message, also after a restart', async () => {
		for (const isRestarted of [false, true]) {
			const { service, trigger } = await published({ ...URGENT, isDurable: true });
			now += 20 * DAY;
			writeAll(service, { count: 40, over: 20 * DAY });
			expect(await trigger.poll()).toEqual([]);
			if (isRestarted) trigger.state = new PollingState();
			trigger.parameters = {};
			expect(await trigger.poll()).toEqual([]);
			const id = write(service);
			expect(await trigger.poll()).toEqual([id]);
		}
	});

	test('a filter that is changed and changed back brings no message that came before', async () => {
		const { service, trigger } = await published({ isDurable: true });
		write(service);
		now += MINUTE;
		for (const parameters of [{ filters: { text: 'urgent' } }, {}]) {
			trigger.parameters = parameters;
			expect(await trigger.poll()).toEqual([]);
		}
		const id = write(service);
		expect(await trigger.poll()).toEqual([id]);
	});

	test('polls that come while n8n stores what the last one left start nothing, and lose nothing', async () => {
		const { service, trigger } = await published({ isDurable: true });
		const before = trigger.stored;
		const id = write(service);
		expect(await trigger.poll()).toEqual([id]);
		const after = trigger.stored;
		const later = write(service);
		trigger.stored = before;
		expect(await trigger.poll()).toEqual([]);
		trigger.stored = after;
		expect(await trigger.poll()).toEqual([later]);
	});

	test('the same holds while they catch up, one part of the time after the other', async () => {
		const { service, trigger } = await setUpSlow(10_000, { isDurable: true });
		now += 10 * DAY;
		writeAll(service, { count: 500, over: 10 * DAY });
		await service.reset('log');
		const before = trigger.stored;
		expect((await trigger.poll()).length).toBeGreaterThan(0);
		trigger.stored = before;
		await service.reset('log');
		expect(await trigger.poll()).toEqual([]);
	});

	test('what n8n has dropped comes again', async () => {
		const { service, trigger } = await published({ isDurable: true });
		now += MINUTE;
		await trigger.poll();
		const id = write(service);
		const { stored } = trigger;
		expect(await trigger.poll()).toEqual([id]);
		// As if n8n had given up the poll, or the workflow had been published meanwhile.
		trigger.stored = stored;
		now += MINUTE;
		expect(await trigger.poll()).toEqual([id]);
	});
});

test('two processes that poll in turns start it once with each message', async () => {
	const { service, trigger } = await setUp({ isDurable: true });
	const [one, other] = [trigger.state, new PollingState()];
	const pollBy = async (state: PollingState) => {
		now += MINUTE;
		trigger.state = state;
		return await trigger.poll();
	};
	// Many polls of the first one start nothing, so n8n stores nothing of them.
	for (let polls = 0; polls < 5; polls++) expect(await pollBy(one)).toEqual([]);
	const id = write(service);
	expect(await pollBy(other)).toEqual([id]);
	expect(await pollBy(one)).toEqual([]);
	const later = write(service);
	expect(await pollBy(one)).toEqual([later]);
	expect(await pollBy(other)).toEqual([]);
});

test('a message that polls pass over does not start the workflow later', async () => {
	const [passedOver, other, later] = [1, 2, 3].map((id) => messageAt(id, id));
	const list: Heedless = { messages: [passedOver, other] };
	const trigger = await heedless(list);
	await trigger.poll();
	list.messages = [other];
	expect(await trigger.poll()).toEqual([]);
	// Also if the readings say themselves that they may lack some.
	list.total = 70;
	expect(await trigger.poll()).toEqual([]);
	expect(await trigger.poll()).toEqual([]);
	expect(trigger.logged).toHaveLength(2);
	list.messages = [passedOver, other, later];
	expect(await trigger.poll()).toEqual([later.id]);
});

test('a message without a date starts the workflow once, as long as it is listed; its ID may be any word', async () => {
	const list: Heedless = { messages: [] };
	const trigger = await heedless(list);
	await trigger.poll();
	const ids = ['__proto__', 'constructor', '1'];
	list.messages = ids.map((id) => ({ ...messageAt(0, 0), id, timestamp: null }));
	expect(await trigger.poll()).toEqual(['__proto__', '1', 'constructor']);
	for (let polls = 0; polls < 3; polls++) {
		now += 1.5 * DAY;
		expect(await trigger.poll()).toEqual([]);
	}
	list.messages = [];
	now += 3 * DAY;
	await trigger.poll();
	expect(Object(trigger.stored['node:Trigger']).knownDates).toEqual({});
});

test('a first poll does not wait for longer than a minute, since n8n gives up soon after', async () => {
	const busy = await startStranger((response) => {
		response.writeHead(429, { 'retry-after': '61' }).end();
	});
	const trigger = new Trigger(busy);
	await expect(trigger.poll()).rejects.toThrow('is not accepting more requests right now');
	expect(busy.requests).toHaveLength(1);
});

test('of a service that ignores the dates, all is read in whatever order, and the log says so', async () => {
	const old = Array.from({ length: 130 }, (_, index) => messageAt(index, 10 * DAY + index));
	const list = { messages: [messageAt(1_000, HOUR), ...old] };
	const trigger = await heedless(list);
	expect(await trigger.poll()).toEqual([]);
	expect(trigger.logged).toEqual([expect.stringMatching(/^info: .*Override Names/)]);
	// As if sorted by conversation: behind more than two pages of old ones.
	list.messages = [...list.messages, messageAt(2_000, 0)];
	expect(await trigger.poll()).toEqual([2_000]);
});

test.each([60, 20])(
	'with a service that ignores the pages, the first poll fails with what to set: %i messages',
	async (length) => {
		const messages = Array.from({ length }, (_, index) => messageAt(index, index));
		const trigger = await heedless({ messages, hasPages: false });
		const failed = trigger.poll();
		await expect(failed).rejects.toThrow('may not be complete');
		await expect(failed).rejects.toMatchObject({
			description: expect.stringContaining('Page Parameter'),
		});
		expect(trigger.stored).toEqual({});
	},
);

test('a clock that is set back brings no old message, and delays no new one', async () => {
	const { service, trigger } = await published({ old: { ago: 2.5 * DAY } });
	now -= 30 * MINUTE;
	const id = write(service);
	expect(await trigger.poll()).toEqual([id]);
	for (const change of [-DAY, DAY]) {
		now += change;
		expect(await trigger.poll()).toEqual([]);
	}
});

test('a clock that was years ahead and is set right keeps nothing from starting the workflow', async () => {
	const { service, trigger } = await setUp({ old: {} });
	now += 1_000 * DAY;
	await trigger.poll();
	now -= 1_000 * DAY;
	expect(await trigger.poll()).toEqual([]);
	const id = write(service);
	expect(await trigger.poll()).toEqual([id]);
});

test('a poll during another one leaves everything to that', async () => {
	const { service, trigger } = await published();
	const id = write(service);
	const polls = await Promise.all([trigger.poll(), trigger.poll()]);
	expect(polls).toEqual([[id], []]);
});

describe('with a filter that is published', () => {
	/** Publishes it, which polls, and later expects what it lets through. */
	async function expectMessages({ service, trigger }: Awaited<ReturnType<typeof published>>) {
		trigger.parameters = { filters: { text: 'urgent' } };
		expect(await trigger.poll()).toEqual([]);
		now += MINUTE;
		const id = write(service, { body: 'urgent' });
		now += HOUR;
		expect(await trigger.poll()).toEqual([id]);
	}

	test('during a poll, what comes from then on starts the workflow', async () => {
		const setting = await published();
		const before = setting.trigger.poll();
		await expectMessages(setting);
		expect(await before).toEqual([]);
	});

	test('while n8n stores what a poll left, the same holds', async () => {
		const setting = await published({ isDurable: true });
		const { service, trigger } = setting;
		const { stored } = trigger;
		const id = write(service);
		expect(await trigger.poll()).toEqual([id]);
		trigger.stored = stored;
		await expectMessages(setting);
	});
});

test('direction, contact, inbox and text say what starts the workflow', async () => {
	const service = await start({ messages: 0 });
	const triggers = [
		new Trigger(service),
		new Trigger(service, { direction: 'outbound' }),
		new Trigger(service, { direction: 'both' }),
		new Trigger(service, { filters: { phone: '+1 555 555 0102' } }),
		new Trigger(service, { filters: { text: 'PLEASE  call' } }),
		new Trigger(service, inInboxes(service, 1)),
	];
	for (const trigger of triggers) await trigger.poll();
	const ids = [
		write(service, { ago: 40 }),
		write(service, { ago: 30, inbound: false }),
		write(service, { ago: 20, from: BEN }),
		write(service, { ago: 10, body: 'Please call me', inbox: 1 }),
	];
	const polled: unknown[][] = [];
	for (const trigger of triggers) polled.push(await trigger.poll());
	const [first, out, fromBen, text] = ids;
	expect(polled).toEqual([[first, fromBen, text], [out], ids, [fromBen], [text], [text]]);
});

test.each<[string, (trigger: Trigger, service: Service) => void]>([
	['another choice of "Trigger On"', (trigger) => (trigger.parameters.direction = 'both')],
	['another text', (trigger) => (trigger.parameters = { filters: { text: 'e' } })],
	['other contacts', (trigger) => (trigger.parameters = { filters: { phone: BEN } })],
	['no filter', (trigger) => (trigger.parameters = {})],
	['another inbox', (trigger, service) => (trigger.parameters = inInboxes(service, 0, 1))],
	['a copy of the workflow, with its memory,', (trigger) => (trigger.workflowId = 'copy')],
	[
		'another name of a parameter in the credential',
		(trigger) => Object.assign(trigger.credential, { overrideNames: true, pageParameter: 'p' }),
	],
])('%s brings no old message', async (_change, change) => {
	const service = await start({ messages: 0 });
	const trigger = new Trigger(service, inInboxes(service, 0));
	await trigger.poll();
	now += 3 * DAY;
	const old = { ago: HOUR, over: 2 * DAY, count: 20 };
	for (const inbox of [0, 1])
		for (const from of [ADA, BEN]) writeAll(service, { ...old, inbox, from });
	writeAll(service, { ...old, inbound: false });
	change(trigger, service);
	expect(await trigger.poll()).toEqual([]);
	const id = write(service, { from: BEN });
	expect(await trigger.poll()).toEqual([id]);
});

test('another account brings no old message', async () => {
	const { trigger } = await published({ old: {} });
	const { service } = await setUp({ old: {} });
	trigger.credential = credentialOf(service);
	expect(await trigger.poll()).toEqual([]);
	const id = write(service);
	expect(await trigger.poll()).toEqual([id]);
});

test('inboxes in another order are the same inboxes', async () => {
	const service = await start({ messages: 0 });
	const trigger = new Trigger(service, inInboxes(service, 0, 1));
	await trigger.poll();
	const id = write(service, { inbox: 1 });
	trigger.parameters = inInboxes(service, 1, 0);
	expect(await trigger.poll()).toEqual([id]);
});

test('somebody who tries it out sees the newest message, and nothing is remembered', async () => {
	const { service, trigger } = await setUp();
	await expect(trigger.run('manual')).rejects.toThrow('no such message during the last two days');
	write(service, { ago: HOUR });
	const newest = write(service);
	expect(idsOf(await trigger.run('manual'))).toEqual([newest]);
	expect(trigger.stored).toEqual({});
});

test('messages are simplified unless that is off', async () => {
	const { trigger } = await setUp({ old: {} });
	const [simplified] = await trigger.run('manual');
	expect(simplified).toMatchObject({ sender: ADA, body: 'Hello', members: expect.any(String) });
	trigger.parameters = { simple: false };
	const [raw] = await trigger.run('manual');
	expect(raw).toMatchObject({ externalId: expect.any(String), members: [ADA, expect.any(String)] });
});
