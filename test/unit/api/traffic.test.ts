import fc from 'fast-check';
import { Traffic } from '../../../nodes/MessagingService/api/traffic';
import { VirtualClock } from '../helpers/virtualClock';

interface Wait {
	begin: number;
	length: number;
	fails: boolean;
}

/** Lets requests wait for their turn, each in its time. */
async function waitOut(traffic: Traffic, clock: VirtualClock, waits: Wait[]): Promise<void> {
	await Promise.allSettled(
		waits.map(async ({ begin, length, fails }) => {
			await clock.wait(begin);
			await traffic.while(
				clock.wait(length).then(() => {
					if (fails) throw new Error('cancelled');
				}),
			);
		}),
	);
}

/** In how many milliseconds at least one of them waits. */
function unionOf(waits: Wait[]): number {
	let union = 0;
	let reached = 0;
	for (const { begin, length } of waits.toSorted((a, b) => a.begin - b.begin)) {
		const from = Math.max(begin, reached);
		reached = Math.max(reached, begin + length);
		union += Math.max(reached - from, 0);
	}
	return union;
}

test('nothing has waited, and nothing was sent, before anything happens', () => {
	const { sent, accepted, rateLimited, isWaiting, waited } = new Traffic(new VirtualClock());
	expect({ sent, accepted, rateLimited, isWaiting, waited }).toEqual({
		sent: 0,
		accepted: 0,
		rateLimited: 0,
		isWaiting: false,
		waited: 0,
	});
});

test('counts the time in which anything waits, however many wait at once', async () => {
	const wait = fc.record({
		begin: fc.nat({ max: 100 }),
		length: fc.nat({ max: 60 }),
		fails: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(wait, { maxLength: 12 }), async (waits) => {
			const clock = new VirtualClock();
			const traffic = new Traffic(clock);
			await clock.run(waitOut(traffic, clock, waits));
			expect(traffic.waited).toBe(unionOf(waits));
			expect(traffic.isWaiting).toBe(false);
		}),
		{ numRuns: 400 },
	);
});

test('tells of a wait while it lasts', async () => {
	const clock = new VirtualClock();
	const traffic = new Traffic(clock);
	const waiting = traffic.while(clock.wait(5_000));
	await clock.run(clock.wait(2_000));
	expect(traffic.isWaiting).toBe(true);
	expect(traffic.waited).toBe(2_000);
	await clock.run(waiting);
	expect(traffic.isWaiting).toBe(false);
	expect(traffic.waited).toBe(5_000);
});

test('gives back what the work gives, and fails as it fails', async () => {
	const traffic = new Traffic(new VirtualClock());
	const failure = new Error('cancelled');
	expect(await traffic.while(Promise.resolve('done'))).toBe('done');
	await expect(traffic.while(Promise.reject(failure))).rejects.toBe(failure);
});
