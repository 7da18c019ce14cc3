import type { Http, ApiResponse } from '../../../../nodes/MessagingService/api/request';
import { ReplyPoll } from '../../../../nodes/MessagingService/resources/message/replies';
import { clientOf, response } from '../../helpers/api';
import { VirtualClock } from '../../helpers/virtualClock';

const EPOCH = Date.parse('2026-01-31T08:00:00.500Z');
const MINUTE = 60_000;
const INTERVAL = 5_000;
const INBOX = '+15555550199';
const CONTACT = '+15555550101';
const OTHER = '+15555550102';

/** A message, in milliseconds after the beginning of the wait. */
interface Written {
	id: number;
	from: string;
	at: number;
	isUndated?: boolean;
	/** When the list has it; at once unless given. */
	shownAt?: number;
}

interface World {
	messages: Written[];
	/** How far the clock of the service is ahead. */
	skew?: number;
	/** Newest first unless set. */
	isOldestFirst?: boolean;
	/** What goes wrong with a request, by the time. */
	fault?(time: number): ReturnType<Http> | undefined;
}

/** Waits for contacts of a simulated service. */
class Wait {
	readonly clock = new VirtualClock(0);
	/** Pages that were given, as far as they were the first of a reading. */
	readings = 0;
	requests = 0;
	readonly poll: ReplyPoll;
	private readonly world: World;

	constructor(world: World) {
		this.world = world;
		const client = clientOf(
			async ({ url, signal }) => await this.answer(new URL(url), signal),
			this.clock,
			{ transport: { maxRetries: 1 } },
		);
		this.poll = new ReplyPoll({
			client,
			clock: this.clock,
			since: EPOCH,
			signal: new AbortController().signal,
		});
	}

	/** The ID of the contact's reply; undefined when there is none. */
	async run({ after, minutes = 10 }: { after?: number; minutes?: number } = {}): Promise<unknown> {
		const wait = this.poll.waitFor({ numbers: [CONTACT] }, minutes * MINUTE, after);
		return (await this.clock.run(wait))?.id;
	}

	private async answer({ searchParams }: URL, signal?: AbortSignal): ReturnType<Http> {
		const { fault } = this.world;
		await this.clock.wait(50, signal);
		this.requests++;
		const fails = fault?.(this.clock.now());
		if (fails) return await fails;
		if (!searchParams.has('page')) this.readings++;
		return this.page(searchParams);
	}

	private page(query: URLSearchParams): ApiResponse {
		const { skew = 0, isOldestFirst = false, messages } = this.world;
		const now = this.clock.now();
		const given = Date.parse(query.get('startDate') ?? '');
		const after = given - EPOCH - skew;
		const list = messages
			.filter(({ at, shownAt = at }) => shownAt <= now && at > after)
			.sort((a, b) => (isOldestFirst ? a.at - b.at : b.at - a.at));
		const [limit, page] = [Number(query.get('limit')), Number(query.get('page') ?? 1)];
		const data = list
			.slice((page - 1) * limit, page * limit)
			.map(({ id, from, at, isUndated }) => ({
				id,
				inbound: from !== INBOX,
				sender: from,
				members: [from, INBOX],
				timestamp: isUndated ? null : new Date(EPOCH + skew + at).toISOString(),
			}));
		return response(200, JSON.stringify({ data, total: list.length, links: {} }));
	}
}

test('ends as soon as everybody has replied', async () => {
	const wait = new Wait({ messages: [{ id: 7, from: CONTACT, at: 61_000 }] });
	expect(await wait.run()).toBe(7);
	expect(wait.clock.now()).toBeLessThan(61_000 + 2 * INTERVAL);
});

test.each<[string, number | undefined, Parameters<Wait['run']>[0]]>([
	['since the beginning', 2, {}],
	['after a moment that is given', 1, { after: EPOCH - 20 * MINUTE }],
	['after a moment to come', 3, { after: EPOCH + 4 * MINUTE }],
])('the first message counts %s', async (_name, id, more) => {
	const messages = [-10, 3, 5].map((minute, index) => ({
		id: index + 1,
		from: CONTACT,
		at: minute * MINUTE,
	}));
	const wait = new Wait({ messages });
	expect(await wait.run(more)).toBe(id);
});

