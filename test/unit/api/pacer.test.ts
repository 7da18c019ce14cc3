import fc from 'fast-check';
import { Pacer, pacerOf, type Release, type Turn } from '../../../nodes/MessagingService/api/pacer';
import { failure } from '../../../nodes/MessagingService/api/request';
import { response } from '../helpers/api';
import { VirtualClock } from '../helpers/virtualClock';

const WINDOW = 60_000;
const ACCEPTED = response(202);
const REFUSED = response(429);

interface Planned {
	at: number;
	duration: number;
	limit?: number;
	items?: number;
}

interface Sent extends Planned {
	begin: number;
	end: number;
	/** Its place among those that begin at the same moment. */
	place: number;
}

/** A pacer and its clock, which begins at 0. */
function pacerAtZero() {
	const clock = new VirtualClock(0);
	const pacer = new Pacer(clock);
	/** The slot of a request, which has to be granted. */
	const begin = async (request: Turn = { limit: 1_000 }): Promise<Release> => {
		const slot = await clock.run(pacer.acquire(request));
		if (!slot) throw new Error('It is not granted');
		return slot;
	};
	return { clock, pacer, begin };
}

/** One that was answered 429 once, and has to wait so long. */
async function refusedPacer(pause: number) {
	const parts = pacerAtZero();
	(await parts.begin())(REFUSED, pause);
	return parts;
}

let begun = 0;

async function sendOne(clock: VirtualClock, pacer: Pacer, request: Planned): Promise<Sent> {
	await clock.wait(request.at);
	const slot = await pacer.acquire(request);
	const place = begun++;
	const begin = clock.now();
	await clock.wait(request.duration);
	slot?.(ACCEPTED);
	return { ...request, begin, place, end: clock.now() };
}

/** Sends the requests through one pacer; in the order in which they began. */
async function send(planned: readonly Planned[]): Promise<Sent[]> {
	const { clock, pacer } = pacerAtZero();
	const sent = await clock.run(
		Promise.all(planned.map(async (request) => await sendOne(clock, pacer, request))),
	);
	return sent.sort((a, b) => a.place - b.place);
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

/** When so many requests that never end begin, of those that begin within 6 seconds. */
async function begunAt(clock: VirtualClock, pacer: Pacer, count: number): Promise<number[]> {
	const moments: number[] = [];
	for (let i = 0; i < count; i++) {
		void pacer.acquire({ limit: 1_000 }).then(() => moments.push(clock.now()));
	}
	await clock.run(clock.wait(6_000));
	return moments;
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
	test('no window of 60 seconds sees more than the limit', async () => {
		const limit = fc.constantFrom(1, 3, 10, undefined);
		await fc.assert(
			fc.asyncProperty(plans(limit), async (planned) => {
				const sent = await send(planned);
				sent.forEach((request, index) => {
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
			{ numRuns: 100 },
		);
	});

	test('a run of many leaves 5 % of the limit to a single request, which does not wait', async () => {
		const limit = 1_000;
		const request = { duration: 200, limit };
		const bulk = Array.from({ length: 3_000 }, () => ({ ...request, at: 0, items: 3_000 }));
		const singles = Array.from({ length: 40 }, (_, i) => ({ ...request, at: 4_000 * i }));
		const sent = await send([...bulk, ...singles]);
		const inFirst = sent.filter(({ items, begin }) => items && begin < WINDOW);
		expect(inFirst).toHaveLength(950);
		for (const { items, begin, at } of sent) if (!items) expect(begin).toBe(at);
		for (let i = 0; i < sent.length; i += 97) {
			expect(mostCountedWith(sent[i], i, sent)).toBeLessThanOrEqual(limit);
		}
	});
});

describe('after a 429', () => {
	test('all wait as long as asked for, then one tries, then the rest follows', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 10 }),
				fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 4 }),
				fc.integer({ min: 1, max: 1_000 }),
				async (waiting, [pause, ...refusals], duration) => {
					const { clock, pacer } = await refusedPacer(pause);
					let closed = pause;
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
							slot?.(refusal === undefined ? ACCEPTED : REFUSED, refusal);
							if (refusal === undefined) return;
						}
					};
					const limits = Array.from({ length: waiting }, (_, i) => (i % 2 ? 1_000 : undefined));
					await clock.run(Promise.all(limits.map(request)));
					expect(refusals).toEqual([]);
				},
			),
			{ numRuns: 200 },
		);
	});

	test('the next one tries when the one that tried was cancelled', async () => {
		const { clock, pacer, begin } = await refusedPacer(5_000);
		(await begin())(failure('cancelled'));
		expect(await begunAt(clock, pacer, 3)).toEqual([5_000]);
	});
});

test('a service that accepts something in between is waited for beyond 15 minutes', async () => {
	const { begin, pacer } = pacerAtZero();
	for (let minute = 0; minute <= 20; minute++) {
		(await begin())(minute === 10 ? ACCEPTED : REFUSED, 60_000);
	}
	expect(pacer.isStalled).toBe(false);
});

test.each([ACCEPTED, REFUSED])(
	'a cancelled execution stops waiting for its turn at once, and takes none: $status',
	async (answer) => {
		const { clock, pacer, begin } = pacerAtZero();
		(await begin({ limit: 1 }))(answer, 120_000);
		const controller = new AbortController();
		const waiting = pacer.acquire({ limit: 1, signal: controller.signal });
		void clock.wait(300).then(() => controller.abort());
		expect(await clock.run(waiting)).toBeUndefined();
		expect(clock.now()).toBe(300);
	},
);

test('a team keeps its pacer while someone waits for it or uses it', async () => {
	const clock = new VirtualClock();
	const held = pacerOf('team-1', clock);
	const slot = await held.acquire({});
	expect(pacerOf('team-2', clock)).not.toBe(held);
	expect(pacerOf('team-1', clock)).toBe(held);
	slot?.(ACCEPTED);
	pacerOf('team-3', clock);
	expect(pacerOf('team-1', clock)).not.toBe(held);
});
