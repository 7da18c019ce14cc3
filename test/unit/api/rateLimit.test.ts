/** How a 429 is waited out, for webhook calls and for lists alike. */
import fc from 'fast-check';
import { CallQueue } from '../../../nodes/MessagingService/api/callQueue';
import { Backoff } from '../../../nodes/MessagingService/api/pacer';
import { type Answer, noResponse } from '../../../nodes/MessagingService/api/request';
import { response } from '../helpers/api';
import { VirtualClock } from '../helpers/virtualClock';

const SECOND = 1_000;
const ACCEPTED = response(202);
/** A 429 that asks for a pause of so many seconds, if any. */
const refusal = (pause?: number) =>
	response(429, '', pause === undefined ? {} : { 'retry-after': String(pause) });

/** Makes calls of a run as soon as they may begin. */
function callerOf(clock: VirtualClock) {
	const queue = new CallQueue(clock);
	return async (send: () => Promise<Answer>) =>
		await queue.call({ pace: queue.backoff, repeat: 'idempotent', send });
}

/** Answers calls one after the other; the moments at which they began. */
async function momentsOf(answers: readonly Answer[]): Promise<number[]> {
	const clock = new VirtualClock(0);
	const call = callerOf(clock);
	const moments: number[] = [];
	for (const answer of answers) {
		const sent = call(async () => {
			moments.push(clock.now());
			return answer;
		});
		await clock.run(sent);
	}
	return moments;
}

const noJitter = () => jest.spyOn(Math, 'random').mockReturnValue(0);
afterEach(() => jest.restoreAllMocks());

test('all wait as long as asked for, then one tries, then the rest follows', async () => {
	let probes = 0;
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 10 }),
			fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
			fc.integer({ min: 1, max: 1_000 }),
			async (waiting, [pause, ...refusals], duration) => {
				const clock = new VirtualClock(0);
				const call = callerOf(clock);
				await clock.run(call(async () => refusal(pause)));
				let closed = pause * SECOND;
				let underWay = 0;
				let isOpen = false;
				const answerNext = async () => {
					expect(clock.now()).toBeGreaterThanOrEqual(closed);
					underWay++;
					if (!isOpen) {
						expect(underWay).toBe(1);
						probes++;
					}
					await clock.wait(duration);
					underWay--;
					const next = isOpen ? undefined : refusals.shift();
					if (next === undefined) {
						isOpen = true;
						return ACCEPTED;
					}
					closed = clock.now() + next * SECOND;
					return refusal(next);
				};
				const request = async () => {
					while ((await call(answerNext)) !== ACCEPTED);
				};
				await clock.run(Promise.all(Array.from({ length: waiting }, request)));
				expect(refusals).toEqual([]);
			},
		),
		{ numRuns: 200 },
	);
	expect(probes).toBeGreaterThanOrEqual(200);
});

test.each([
	['0', 'no pause'],
	['0.05', 'a short pause'],
	['Wed, 21 Oct 2015 07:28:00 GMT', 'a moment that is past'],
	['soon', 'what nobody understands'],
])('where it asks for %s, %s, the pause is a second at least and grows', async (hint) => {
	noJitter();
	const again = response(429, '', { 'retry-after': hint });
	const moments = await momentsOf([...Array<Answer>(7).fill(again), ACCEPTED]);
	const pauses = moments.slice(1).map((moment, index) => (moment - moments[index]) / SECOND);
	expect(pauses).toEqual([1, 2, 4, 8, 10, 10, 10]);
});

test('a pause that helped begins anew', async () => {
	noJitter();
	const moments = await momentsOf([refusal(), refusal(), ACCEPTED, refusal(), ACCEPTED]);
	expect(moments).toEqual([0, 1, 3, 3, 4].map((second) => second * SECOND));
});

test('what went out before a 429 and is accepted after it does not end the wait for the probe', async () => {
	noJitter();
	const clock = new VirtualClock(0);
	const limit = new Backoff(clock);
	const endSlow = limit.begin();
	limit.begin()(refusal(5));
	endSlow(ACCEPTED);
	expect(limit.delay).toBe(5 * SECOND);
	await clock.run(clock.wait(5 * SECOND));
	limit.begin();
	// Only one tries at a time.
	expect(limit.delay).toBeGreaterThan(0);
});

test.each([noResponse('unreachable'), noResponse('timeout')])(
	'a probe that got no answer ends the pause for nobody: %j',
	async (answer) => {
		noJitter();
		const clock = new VirtualClock(0);
		const limit = new Backoff(clock);
		limit.begin()(refusal(5));
		await clock.run(clock.wait(5 * SECOND));
		limit.begin()(answer);
		const probe = limit.begin();
		// Still, only one tries at a time.
		expect(limit.delay).toBeGreaterThan(0);
		probe(ACCEPTED);
		expect(limit.delay).toBe(0);
	},
);

test('a service that accepts something in between is waited for beyond fifteen minutes', async () => {
	const answers = Array.from({ length: 21 }, (_, minute) =>
		minute === 10 ? ACCEPTED : refusal(60),
	);
	expect(await momentsOf(answers)).toHaveLength(21);
});
