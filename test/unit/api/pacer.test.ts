import fc from 'fast-check';
import { Pacer, pacerOf, reserveOf, type Slot } from '../../../nodes/MessagingService/api/pacer';
import { VirtualClock } from '../helpers/virtualClock';

const WINDOW = 60_000;

interface Planned {
	at: number;
	duration: number;
	limit?: number;
}

interface Sent extends Planned {
	begin: number;
	end: number;
}

/** Sends the requests through one pacer; in the order in which they began. */
async function send(planned: readonly Planned[]): Promise<Sent[]> {
	const clock = new VirtualClock();
	const start = clock.now();
	const pacer = new Pacer(clock);
	const sent: Sent[] = [];
	const work = planned.map(async (request) => {
		await clock.wait(request.at);
		const slot = await pacer.acquire({ limit: request.limit });
		const record = { ...request, begin: clock.now() - start, end: Infinity };
		sent.push(record);
		await clock.wait(request.duration);
		record.end = clock.now() - start;
		slot.done();
	});
	await clock.run(Promise.all(work));
	return sent;
}

/**
 * The most requests that a window of 60 seconds may have seen when the request was counted: the service
 * counts each at some moment between its begin and its end, and which one nobody here knows.
 */
function mostCountedWith(request: Sent, index: number, sent: readonly Sent[]): number {
	return sent
		.slice(0, index + 1)
		.filter(({ end, limit }) => limit !== undefined && end >= request.begin - WINDOW).length;
}

const plans = (limit: fc.Arbitrary<number | undefined>) =>
	fc.array(
		fc.record({
			at: fc.oneof(fc.constant(0), fc.nat({ max: 500 }), fc.nat({ max: 200_000 })),
			duration: fc.oneof(fc.constant(0), fc.nat({ max: 300 }), fc.nat({ max: 20_000 })),
			limit,
		}),
		{ maxLength: 40 },
	);

describe('the pace', () => {
	test('no window of 60 seconds can see more than its limit, of whichever execution of the team', async () => {
		const limit = fc.constantFrom(1, 3, 10, undefined);
		const cases = fc.oneof(
			plans(limit),
			limit.chain((same) => plans(fc.constant(same))),
		);
		await fc.assert(
			fc.asyncProperty(cases, async (planned) => {
				const sent = await send(planned);
				expect(sent).toHaveLength(planned.length);
				sent.forEach((request, index) => {
					expect(request.begin).toBeGreaterThanOrEqual(request.at);
					if (request.limit === undefined) expect(request.begin).toBe(request.at);
					else expect(mostCountedWith(request, index, sent)).toBeLessThanOrEqual(request.limit);
				});
			}),
			{ numRuns: 300 },
		);
	});

	test('nothing waits below the limit', async () => {
		await fc.assert(
			fc.asyncProperty(plans(fc.constant(40)), async (planned) => {
				for (const { begin, at } of await send(planned)) expect(begin).toBe(at);
			}),
			{
				numRuns: 300,
				examples: [[new Array<Planned>(40).fill({ at: 0, duration: 0, limit: 40 })]],
			},
		);
	});

	test('what waits is sent at the first moment at which it may be', async () => {
		const sent = await send([
			{ at: 7, duration: 0, limit: 1 },
			{ at: 20, duration: 0, limit: 1 },
		]);
		expect(sent.map(({ begin }) => begin)).toEqual([7, 60_107]);
	});

	test('short requests take hardly longer than the limit demands', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 20 }),
				fc.integer({ min: 1, max: 100 }),
				async (limit, count) => {
					const planned = Array.from({ length: count }, () => ({ at: 0, duration: 0, limit }));
					const end = Math.max(...(await send(planned)).map((request) => request.end));
					const least = (Math.ceil(count / limit) - 1) * WINDOW;
					expect(end).toBeGreaterThanOrEqual(least);
					expect(end).toBeLessThanOrEqual(least * 1.01);
				},
			),
			{ numRuns: 100 },
		);
	});
});

