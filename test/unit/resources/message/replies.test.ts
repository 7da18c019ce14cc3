import type { Http, Response } from '../../../../nodes/MessagingService/api/request';
import {
	type Awaited,
	Replies,
} from '../../../../nodes/MessagingService/resources/message/replies';
import { clientOf, response } from '../../helpers/api';
import { VirtualClock } from '../../helpers/virtualClock';

const EPOCH = Date.parse('2026-01-31T08:00:00.500Z');
const MINUTE = 60_000;
const INTERVAL = 5_000;
const INBOX = '+15555550199';

/** A message, in milliseconds after the beginning of the wait. */
interface Written {
	id: number;
	from: string;
	at: number;
	/** When the list has it; at once unless given. */
	shownAt?: number;
}

interface World {
	messages: Written[];
	/** How far the clock of the service is ahead. */
	skew?: number;
	/** Messages of others come in so often; never unless given. */
	noiseEvery?: number;
	/** What goes wrong with a request, by its number and the time. */
	fault?(request: number, time: number): ReturnType<Http> | undefined;
}

/** Waits for contacts of a simulated service. */
class Wait {
	readonly clock = new VirtualClock(0);
	/** Pages that were given, as far as they were the first of a reading. */
	readings = 0;
	requests = 0;
	readonly replies: Replies;
	private readonly world: World;
	private readonly stop = new AbortController();

	constructor(world: World) {
		this.world = world;
		const client = clientOf(
			async ({ url, signal }) => await this.answer(new URL(url), signal),
			this.clock,
			{
				transport: { maxRetries: 1 },
				signal: this.stop.signal,
			},
		);
		this.replies = new Replies({
			client,
			clock: this.clock,
			since: EPOCH,
			begun: this.clock.wait(0),
			signal: this.stop.signal,
		});
	}

	/** The ID of a contact's reply; undefined when there is none. */
	async for(phone: string, more: Pick<Awaited, 'after'> = {}, minutes = 10) {
		const contact = { numbers: [phone] };
		const reply = await this.replies.of({ contact, duration: minutes * MINUTE, ...more });
		return reply?.id;
	}

	/** The ID of the first reply of one contact. */
	async next(): Promise<unknown> {
		return await this.run(this.for(phoneOf(1)));
	}

	async run<Result>(work: Promise<Result>): Promise<Result> {
		return await this.clock.run(work);
	}

	cancelAt(time: number): void {
		void this.clock.wait(time).then(() => this.stop.abort());
	}

	private async answer({ searchParams }: URL, signal?: AbortSignal): ReturnType<Http> {
		const { fault } = this.world;
		await this.clock.wait(50, signal);
		const fails = fault?.(this.requests++, this.clock.now());
		if (fails) return await fails;
		if (!searchParams.has('page')) this.readings++;
		return this.page(searchParams);
	}

	private page(query: URLSearchParams): Response {
		const { skew = 0 } = this.world;
		const given = Date.parse(query.get('startDate') ?? '');
		const after = given - EPOCH - skew;
		const list = this.listed()
			.filter(({ at }) => at > after)
			.sort((a, b) => b.at - a.at);
		const [limit, page] = [Number(query.get('limit')), Number(query.get('page') ?? 1)];
		const data = list.slice((page - 1) * limit, page * limit).map(({ id, from, at }) => ({
			id,
			inbound: from !== INBOX,
			sender: from,
			members: [from, INBOX],
			timestamp: new Date(EPOCH + skew + at).toISOString(),
		}));
		return response(200, JSON.stringify({ data, total: list.length, links: {} }));
	}

	private listed(): Written[] {
		const { messages, noiseEvery = Infinity } = this.world;
		const now = this.clock.now();
		const noise = Array.from({ length: Math.floor(now / noiseEvery) }, (_, index) => ({
			id: 1_000_000 + index,
			from: INBOX,
			at: index * noiseEvery,
		}));
		return [...messages.filter(({ at, shownAt = at }) => shownAt <= now), ...noise];
	}
}

/** 555-01xx is reserved for fiction in every area. */
const phoneOf = (contact: number) =>
	`+1${201 + Math.floor(contact / 100)}55501${String(contact % 100).padStart(2, '0')}`;

test('ends as soon as everybody has replied', async () => {
	const wait = new Wait({ messages: [{ id: 7, from: phoneOf(1), at: 61_000 }] });
	expect(await wait.run(wait.for(phoneOf(1)))).toBe(7);
	expect(wait.clock.now()).toBeLessThan(61_000 + 2 * INTERVAL);
});

