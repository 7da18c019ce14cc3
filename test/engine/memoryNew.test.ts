/** Only New: what the node returned in earlier runs, in the static data of the workflow. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Service } from '../../sandbox/service/service.ts';
import type { EngineResult, EngineRun } from './engine.ts';
import { store } from './memoryStore.ts';
import { demoTeam, idsOf, messagesOf, run, start, startStranger } from './service.ts';

const MINUTE = 60_000;

interface Reader {
	(parameters?: INodeParameters, more?: Partial<EngineRun>): Promise<EngineResult>;
}

/** Reads new messages, run after run of a workflow that runs by itself. */
function readerOf(service: Pick<Service, 'url'>, staticData: IDataObject = {}): Reader {
	return async (parameters = {}, more = {}) =>
		await run(
			service,
			'message.getAll',
			{ returnAll: true, options: { onlyNew: true }, ...parameters },
			{ staticData, mode: 'trigger', ...more },
		);
}

/** Adds a message with an older date, as one that the carrier held back. */
function receiveLate(service: Service, minutes: number): unknown {
	const message = service.receiveMessage({ body: `Late by ${minutes} minutes` });
	const { messages } = demoTeam(service);
	const stored = messages.pop();
	if (!message || !stored) throw new Error('No message');
	stored.at -= minutes * MINUTE;
	const date = new Date(stored.at).toISOString();
	Object.assign(stored.message, { created: date, timestamp: date });
	const older = messages.filter(({ at }) => at <= stored.at).length;
	messages.splice(older, 0, stored);
	return stored.message.id;
}

const inOrder = (ids: unknown[]) => ids.map(Number).sort((a, b) => a - b);
const inInbox = (...ids: unknown[]) => ({
	inboxIds: ids.map((id) => ({ __rl: true, mode: 'id', value: String(id) })),
});

test('returns all messages, then none, then those that came in', async () => {
	const service = await start();
	const read = readerOf(service);
	expect(idsOf((await read()).json)).toEqual(idsOf(messagesOf(service)));
	for (let count = 0; count < 2; count++) {
		const { json, error } = await read();
		expect({ json, error }).toEqual({ json: [], error: undefined });
	}
	const ids = [1, 2, 3].map(() => service.receiveMessage()?.id);
	expect(idsOf((await read()).json)).toEqual(ids.reverse());
	// A message that changed is no new one.
	service.changeStatus({ status: 'failed' });
	expect((await read()).json).toEqual([]);
});

test('says so when n8n does not hand over what earlier runs have returned, as to workers in queue mode', async () => {
	const service = await start();
	const first = await readerOf(service)();
	expect(first.hints).toEqual([]);
	// A worker does not know what others have returned, but it knows what it has returned itself.
	const { json, hints } = await readerOf(service)();
	expect(json).toEqual([]);
	expect(hints).toEqual([expect.stringMatching(/may come again.*Remove Duplicates/)]);
});

test('a retry without what earlier runs have returned fails, instead of returning it again', async () => {
	const service = await start();
	const staticData = {};
	const read = readerOf(service, staticData);
	// Nothing has been returned yet, so a retry of the first run returns all.
	const first = await read({}, { mode: 'retry', input: [{}, {}] });
	expect(idsOf(first.json)).toEqual(idsOf(messagesOf(service)));
	const original = await readerOf(service)({}, { mode: 'retry' });
	expect(original.error?.message).toMatch(/does not know which messages/);
	expect((await read({}, { mode: 'retry' })).json).toEqual([]);
	const id = service.receiveMessage()?.id;
	expect(idsOf((await read()).json)).toEqual([id]);
});

test('returns messages that show up late, dated within the hour before the newest', async () => {
	const service = await start();
	const read = readerOf(service);
	service.receiveMessage();
	await read();
	const ids = [58, 1, 30].map((minutes) => receiveLate(service, minutes));
	expect(inOrder(idsOf((await read()).json))).toEqual(ids);
	expect((await read()).json).toEqual([]);
});

test('with a limit: returns the oldest first, the rest with the next runs, and loses none', async () => {
	const service = await start();
	const read = readerOf(service);
	const returned: unknown[] = [];
	for (let count = 0; count < 4; count++) {
		const { json } = await read({ returnAll: false, limit: 50 });
		returned.push(...idsOf(json).reverse());
		if (count === 1) service.receiveMessage();
	}
	expect(returned).toEqual(idsOf(messagesOf(service)).reverse());
});

