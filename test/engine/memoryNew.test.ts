import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Fault, Service } from '../../sandbox/service/service.ts';
import type { EngineResult, EngineRun } from './engine.ts';
import './memoryStore.ts';
import {
	credentialOf,
	demoTeam,
	idsOf,
	messagesOf,
	run,
	start,
	startAnswering,
} from './service.ts';
import { numbered } from './writes.ts';

const HOUR = 3_600_000;
const SECOND_FAILS: Fault[] = [{ kind: 'status', status: 500, requests: { exactly: 2 } }];

interface Reader {
	(parameters?: INodeParameters, more?: Partial<EngineRun>): Promise<EngineResult>;
}

/** Reads new messages, run after run. */
function readerOf(service: Pick<Service, 'url'>, staticData?: IDataObject): Reader {
	return async (parameters = {}, more = {}) =>
		await run(
			service,
			'message.getAll',
			{ returnAll: true, options: { onlyNew: true }, ...parameters },
			{ staticData, ...more },
		);
}

/** Adds a message with an older date, as one that the carrier held back. */
function receiveLate(service: Service, hours: number): unknown {
	const message = service.receiveMessage({ body: `Late by ${hours} hours` });
	const { messages } = demoTeam(service);
	const stored = messages.pop();
	if (!message || !stored) throw new Error('No message');
	stored.at -= hours * HOUR;
	const date = new Date(stored.at).toISOString();
	Object.assign(stored.message, { created: date, timestamp: date });
	const older = messages.filter(({ at }) => at <= stored.at).length;
	messages.splice(older, 0, stored);
	return stored.message.id;
}

const numberOf = (ids: unknown[]) => ids.map(Number).sort((a, b) => a - b);

