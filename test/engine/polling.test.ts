/** The polling trigger in n8n's own engine: which messages start the workflow, and that none is lost or comes twice. */
import { PollContext } from 'n8n-core';
import { type IDataObject, type INode, type INodeParameters, Workflow } from 'n8n-workflow';

import { MessagingServicePollingTrigger } from '../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { byId } from '../../sandbox/operations.ts';
import { createMessage } from '../../sandbox/service/store.ts';
import type { Service } from '../../sandbox/service/service.ts';
import { additionalData, onlyType } from './engine.ts';
import { credentialOf, demoTeam, idsOf, start, startStranger } from './service.ts';

const HOUR = 60 * 60_000;
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

/** Gives the demo team a message, dated so many milliseconds ago. */
function write(
	service: Service,
	{ from = ADA, body = 'Hello', ago = 0, inbound = true, inbox = 0 } = {},
): number {
	const team = demoTeam(service);
	const at = now - ago;
	const id = nextId++;
	const message = createMessage(id, team, {
		inbox: team.inboxes[inbox] ?? {},
		phone: from,
		body,
		inbound,
		at,
	});
	team.messages.push({ at, message });
	team.messages.sort((a, b) => a.at - b.at);
	return id;
}

/** A trigger in a workflow of its own, with what n8n keeps of it. */
class Trigger {
	stored: IDataObject = {};
	/** What it wrote into n8n's log. */
	logged: string[] = [];
	parameters: INodeParameters;
	credential: ReturnType<typeof credentialOf>;
	private readonly type = new MessagingServicePollingTrigger();

	constructor(service: Pick<Service, 'url'>, parameters: INodeParameters = {}) {
		this.parameters = parameters;
		this.credential = credentialOf(service);
	}

	/** Polls as n8n does, which stores what the trigger remembers. Gives the IDs of the messages. */
	async poll(): Promise<unknown[]> {
		return idsOf(await this.run('trigger'));
	}

	/** What a poll gives; by hand, what "Fetch Test Event" shows. */
	async run(mode: 'trigger' | 'manual'): Promise<IDataObject[]> {
		const node: INode = {
			id: 'trigger',
			name: 'Trigger',
			type: 'messagingServicePollingTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: this.parameters,
			credentials: { messagingServiceApi: { id: '1', name: 'Account' } },
		};
		const workflow = new Workflow({
			id: 'polling-test',
			active: true,
			nodeTypes: onlyType(this.type),
			staticData: structuredClone(this.stored),
			nodes: [node],
			connections: {},
		});
		const data = additionalData({ credential: this.credential, parameters: {} });
		const context = new PollContext(workflow, node, data, mode, 'activate');
		const logs = (['warn', 'info'] as const).map((level) =>
			jest.spyOn(context.logger, level).mockImplementation((words, place?) => {
				expect(place).toEqual({ node: 'Trigger', workflowId: 'polling-test' });
				this.logged.push(`${level}: ${words}`);
			}),
		);
		const output = await this.type.poll
			.call(context)
			.finally(() => logs.forEach((log) => log.mockRestore()));
		this.stored = JSON.parse(JSON.stringify(workflow.staticData));
		return output?.[0]?.map(({ json }) => json) ?? [];
	}
}

/** A trigger and its service, which has no messages yet. */
async function setUp(parameters?: INodeParameters) {
	const service = await start({ messages: 0 });
	return { service, trigger: new Trigger(service, parameters) };
}

/** Parameters with which only the messages of these inboxes count. */
function inInboxes(service: Service, ...indexes: number[]): INodeParameters {
	const { inboxes } = demoTeam(service);
	return { filters: { inboxIds: indexes.map((index) => byId(String(inboxes[index]?.id))) } };
}

/** A service that lists these messages in their order. It heeds no dates, and pages only if it has any. */
async function startHeedless(list: {
	messages: IDataObject[];
	total?: number;
	hasPages?: boolean;
}) {
	const stranger = await startStranger((response) => {
		const { messages, total, hasPages = true } = list;
		const url = new URL(stranger.requests.at(-1)?.url ?? '', stranger.url);
		const first = hasPages ? 50 * (Math.max(Number(url.searchParams.get('page')), 1) - 1) : 0;
		response.end(JSON.stringify({ data: messages.slice(first, first + 50), total }));
	});
	return stranger;
}

const messageAt = (id: number, ago: number) => ({
	id,
	inbound: true,
	sender: ADA,
	timestamp: new Date(now - ago).toISOString(),
});