test('with an "After" that moves from run to run, as {{ $today }} does, it goes on where it was', async () => {
	const service = await start();
	const read = readerOf(service);
	expect((await read({ filters: { after: '={{ $now.minus({ years: 9 }) }}' } })).json).toHaveLength(
		120,
	);
	expect((await read({ filters: { after: '={{ $now.minus({ years: 9 }) }}' } })).json).toEqual([]);
	expect((await read({ filters: { after: '2020-01-01' } })).json).toEqual([]);
});

test('each query has its own memory', async () => {
	const service = await start();
	const read = readerOf(service);
	const [inbox = {}] = demoTeam(service).inboxes;
	const filters = inInbox(inbox.id);
	const ofInbox = messagesOf(service).filter(({ inboxId }) => inboxId === inbox.id);
	for (const expected of [ofInbox, []]) {
		expect(idsOf((await read({ filters })).json)).toEqual(idsOf(expected));
	}
	expect((await read()).json).toHaveLength(120);
	expect((await read({ filters })).json).toEqual([]);
});

test('another account begins afresh, and the first one goes on', async () => {
	const [first, second] = [await start({ messages: 3 }), await start({ messages: 4 })];
	const staticData = {};
	const [readFirst, readSecond] = [readerOf(first, staticData), readerOf(second, staticData)];
	expect((await readFirst()).json).toHaveLength(3);
	expect((await readSecond()).json).toHaveLength(4);
	const message = first.receiveMessage();
	expect(idsOf((await readFirst()).json)).toEqual([message?.id]);
	expect((await readSecond()).json).toEqual([]);
});

test('"Start Page" does not go together with it, and says so', async () => {
	const service = await start();
	const { error } = await readerOf(service)({ options: { onlyNew: true, page: 2 } });
	expect(error?.message).toContain('"Start Page"');
	expect(service.received()).toEqual([]);
});

describe('with Retry On Fail, n8n tries again because its first item has an error, and', () => {
	test('each try returns the same, which does not come again', async () => {
		const service = await start();
		const [newest] = demoTeam(service).messages.slice(-1);
		if (newest) newest.message.error = 'The carrier rejected the message.';
		const read = readerOf(service);
		const tried = { retryOnFail: true };
		expect((await read({ simple: false }, tried)).json).toHaveLength(120);
		expect(service.received().length).toBeGreaterThan(6);
		expect((await read({ simple: false }, tried)).json).toEqual([]);
	});

	test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'what the next try cannot read comes with a later run, with On Error: %s',
		async (onError) => {
			const service = await start({
				faults: [{ kind: 'status', status: 400, requests: { from: 4 } }],
			});
			const [newest] = demoTeam(service).messages.slice(-1);
			if (newest) newest.message.error = 'The carrier rejected the message.';
			const read = readerOf(service);
			await read({ simple: false }, { retryOnFail: true, onError });
			await service.configure({ faults: [] });
			expect((await read({ simple: false })).json).toHaveLength(120);
		},
	);

	test('what the other items return does not come again', async () => {
		const service = await start();
		const read = readerOf(service);
		const parameters = { filters: { phone: '={{ $json.phone }}' } };
		const [{ message } = {}] = demoTeam(service).messages;
		const phone = message?.inbound ? message.sender : message?.members;
		const more: Partial<EngineRun> = {
			input: [{ phone: 'nobody' }, { phone }],
			retryOnFail: true,
			onError: 'continueRegularOutput',
		};
		expect((await read(parameters, more)).json.length).toBeGreaterThan(1);
		expect((await read(parameters, more)).json).toHaveLength(1);
	});
});

test('a run by hand shows what would come, takes nothing, and says so', async () => {
	const service = await start();
	const read = readerOf(service);
	for (const mode of ['manual', 'evaluation'] as const) {
		const { json, hints } = await read({}, { mode });
		expect(json).toHaveLength(120);
		expect(hints).toEqual([expect.stringContaining('remembers nothing')]);
	}
	const some = await read({ returnAll: false, limit: 3 }, { mode: 'manual' });
	expect(some.hints).toEqual([expect.stringContaining('remembers nothing')]);
	expect((await read()).json).toHaveLength(120);
	const { json } = await read({}, { mode: 'manual' });
	expect(json).toEqual([]);
});