describe('beside a run of 5,000', () => {
	/** Sends a run of many 64 at a time, and a single request at each of these moments. */
	async function sendBeside(singles: readonly number[], count = 5_000, limit = 1_000) {
		const clock = new VirtualClock(0);
		const pacer = new Pacer(clock);
		const sent: Sent[] = [];
		const send = async (at: number, isBulk: boolean) => {
			const slot = await pacer.acquire({ limit, isBulk });
			const record = { at, duration: 200, limit, begin: clock.now(), end: Infinity };
			sent.push(record);
			await clock.wait(200);
			record.end = clock.now();
			slot.done();
			return record;
		};
		let left = count;
		const lane = async () => {
			while (left > 0) await send(0, left-- > reserveOf(limit));
		};
		const lanes = Promise.all(Array.from({ length: 64 }, lane));
		const leads = singles.map(async (at) => {
			await clock.wait(at);
			return await send(at, false);
		});
		const texted = await clock.run(Promise.all(leads));
		await clock.run(lanes);
		return { sent, waits: texted.map(({ at, begin }) => begin - at) };
	}

	test('a single request is sent at once, and the limit holds', async () => {
		const moments = fc.uniqueArray(fc.integer({ min: 1, max: 280_000 }), { maxLength: 40 });
		await fc.assert(
			fc.asyncProperty(moments, async (singles) => {
				const { sent, waits } = await sendBeside(singles);
				expect(Math.max(0, ...waits)).toBeLessThan(5_000);
				expect(sent).toHaveLength(5_000 + singles.length);
				for (let i = 0; i < sent.length; i += 97) {
					expect(mostCountedWith(sent[i], i, sent)).toBeLessThanOrEqual(1_000);
				}
			}),
			{ numRuns: 5 },
		);
	});

	test('19 of 20 places are left to it, and all of them to its last ones', async () => {
		const { sent } = await sendBeside([]);
		const inFirst = sent.filter(({ begin }) => begin < WINDOW);
		expect(inFirst).toHaveLength(950);
		const whole = await sendBeside([], 1_000);
		expect(Math.max(...whole.sent.map(({ end }) => end))).toBeLessThan(WINDOW);
	});
});

test('a request that would have to wait beyond its deadline is refused at once', async () => {
	const clock = new VirtualClock(0);
	const pacer = new Pacer(clock);
	(await pacer.acquire({})).done({ rateLimitedFor: 900_000 });
	expect(await pacer.acquire({ deadline: 10_000 })).toMatchObject({ isGranted: false });
	expect(clock.now()).toBe(0);
});

describe('after a 429', () => {
	test('all wait as long as asked for, then one tries, then the rest follows', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 10 }),
				fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 4 }),
				fc.integer({ min: 1, max: 1_000 }),
				async (waiting, pauses, duration) => {
					const clock = new VirtualClock();
					const pacer = new Pacer(clock);
					const refusals = [...pauses];
					const first = await pacer.acquire({ limit: 1_000 });
					first.done({ rateLimitedFor: refusals.shift() });
					let closed = clock.now() + (pauses[0] ?? 0);
					let underWay = 0;
					let open = false;
					const request = async (limit?: number) => {
						for (;;) {
							const slot = await pacer.acquire({ limit });
							expect(clock.now()).toBeGreaterThanOrEqual(closed);
							underWay++;
							if (!open) expect(underWay).toBe(1);
							await clock.wait(duration);
							underWay--;
							const refusal = open ? undefined : refusals.shift();
							if (refusal === undefined) open = true;
							else closed = clock.now() + refusal;
							slot.done({ rateLimitedFor: refusal });
							if (refusal === undefined) return;
						}
					};
					const limits = Array.from({ length: waiting }, (_, i) => (i % 2 ? 1_000 : undefined));
					await clock.run(Promise.all(limits.map(request)));
					expect(refusals).toEqual([]);
				},
			),
			{ numRuns: 300 },
		);
	});

	test('a success that began before the refusal does not open the gate', async () => {
		const clock = new VirtualClock(0);
		const pacer = new Pacer(clock);
		const [early, refused] = await acquireSeveral(pacer, 2);
		refused.done({ rateLimitedFor: 5_000 });
		early.done();
		expect(await begunAt(clock, pacer, 3)).toEqual([5_000]);
	});

	test('one that ends while another tries does not open the gate; a success of that one does', async () => {
		const clock = new VirtualClock(0);
		const pacer = new Pacer(clock);
		const [early, refused] = await acquireSeveral(pacer, 2);
		refused.done({ rateLimitedFor: 5_000 });
		const trying = await clock.run(pacer.acquire({ limit: 1_000 }));
		early.done();
		expect(await begunAt(clock, pacer, 2)).toEqual([]);
		trying.done();
		expect(await begunAt(clock, pacer, 3)).toEqual([11_000, 11_000, 11_000]);
	});

	test('a shorter wait does not shorten a longer one', async () => {
		const clock = new VirtualClock(1_000);
		const pacer = new Pacer(clock);
		const [first, second] = await acquireSeveral(pacer, 2);
		first.done({ rateLimitedFor: 9_000 });
		second.done({ rateLimitedFor: 1_000 });
		await clock.run(pacer.acquire({ limit: 1_000 }));
		expect(clock.now()).toBe(10_000);
	});
});