test('the first poll starts nothing, and each later one what is new, the oldest first', async () => {
	const { service, trigger } = await setUp();
	write(service);
	expect(await trigger.poll()).toEqual([]);
	const later = write(service, { ago: 1_000 });
	const earlier = write(service, { ago: 2_000 });
	expect(await trigger.poll()).toEqual([earlier, later]);
	expect(await trigger.poll()).toEqual([]);
});

test('a message that shows up a day after its date starts the workflow', async () => {
	const { service, trigger } = await setUp();
	await trigger.poll();
	const late = write(service, { ago: DAY });
	expect(await trigger.poll()).toEqual([late]);
	expect(await trigger.poll()).toEqual([]);
});

test('after a pause of a week, all that came meanwhile starts the workflow', async () => {
	const { service, trigger } = await setUp();
	write(service, { ago: DAY });
	await trigger.poll();
	now += 7 * DAY;
	const ids = [6, 3, 0].map((days) => write(service, { ago: days * DAY + HOUR }));
	expect(await trigger.poll()).toEqual(ids);
	now += HOUR;
	expect(await trigger.poll()).toEqual([]);
});

test('a poll that cannot read the whole list fails and remembers nothing', async () => {
	const { service, trigger } = await setUp();
	await trigger.poll();
	const ids = Array.from({ length: 120 }, (_, index) => write(service, { ago: 120 - index }));
	await service.configure({ faults: [{ kind: 'status', status: 500, requests: { from: 2 } }] });
	await service.reset('log');
	await expect(trigger.poll()).rejects.toThrow('reported a server error');
	await service.configure({ faults: [] });
	expect(await trigger.poll()).toEqual(ids);
});

test('a message that polls pass over does not start the workflow later', async () => {
	const [passedOver, other, later] = [1, 2, 3].map((id) => messageAt(id, id));
	const list: Parameters<typeof startHeedless>[0] = { messages: [passedOver, other] };
	const trigger = new Trigger(await startHeedless(list));
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
	const list: Parameters<typeof startHeedless>[0] = { messages: [] };
	const trigger = new Trigger(await startHeedless(list));
	await trigger.poll();
	const ids = ['__proto__', 'constructor', '1'];
	list.messages = ids.map((id) => ({ ...messageAt(0, 0), id, timestamp: null }));
	expect(await trigger.poll()).toEqual([...ids].reverse());
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
	const trigger = new Trigger(await startHeedless(list));
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
		const trigger = new Trigger(await startHeedless({ messages, hasPages: false }));
		const failed = trigger.poll();
		await expect(failed).rejects.toThrow('may not be complete');
		await expect(failed).rejects.toMatchObject({
			description: expect.stringContaining('Page Parameter'),
		});
		expect(trigger.stored).toEqual({});
	},
);

test('a clock that is set back brings no old messages', async () => {
	const { service, trigger } = await setUp();
	write(service, { ago: 2.5 * DAY });
	await trigger.poll();
	now -= DAY;
	expect(await trigger.poll()).toEqual([]);
	now += DAY;
	expect(await trigger.poll()).toEqual([]);
});

test('a clock that was years ahead and is set right keeps nothing from starting the workflow', async () => {
	const { service, trigger } = await setUp();
	write(service);
	now += 1_000 * DAY;
	await trigger.poll();
	now -= 1_000 * DAY;
	expect(await trigger.poll()).toEqual([]);
	const id = write(service);
	expect(await trigger.poll()).toEqual([id]);
});

test('a poll during another one leaves everything to that', async () => {
	const { service, trigger } = await setUp();
	await trigger.poll();
	const id = write(service);
	const polls = await Promise.all([trigger.poll(), trigger.poll()]);
	expect(polls).toEqual([[id], []]);
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

test('other inboxes, or another account, do not bring the messages of two days', async () => {
	const [service, other] = [await start({ messages: 0 }), await start({ messages: 0 })];
	for (const each of [service, other]) write(each, { inbox: 1 });
	const trigger = new Trigger(service, inInboxes(service, 0));
	await trigger.poll();
	trigger.parameters = inInboxes(service, 1);
	expect(await trigger.poll()).toEqual([]);
	trigger.credential = credentialOf(other);
	expect(await trigger.poll()).toEqual([]);
	const id = write(other, { inbox: 1 });
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
	const service = await start({ messages: 0 });
	write(service);
	const [simplified] = await new Trigger(service).run('manual');
	expect(simplified).toMatchObject({ sender: ADA, body: 'Hello', members: expect.any(String) });
	const [raw] = await new Trigger(service, { simple: false }).run('manual');
	expect(raw).toMatchObject({ externalId: expect.any(String), members: [ADA, expect.any(String)] });
});