describe('what did not leave the node comes again', () => {
	const filters = inInbox('={{ $json.inbox }}');
	const ofInbox = (service: Service, id: unknown) =>
		idsOf(messagesOf(service).filter(({ inboxId }) => inboxId === id));

	/** Two items, the messages of each, and the request with which the read for the second one begins. */
	const twoInboxes = (service: Service) => {
		const input = demoTeam(service)
			.inboxes.slice(0, 2)
			.map(({ id }) => ({ inbox: id }));
		const [one = [], other = []] = input.map(({ inbox }) => ofInbox(service, inbox));
		return { input, one, other, from: Math.ceil(one.length / 50) + 1 };
	};

	test('after a run of which another item failed', async () => {
		const service = await start();
		const read = readerOf(service);
		const { input, one, other, from } = twoInboxes(service);
		await service.configure({ faults: [{ kind: 'status', status: 400, requests: { from } }] });
		const failed = await read({ filters }, { input });
		expect(failed.error).toBeDefined();
		expect(failed.json).toEqual([]);
		await service.configure({ faults: [] });
		expect(idsOf((await read({ filters }, { input })).json)).toEqual([...one, ...other]);
	});

	test('with On Error: Continue, but not what left it beside the item that failed', async () => {
		const service = await start();
		const read = readerOf(service);
		const [one = {}] = demoTeam(service).inboxes;
		const more: Partial<EngineRun> = {
			input: [{ inbox: one.id }, { inbox: 'none' }],
			onError: 'continueRegularOutput',
		};
		const first = (await read({ filters }, more)).json;
		expect(idsOf(first.slice(0, -1))).toEqual(ofInbox(service, one.id));
		const second = (await read({ filters }, more)).json;
		expect(second).toEqual([expect.objectContaining({ error: expect.any(String) })]);
	});

	test('also if another item read later dates of the same query', async () => {
		const service = await start();
		const read = readerOf(service);
		const all = messagesOf(service);
		const middle = String(all[60]?.timestamp);
		const dates = { after: '={{ $json.after }}', before: '={{ $json.before }}' };
		const input = [
			{ after: middle, before: '2999-01-01' },
			{ after: '2000-01-01', before: middle },
		];
		await read({ filters: dates }, { input: input.slice(0, 1), mode: 'manual' });
		const from = service.received().length + 1;
		await service.configure({ faults: [{ kind: 'status', status: 400, requests: { from } }] });
		const more: Partial<EngineRun> = { input, onError: 'continueRegularOutput' };
		const first = (await read({ filters: dates }, more)).json;
		expect(idsOf(first.slice(0, -1))).toEqual(idsOf(all.slice(0, 60)));
		await service.configure({ faults: [] });
		const { json } = await read({ filters: dates }, { input });
		expect(idsOf(json)).toEqual(expect.arrayContaining(idsOf(all.slice(61))));
	});

	test('after a run that was stopped, also with On Error: Continue', async () => {
		const service = await start();
		const read = readerOf(service);
		const { input, one, other, from } = twoInboxes(service);
		await service.configure({ faults: [{ kind: 'neverAnswer', requests: { from } }] });
		const stop = new AbortController();
		const stopped = read(
			{ filters },
			{ input, onError: 'continueRegularOutput', signal: stop.signal },
		);
		while (service.received().length < from) await sleep(20);
		stop.abort();
		await stopped;
		await service.configure({ faults: [] });
		expect(idsOf((await read({ filters }, { input })).json)).toEqual([...one, ...other]);
	});

	test("after a run that n8n's store has failed, also with On Error: Continue", async () => {
		const service = await start();
		const read = readerOf(service);
		const failure = new Error('database is locked');
		jest.spyOn(store, 'checkProcessedAndRecord').mockRejectedValueOnce(failure);
		const failed = (await read({}, { onError: 'continueRegularOutput' })).json;
		expect(failed).toEqual([{ error: 'database is locked' }]);
		expect(idsOf((await read()).json)).toEqual(idsOf(messagesOf(service)));
		jest.restoreAllMocks();
	});

	test('of an incomplete list with On Error: Continue, only what did not come out beside the error', async () => {
		const service = await start();
		const read = readerOf(service);
		const all = idsOf(messagesOf(service));
		const broken = { faults: [{ kind: 'status', status: 400, requests: { from: 2 } } as const] };
		await service.configure(broken);
		const first = (await read({}, { onError: 'continueRegularOutput' })).json;
		expect(first.at(-1)).toHaveProperty('error');
		const came = idsOf(first.slice(0, -1));
		expect(came).toEqual(all.slice(0, 50));
		await service.configure({ faults: [] });
		expect(idsOf((await read()).json)).toEqual(all.slice(50));
	});
});

test('runs that overlap lose nothing, whichever is written last', async () => {
	for (const last of [0, 1]) {
		const service = await start({ messages: 108 });
		let staticData: IDataObject = {};
		const returned = new Set<unknown>();
		for (let round = 0; round < 5; round++) {
			const stored = JSON.stringify(staticData);
			const copies: IDataObject[] = [JSON.parse(stored), JSON.parse(stored)];
			const runs = copies.map(async (copy, index) => {
				const limit = index === 0 ? 30 : 50;
				return await readerOf(service, copy)({ returnAll: false, limit });
			});
			for (const { json } of await Promise.all(runs))
				for (const id of idsOf(json)) returned.add(id);
			staticData = copies[last] ?? {};
		}
		expect(returned.size).toBe(108);
	}
});