describe('a cancelled execution', () => {
	test('stops waiting for its turn at once', async () => {
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 1, max: 60_000 }), fc.boolean(), async (at, paused) => {
				const clock = new VirtualClock(0);
				const pacer = new Pacer(clock);
				const slot = await pacer.acquire({ limit: 1 });
				slot.done({ rateLimitedFor: paused ? 120_000 : undefined });
				const controller = new AbortController();
				const waiting = pacer.acquire({ limit: 1, signal: controller.signal });
				const abort = clock.wait(at).then(() => controller.abort());
				await clock.run(Promise.all([waiting, abort]));
				expect(clock.now()).toBe(at);
			}),
			{ numRuns: 200 },
		);
	});

	test('does not wait at all when it was cancelled before', async () => {
		const clock = new VirtualClock(0);
		const pacer = new Pacer(clock);
		(await pacer.acquire({ limit: 1 })).done();
		await clock.run(pacer.acquire({ limit: 1, signal: AbortSignal.abort() }));
		expect(clock.now()).toBe(0);
	});

	test('does not let the others of its team off the single try after a 429', async () => {
		const clock = new VirtualClock(0);
		const pacer = new Pacer(clock);
		(await pacer.acquire({ limit: 1_000 })).done({ rateLimitedFor: 5_000 });
		(await pacer.acquire({ limit: 1_000, signal: AbortSignal.abort() })).done();
		expect(await begunAt(clock, pacer, 3)).toEqual([5_000]);
	});

	test('leaves the single try after a 429 to the next one when it was the one to try', async () => {
		const clock = new VirtualClock(0);
		const pacer = new Pacer(clock);
		(await pacer.acquire({ limit: 1_000 })).done({ rateLimitedFor: 5_000 });
		const trying = await clock.run(pacer.acquire({ limit: 1_000 }));
		trying.done({ isCancelled: true });
		expect(await begunAt(clock, pacer, 3)).toEqual([5_000]);
	});

	test('leaves its place to others', async () => {
		const clock = new VirtualClock(0);
		const pacer = new Pacer(clock);
		(await pacer.acquire({ limit: 1, signal: AbortSignal.abort() })).done();
		expect(pacer.isIdle).toBe(true);
		await clock.run(pacer.acquire({ limit: 1 }));
		expect(clock.now()).toBe(0);
	});
});

describe('isIdle', () => {
	test('is true again a window after the last request', async () => {
		const clock = new VirtualClock(0);
		const pacer = new Pacer(clock);
		expect(pacer.isIdle).toBe(true);
		const slot = await pacer.acquire({ limit: 5 });
		expect(pacer.isIdle).toBe(false);
		slot.done();
		await clock.run(clock.wait(WINDOW));
		expect(pacer.isIdle).toBe(false);
		await clock.run(clock.wait(1_000));
		expect(pacer.isIdle).toBe(true);
	});

	test('is false while a 429 is waited out', async () => {
		const clock = new VirtualClock(0);
		const pacer = new Pacer(clock);
		(await pacer.acquire({})).done({ rateLimitedFor: 90_000 });
		expect(pacer.isIdle).toBe(false);
		await clock.run(clock.wait(90_000));
		expect(pacer.isIdle).toBe(true);
	});
});

test('a team keeps its pacer while someone waits for it or uses it', async () => {
	const clock = new VirtualClock();
	const held = pacerOf('team-1', clock);
	const slot = await held.acquire({});
	expect(pacerOf('team-2', clock)).not.toBe(held);
	expect(pacerOf('team-1', clock)).toBe(held);
	slot.done();
	pacerOf('team-3', clock);
	expect(pacerOf('team-1', clock)).not.toBe(held);
});

async function acquireSeveral(pacer: Pacer, count: number): Promise<Slot[]> {
	return await Promise.all(Array.from({ length: count }, () => pacer.acquire({ limit: 1_000 })));
}

/** When so many requests that never end begin, of those that begin within 6 seconds. */
async function begunAt(clock: VirtualClock, pacer: Pacer, count: number): Promise<number[]> {
	const moments: number[] = [];
	for (let i = 0; i < count; i++) {
		void pacer.acquire({ limit: 1_000 }).then(() => moments.push(clock.now()));
	}
	await clock.run(clock.wait(6_000));
	return moments;
}