test('a message that was there before does not count, unless the service dates it later', async () => {
	for (const skew of [-MINUTE, -400, 0]) {
		const wait = new Wait({ skew, messages: [{ id: 1, from: CONTACT, at: -20 }] });
		expect(await wait.run({ minutes: 1 })).toBeUndefined();
	}
});

test('a message that was there before does not count when it comes again with a later date', async () => {
	const messages = [
		{ id: 1, from: CONTACT, at: -10 * MINUTE },
		{ id: 1, from: CONTACT, at: 2 * MINUTE, shownAt: 2 * MINUTE },
	];
	expect(await new Wait({ messages }).run({ minutes: 4 })).toBeUndefined();
});

test('a message that shows up during the wait counts, whenever it is dated', async () => {
	const late = { id: 1, from: CONTACT, at: -20 * MINUTE, shownAt: 2 * MINUTE };
	expect(await new Wait({ messages: [late] }).run()).toBe(1);
});

test('a reply counts that comes right after the first reading', async () => {
	for (const skew of [-MINUTE, -400, 0, 400, MINUTE]) {
		const wait = new Wait({ skew, messages: [{ id: 1, from: CONTACT, at: 200 }] });
		expect(await wait.run()).toBe(1);
	}
});

test('only the last hour is read where the newest come first, although the service is asked for a day more', async () => {
	const messages = Array.from({ length: 2_000 }, (_, id) => ({
		id,
		from: OTHER,
		at: -id * MINUTE,
	}));
	const wait = new Wait({ messages });
	expect(await wait.run({ minutes: 1 })).toBeUndefined();
	expect(wait.requests / wait.readings).toBeLessThanOrEqual(4);
});

test('a reply is found behind pages of older messages where the oldest come first, also if the first has no date', async () => {
	const older = Array.from({ length: 120 }, (_, id) => ({
		id,
		from: OTHER,
		at: (id - 1_000) * MINUTE,
		isUndated: id === 0,
	}));
	const messages = [...older, { id: 777, from: CONTACT, at: MINUTE }];
	expect(await new Wait({ messages, isOldestFirst: true }).run()).toBe(777);
});

test('a reply counts although its ID is too large to differ from that of an earlier message', async () => {
	const messages = [-10 * MINUTE, MINUTE].map((at) => ({ id: 2 ** 53, from: CONTACT, at }));
	const wait = new Wait({ messages });
	expect(await wait.run()).toBe(2 ** 53);
	expect(wait.clock.now()).toBeGreaterThan(MINUTE);
});

test('an outage of a minute ends nothing, also at the end of the time', async () => {
	const messages = [{ id: 1, from: CONTACT, at: 9.5 * MINUTE }];
	const isOut = (time: number) => time > 9 * MINUTE && time < 10.5 * MINUTE;
	const fault = (time: number) => (isOut(time) ? Promise.resolve(response(503)) : undefined);
	const wait = new Wait({ messages, fault });
	expect(await wait.run()).toBe(1);
});

test.each([
	['an outage that lasts', response(503), 2, 5],
	['a wrong key', response(401), 0, 1],
	['what is not a list', response(200, '{}'), 0, 1],
])('%s is an error', async (_name, answer, atLeast, atMost) => {
	const wait = new Wait({ messages: [], fault: async () => answer });
	await expect(wait.run()).rejects.toMatchObject({ name: 'RequestFailure' });
	expect(wait.clock.now() / MINUTE).toBeGreaterThanOrEqual(atLeast);
	expect(wait.clock.now() / MINUTE).toBeLessThan(atMost);
});

test('a wait ends soon although the service asks for a pause of a quarter of an hour', async () => {
	const wait = new Wait({
		messages: [],
		fault: (time) =>
			time > 20_000 ? Promise.resolve(response(429, '', { 'retry-after': '900' })) : undefined,
	});
	await expect(wait.run({ minutes: 1 })).rejects.toThrow(/429|heldBack/);
	expect(wait.clock.now()).toBeLessThan(5 * MINUTE);
});
