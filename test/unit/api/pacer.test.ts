import fc from 'fast-check';
import { Pacers } from '../../../nodes/MessagingService/api/pacer';
import type { Answer } from '../../../nodes/MessagingService/api/request';
import { response } from '../helpers/api';
import { VirtualClock } from '../helpers/virtualClock';

type Pacer = ReturnType<Pacers['of']>;
type Turn = Parameters<Pacer['run']>[0];

const WINDOW = 60_000;
const ACCEPTED = response(202);
/** A 429 that asks for a pause of so many seconds. */
const refusal = (pause: number) => response(429, '', { 'retry-after': String(pause) });

interface Planned {
	at: number;
	duration: number;
	limit: number;
	itemCount?: number;
}

interface Sent extends Planned {
	begin: number;
	end: number;
	/** Its place among those that begin at the same moment. */
	place: number;
}

/** The pacer of a team, and its clock, which begins at 0. */
function pacerAtZero() {
	const clock = new VirtualClock(0);
	const pacer = new Pacers(clock).of('team');
	/** Sends a request that is answered at once; what comes of it. */
	const send = async (answer: Answer, turn: Turn = { limit: 1_000 }): Promise<Answer> =>
		await clock.run(pacer.run(turn, async () => answer));
	return { clock, pacer, send };
}

let begun = 0;

async function sendOne(clock: VirtualClock, pacer: Pacer, request: Planned): Promise<Sent> {
	await clock.wait(request.at);
	let place = -1;
	let begin = -1;
	await pacer.run(request, async () => {
		place = begun++;
		begin = clock.now();
		await clock.wait(request.duration);
		return ACCEPTED;
	});
	return { ...request, begin, place, end: clock.now() };
}

/** Sends the requests through one pacer; in the order in which they began. */
async function sendAll(planned: readonly Planned[]): Promise<Sent[]> {
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
	return sent.slice(0, index + 1).filter(({ end }) => end >= request.begin - WINDOW).length;
}

const plans = (limit: fc.Arbitrary<number>) =>
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
		const limit = fc.constantFrom(1, 3, 10);
		await fc.assert(
			fc.asyncProperty(plans(limit), async (planned) => {
				const sent = await sendAll(planned);
				sent.forEach((request, index) => {
					expect(mostCountedWith(request, index, sent)).toBeLessThanOrEqual(request.limit);
				});
			}),
			{ numRuns: 300 },
		);
	});

	test('nothing waits below the limit', async () => {
		await fc.assert(
			fc.asyncProperty(plans(fc.constant(40)), async (planned) => {
				for (const { begin, at } of await sendAll(planned)) expect(begin).toBe(at);
			}),
			{ numRuns: 100 },
		);
	});

	test('a run of many leaves 5 % of the limit to a single request, which does not wait', async () => {
		const limit = 1_000;
		const request = { duration: 200, limit };
		const bulk = Array.from({ length: 3_000 }, () => ({ ...request, at: 0, itemCount: 3_000 }));
		const singles = Array.from({ length: 40 }, (_, i) => ({ ...request, at: 4_000 * i }));
		const sent = await sendAll([...bulk, ...singles]);
		const inFirst = sent.filter(({ itemCount, begin }) => itemCount && begin < WINDOW);
		expect(inFirst).toHaveLength(950);
		for (const { itemCount, begin, at } of sent) if (!itemCount) expect(begin).toBe(at);
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
				fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
				fc.integer({ min: 1, max: 1_000 }),
				async (waiting, [pause, ...refusals], duration) => {
					const { clock, pacer, send } = pacerAtZero();
					await send(refusal(pause));
					let closed = pause * 1_000;
					let underWay = 0;
					let open = false;
					const answerNext = async () => {
						expect(clock.now()).toBeGreaterThanOrEqual(closed);
						underWay++;
						if (!open) expect(underWay).toBe(1);
						await clock.wait(duration);
						underWay--;
						const next = open ? undefined : refusals.shift();
						if (next === undefined) {
							open = true;
							return ACCEPTED;
						}
						closed = clock.now() + next * 1_000;
						return refusal(next);
					};
					const request = async () => {
						while ((await pacer.run({ limit: 1_000 }, answerNext)) !== ACCEPTED);
					};
					await clock.run(Promise.all(Array.from({ length: waiting }, request)));
					expect(refusals).toEqual([]);
				},
			),
			{ numRuns: 200 },
		);
	});
});

test('what went out before a 429 and is accepted after it does not end the wait for the probe', async () => {
	const { clock, pacer, send } = pacerAtZero();
	const slow = pacer.run({ limit: 1_000 }, async () => {
		await clock.wait(100);
		return ACCEPTED;
	});
	await send(refusal(5));
	await clock.run(slow);
	const moments: number[] = [];
	for (let i = 0; i < 3; i++) {
		void pacer.run({ limit: 1_000 }, async () => {
			moments.push(clock.now());
			return await new Promise<never>(() => {});
		});
	}
	await clock.run(clock.wait(6_000));
	expect(moments).toEqual([5_000]);
});

test('without a word on how long, the pause is at random, up to a bound that doubles with each probe', async () => {
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
	const { clock, send } = pacerAtZero();
	const waits: number[] = [];
	for (const answer of [
		...Array<Answer>(6).fill(response(429)),
		ACCEPTED,
		response(429),
		ACCEPTED,
	]) {
		const before = clock.now();
		await send(answer);
		waits.push(clock.now() - before);
	}
	expect(waits).toEqual([0, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 0, 500]);
	jest.restoreAllMocks();
});

test('a service that accepts something in between is waited for beyond 15 minutes', async () => {
	const { send } = pacerAtZero();
	for (let minute = 0; minute <= 20; minute++) {
		const answer = minute === 10 ? ACCEPTED : refusal(60);
		expect(await send(answer)).toBe(answer);
	}
});

test('a request that fails before it is sent takes no turn from others', async () => {
	const { clock, pacer, send } = pacerAtZero();
	await send(refusal(5));
	const broken = pacer.run({ limit: 3 }, () => Promise.reject(new Error('no body')));
	await expect(clock.run(broken)).rejects.toThrow('no body');
	expect(await send(ACCEPTED, { limit: 3 })).toBe(ACCEPTED);
	expect(clock.now()).toBe(5_000);
});