test('what a run returns while a slow execution goes on comes once, whichever ends last', async () => {
	const service = await start();
	const atFirst: IDataObject = {};
	await readerOf(service, atFirst)();
	const stored = JSON.stringify(atFirst);
	const [slow, quick]: IDataObject[] = [JSON.parse(stored), JSON.parse(stored)];
	for (const staticData of [slow, quick, slow, quick]) {
		const id = service.receiveMessage()?.id;
		expect(idsOf((await readerOf(service, staticData)()).json)).toEqual([id]);
	}
});

test('what a quick run returns while a slow one reads comes once', async () => {
	const service = await start({ latencyMs: 500 });
	const slow = readerOf(service)();
	await sleep(100);
	await service.configure({ latencyMs: 0 });
	expect((await readerOf(service)()).json).toHaveLength(120);
	expect((await slow).json).toEqual([]);
});

test('what a quick run returns while a slow one reads another list comes once', async () => {
	const service = await start({ messages: 300 });
	const ids = new Set(messagesOf(service).map(({ inboxId }) => inboxId));
	const input = [...ids].map((inbox) => ({ inbox }));
	const filters = inInbox('={{ $json.inbox }}');
	const runs = [0, 1, 2].map(async (delay) => {
		await sleep(delay * 30);
		return (await readerOf(service)({ filters }, { input })).json;
	});
	await service.configure({ latencyMs: 50 });
	const returned = (await Promise.all(runs)).flatMap(idsOf);
	expect(inOrder(returned)).toEqual(inOrder(idsOf(messagesOf(service))));
});

describe('of messages on one page', () => {
	/** A list of messages, newest first. */
	const startBurst = async (dates: Date[]) => {
		const messages = dates.map((timestamp, age) => ({ id: dates.length - age, timestamp }));
		const service = await startStranger((response) =>
			response.end(JSON.stringify({ data: messages, total: messages.length, links: {} })),
		);
		return { service, messages };
	};

	test('6,000 within an hour come once', async () => {
		const now = Date.now();
		const dates = Array.from({ length: 6_000 }, (_, age) => new Date(now - age * 100));
		const { service, messages } = await startBurst(dates);
		const staticData: IDataObject = {};
		const read = readerOf(service, staticData);
		expect((await read()).json).toHaveLength(6_000);
		expect((await read()).json).toEqual([]);
		messages.unshift({ id: 6_001, timestamp: new Date(now + 1_000) });
		expect(idsOf((await read()).json)).toEqual([6_001]);
		expect(JSON.stringify(staticData).length).toBeLessThan(200_000);
	});

	test('one that is dated in the future hides none that comes until then', async () => {
		const { service, messages } = await startBurst([new Date('2999-01-01')]);
		const read = readerOf(service);
		expect((await read()).json).toHaveLength(1);
		messages.unshift({ id: 2, timestamp: new Date() });
		expect(idsOf((await read()).json)).toEqual([2]);
		expect((await read()).json).toEqual([]);
	});
});

describe('by content', () => {
	test('returns to each contact what is new, in one reading', async () => {
		const service = await start({ messages: 0 });
		const phones = ['+15555550141', '+15555550142', '+15555550143'];
		const input = phones.map((phone) => ({ phone }));
		const read = readerOf(service);
		const next = async () => {
			await service.reset('log');
			const { outputs, error } = await read(
				{ filters: { phone: '={{ $json.phone }}' } },
				{ input },
			);
			expect(error).toBeUndefined();
			expect(service.received()).toHaveLength(1);
			return (outputs[0] ?? []).map(({ json, pairedItem }) => [json.id, pairedItem]);
		};
		const receive = (...items: number[]) =>
			items.map((item) => [service.receiveMessage({ phone: phones[item] })?.id, { item }]);

		const first = receive(0, 1);
		expect(await next()).toEqual(first);
		const second = receive(2);
		expect(await next()).toEqual(second);
		expect(await next()).toEqual([]);
	});

	test('returns a message whose status changes after later ones were returned', async () => {
		const service = await start({ messages: 0 });
		const read = readerOf(service);
		const filters = { status: 'failed' };
		const old = receiveLate(service, 48 * 60);
		service.receiveMessage();
		service.changeStatus({ status: 'failed' });
		expect((await read({ filters })).json).toHaveLength(1);
		service.changeStatus({ messageId: Number(old), status: 'failed' });
		expect(idsOf((await read({ filters })).json)).toEqual([old]);
		expect((await read({ filters })).json).toEqual([]);
	});
});