test.each<[string, number | undefined, Parameters<Wait['for']>[1]]>([
	['since the beginning', 2, {}],
	['after a moment that is given', 1, { after: EPOCH - 20 * MINUTE }],
	['after a moment to come', 3, { after: EPOCH + 4 * MINUTE }],
])('the first message counts %s', async (_name, id, more) => {
	const messages = [-10, 3, 5].map((minute, index) => ({
		id: index + 1,
		from: phoneOf(1),
		at: minute * MINUTE,
	}));
	const wait = new Wait({ messages });
	expect(await wait.run(wait.for(phoneOf(1), more))).toBe(id);
});

test('a message that was there before does not count, unless the service dates it later', async () => {
	for (const skew of [-MINUTE, -400, 0]) {
		const wait = new Wait({ skew, messages: [{ id: 1, from: phoneOf(1), at: -20 }] });
		expect(await wait.run(wait.for(phoneOf(1), {}, 1))).toBeUndefined();
	}
});

test('a message that shows up during the wait counts, whenever it is dated', async () => {
	const late = { id: 1, from: phoneOf(1), at: -20 * MINUTE, shownAt: 2 * MINUTE };
	expect(await new Wait({ messages: [late] }).next()).toBe(1);
});

test('a reply counts that comes right after the first reading', async () => {
	for (const skew of [-MINUTE, -400, 0, 400, MINUTE]) {
		const wait = new Wait({ skew, messages: [{ id: 1, from: phoneOf(1), at: 200 }] });
		expect(await wait.next()).toBe(1);
	}
});

test('only the last hour is read where the newest come first, although the service is asked for a day more', async () => {
	const messages = Array.from({ length: 2_000 }, (_, id) => ({
		id,
		from: phoneOf(2),
		at: -id * MINUTE,
	}));
	const wait = new Wait({ messages });
	expect(await wait.run(wait.for(phoneOf(1), {}, 1))).toBeUndefined();
	expect(wait.requests / wait.readings).toBeLessThanOrEqual(3);
});

test('a reply counts among many messages of others, of which only the latest are read again', async () => {
	const wait = new Wait({
		messages: [{ id: 1, from: phoneOf(1), at: 9 * MINUTE }],
		noiseEvery: 1_000,
	});
	expect(await wait.run(wait.for(phoneOf(1)))).toBe(1);
	// Five minutes of them.
	expect(wait.requests / wait.readings).toBeLessThanOrEqual(300 / 50 + 2);
});

test('an outage of a minute ends nothing, also at the end of the time', async () => {
	const messages = [{ id: 1, from: phoneOf(1), at: 9.5 * MINUTE }];
	const fault = async () => response(503);
	const wait = new Wait({
		messages,
		fault: (_request, time) => (time > 9 * MINUTE && time < 10.5 * MINUTE ? fault() : undefined),
	});
	expect(await wait.run(wait.for(phoneOf(1)))).toBe(1);
});

test.each([
	['an outage that lasts', response(503), 2, 5],
	['a wrong key', response(401), 0, 1],
	['what is not a list', response(200, '{}'), 0, 1],
])('%s is an error', async (_name, answer, atLeast, atMost) => {
	const wait = new Wait({ messages: [], fault: async () => answer });
	await expect(wait.run(wait.for(phoneOf(1)))).rejects.toMatchObject({ name: 'RequestFailure' });
	expect(wait.clock.now() / MINUTE).toBeGreaterThanOrEqual(atLeast);
	expect(wait.clock.now() / MINUTE).toBeLessThan(atMost);
});

test('a wait ends soon although the service asks for a pause of a quarter of an hour', async () => {
	const wait = new Wait({
		messages: [],
		fault: (_request, time) =>
			time > 20_000 ? Promise.resolve(response(429, '', { 'retry-after': '900' })) : undefined,
	});
	await expect(wait.run(wait.for(phoneOf(1), {}, 1))).rejects.toThrow(/429|heldBack/);
	expect(wait.clock.now()).toBeLessThan(5 * MINUTE);
});

test('a wait that is cancelled ends at once', async () => {
	const wait = new Wait({ messages: [] });
	wait.cancelAt(MINUTE);
	await expect(wait.run(wait.for(phoneOf(1)))).rejects.toMatchObject({
		answer: { reason: 'notStarted' },
	});
	expect(wait.clock.now()).toBeLessThan(MINUTE + 1_000);
});