describe.each([
	['a workflow that runs by itself', () => ({})],
	['a workflow that is run by hand', () => undefined],
])('%s', (_name, staticData) => {
	test('returns all messages, then none, then those that came in', async () => {
		const service = await start();
		const read = readerOf(service, staticData());
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

	test('returns messages of the same moment', async () => {
		const service = await start({ messages: 3 });
		const read = readerOf(service, staticData());
		await read();
		const at = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
		const first = service.receiveMessage()?.id;
		expect(idsOf((await read()).json)).toEqual([first]);
		const second = service.receiveMessage()?.id;
		at.mockRestore();
		expect(idsOf((await read()).json)).toEqual([second]);
	});

	test('returns messages that come late, with an older date', async () => {
		const service = await start();
		const read = readerOf(service, staticData());
		await read();
		const ids = [23, 1, 12].map((hours) => receiveLate(service, hours));
		expect(numberOf(idsOf((await read()).json))).toEqual(ids);
		expect((await read()).json).toEqual([]);
	});

	test('with a limit: returns the oldest first, the rest with the next runs, and loses none', async () => {
		const service = await start();
		const read = readerOf(service, staticData());
		const returned: unknown[] = [];
		for (let count = 0; count < 4; count++) {
			const { json } = await read({ returnAll: false, limit: 50 });
			returned.push(...idsOf(json).reverse());
			if (count === 1) service.receiveMessage();
		}
		expect(returned).toEqual(idsOf(messagesOf(service)).reverse());
	});

	test('a run that fails marks nothing, be it the first one or a later one', async () => {
		const service = await start({ faults: SECOND_FAILS });
		const read = readerOf(service, staticData());
		expect((await read()).error).toBeDefined();
		expect(idsOf((await read()).json)).toEqual(idsOf(messagesOf(service)));
		const ids = Array.from({ length: 70 }, () => service.receiveMessage()?.id);
		await service.configure({ faults: SECOND_FAILS });
		expect((await read()).error).toBeDefined();
		expect(idsOf((await read()).json)).toEqual(ids.reverse());
	});

	test('On Error: Continue marks of an incomplete list what came out', async () => {
		const service = await start({ faults: SECOND_FAILS });
		const read = readerOf(service, staticData());
		const { json } = await read({}, { onError: 'continueRegularOutput' });
		expect(json.at(-1)).toHaveProperty('error');
		const first = idsOf(json.slice(0, -1));
		const second = idsOf((await read()).json);
		expect(first.length).toBeGreaterThan(0);
		expect(second.length).toBeGreaterThan(0);
		expect(numberOf([...first, ...second])).toEqual(numberOf(idsOf(messagesOf(service))));
	});

	test('other filters than before: returns what no run returned, wherever it is', async () => {
		const service = await start();
		const read = readerOf(service, staticData());
		const [inbox = {}] = demoTeam(service).inboxes;
		const filters = { inboxIds: [{ __rl: true, mode: 'id', value: String(inbox.id) }] };
		const ofInbox = messagesOf(service).filter(({ inboxId }) => inboxId === inbox.id);
		expect(idsOf((await read({ filters })).json)).toEqual(idsOf(ofInbox));
		expect(idsOf((await read()).json)).toEqual(
			idsOf(messagesOf(service).filter(({ inboxId }) => inboxId !== inbox.id)),
		);
		expect((await read({ filters })).json).toEqual([]);
		expect((await read({ filters: { after: '2020-01-01' } })).json).toEqual([]);
	});

	test('several items before the node get each message once', async () => {
		const service = await start();
		const { json } = await readerOf(service, staticData())({}, { input: [{}, {}] });
		expect(idsOf(json)).toEqual(idsOf(messagesOf(service)));
	});

	describe('Retry On Fail', () => {
		// The newest message could not be delivered: n8n may take its `error` for a failure of the node, and run it
		// again. By then all are marked.
		test.each([true, false])(
			'loses no message to one that failed, simplified: %s',
			async (simple) => {
				const service = await start({ messages: 3 });
				const newest = demoTeam(service).messages.at(-1);
				Object.assign(newest?.message ?? {}, { error: 'The carrier rejected the message.' });
				const { json } = await readerOf(service, staticData())({ simple }, { retryOnFail: true });
				expect(idsOf(json)).toEqual(idsOf(messagesOf(service)));
			},
		);

		test('finds messages again that a failed try did not return', async () => {
			const service = await start({
				faults: [{ kind: 'status', status: 500, requests: { first: 1 } }],
			});
			const { json } = await readerOf(service, staticData())({}, { retryOnFail: true });
			expect(idsOf(json)).toEqual(idsOf(messagesOf(service)));
		});

		test('returns what an incomplete list had, and only once', async () => {
			const service = await start({ faults: SECOND_FAILS });
			const more = { retryOnFail: true, onError: 'continueRegularOutput' } as const;
			const read = readerOf(service, staticData());
			const first = (await read({}, more)).json.filter(({ id }) => id !== undefined);
			const second = (await read()).json;
			expect(numberOf(idsOf([...first, ...second]))).toEqual(numberOf(idsOf(messagesOf(service))));
		});

		// The failed item comes out first, so n8n discards what came out after it and runs the node again.
		test('loses nothing of an incomplete list beside an item that failed', async () => {
			const service = await start({ faults: SECOND_FAILS });
			const { json } = await readerOf(service, staticData())(
				{ filters: { after: '={{ $json.n === 0 ? "soon" : "2000-01-01" }}' } },
				{ retryOnFail: true, onError: 'continueRegularOutput', input: numbered(2) },
			);
			const [failed, ...messages] = json;
			expect(failed).toHaveProperty('error');
			expect(idsOf(messages)).toEqual(idsOf(messagesOf(service)));
		});
	});
});

describe('a clock that differs from that of the service', () => {
	/** Sets the clock here, of n8n and of what the service receives from now on; nothing else waits. */
	function setClock(now: number): void {
		jest.useFakeTimers({
			now,
			doNotFake: [
				'clearImmediate',
				'clearInterval',
				'clearTimeout',
				'hrtime',
				'nextTick',
				'performance',
				'queueMicrotask',
				'setImmediate',
				'setInterval',
				'setTimeout',
			],
		});
	}

	afterEach(() => jest.useRealTimers());

	test.each([-HOUR, HOUR])('loses and doubles no message: %i ms', async (ahead) => {
		const begin = Date.now();
		// The service's clock is ahead of ours, or behind.
		const service = await start({ now: new Date(begin + ahead) });
		const read = readerOf(service, {});
		const returned: unknown[] = [];
		for (let time = begin; time <= begin + 3 * HOUR; time += HOUR / 4) {
			setClock(time);
			returned.push(...idsOf((await read()).json));
			if (time > begin + 1.5 * HOUR) continue;
			setClock(time + ahead);
			service.receiveMessage();
		}
		expect(numberOf(returned)).toEqual(numberOf(idsOf(messagesOf(service))));
	});
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

test('a key that is replaced makes no message new', async () => {
	const data = [{ id: 1, timestamp: '2026-01-31T08:00:00Z' }];
	const service = await startAnswering(200, { data, total: 1 });
	const read = readerOf(service, {});
	const next = async (apiKey: string) =>
		idsOf((await read({}, { credential: credentialOf(service, { apiKey }) })).json);
	expect(await next('key-1')).toEqual([1]);
	expect(await next('key-2')).toEqual([]);
});

describe('many messages', () => {
	const COUNT = 21_000;

	// Of marks that are not in the latest runs, only 20,000 are kept.
	test('each is returned once, also when they are read again after other filters', async () => {
		const service = await start({ messages: COUNT });
		const read = readerOf(service, {});
		expect((await read()).json).toHaveLength(COUNT);
		service.receiveMessage();
		expect((await read()).json).toHaveLength(1);
		expect((await read({ filters: { after: '2020-01-01' } })).json).toHaveLength(0);
	});
});

test('"Start Page" does not go together with it, and says so', async () => {
	const service = await start();
	const { error } = await readerOf(service)({ options: { onlyNew: true, page: 2 } });
	expect(error?.message).toContain('"Start Page"');
	expect(service.received()).toEqual([]);
});

describe('by content', () => {
	test('returns to each contact what is new, in one reading', async () => {
		const service = await start({ messages: 0 });
		const phones = ['+15555550141', '+15555550142', '+15555550143'];
		const input = phones.map((phone) => ({ phone }));
		const read = readerOf(service, {});
		const next = async () => {
			await service.reset('log');
			const filters = { after: '2000-01-01', phone: '={{ $json.phone }}' };
			const { outputs, error } = await read({ filters }, { input });
			expect(error).toBeUndefined();
			expect(service.received()).toHaveLength(1);
			return (outputs[0] ?? []).map(({ json, pairedItem }) => [json.id, pairedItem]);
		};
		const receive = (...items: number[]) =>
			items.map((item) => [service.receiveMessage({ phone: phones[item] })?.id, { item }]);

		const first = receive(0, 1, 2);
		expect(await next()).toEqual(first);
		const second = receive(2);
		expect(await next()).toEqual(second);
		expect(await next()).toEqual([]);
	});

	test('returns a message whose status changes after later ones were returned', async () => {
		const service = await start({ messages: 0 });
		const read = readerOf(service, {});
		const parameters = { filters: { after: '2000-01-01', status: 'failed' } };
		const old = receiveLate(service, 48);
		service.receiveMessage();
		service.changeStatus({ status: 'failed' });
		expect((await read(parameters)).json).toHaveLength(1);
		service.changeStatus({ messageId: Number(old), status: 'failed' });
		expect(idsOf((await read(parameters)).json)).toEqual([old]);
	});
});
