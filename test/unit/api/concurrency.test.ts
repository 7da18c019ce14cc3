import fc from 'fast-check';
import { forEachConcurrently, serialQueue } from '../../../nodes/MessagingService/api/concurrency';
import type { TimeSlices } from '../../../nodes/MessagingService/api/timeSlices';
import { fake } from '../helpers/fake';
import { VirtualClock } from '../helpers/virtualClock';

test('does all the work once, begun in order, never more at once than allowed', async () => {
	const durations = fc.array(fc.nat({ max: 50 }), { maxLength: 40 });
	await fc.assert(
		fc.asyncProperty(durations, fc.integer({ min: 1, max: 12 }), async (given, width) => {
			const clock = new VirtualClock();
			const begun: number[] = [];
			let underWay = 0;
			let peak = 0;
			const work = forEachConcurrently(
				given.length,
				() => width,
				async (index) => {
					begun.push(index);
					peak = Math.max(peak, ++underWay);
					await clock.wait(given[index]);
					underWay--;
					return true;
				},
			);
			await clock.run(work);
			expect(begun).toEqual([...given.keys()]);
			expect(peak).toBe(Math.min(width, given.length));
			expect(underWay).toBe(0);
		}),
		{ numRuns: 400 },
	);
});

test('begins nothing more after work that says so, and awaits what is under way', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 40 }),
			fc.integer({ min: 1, max: 12 }),
			fc.nat(),
			async (durations, width, seed) => {
				const clock = new VirtualClock();
				const last = seed % durations.length;
				let stopped = false;
				let underWay = 0;
				const work = forEachConcurrently(
					durations.length,
					() => width,
					async (index) => {
						expect(stopped).toBe(false);
						underWay++;
						await clock.wait(durations[index]);
						underWay--;
						if (index === last) stopped = true;
						return index !== last;
					},
				);
				await clock.run(work);
				expect(underWay).toBe(0);
			},
		),
		{ numRuns: 400 },
	);
});

test('throws the first error of work when what is under way has ended, and begins nothing more', async () => {
	const clock = new VirtualClock(0);
	const ended: number[] = [];
	const work = forEachConcurrently(
		10,
		() => 3,
		async (index) => {
			await clock.wait(10 * (3 - index));
			ended.push(index);
			if (index > 0) throw new Error(`${index} failed`);
			return true;
		},
	);
	await expect(clock.run(work)).rejects.toThrow('2 failed');
	expect(ended).toEqual([2, 1, 0]);
});

test.each([0, -1])('goes on one by one where %i may be under way', async (width) => {
	const clock = new VirtualClock(0);
	const work = async () => {
		await clock.wait(10);
		return true;
	};
	await clock.run(forEachConcurrently(3, () => width, work));
	expect(clock.now()).toBe(30);
});

test('begins what it may at the same moment, and goes on when others had their turn', async () => {
	const clock = new VirtualClock(0);
	const begun: number[] = [];
	const work = async () => {
		begun.push(clock.now());
		return true;
	};
	const atOnce = forEachConcurrently(3, () => 3, work);
	expect(begun).toEqual([0, 0, 0]);
	await atOnce;
	begun.length = 0;
	const slices = fake<TimeSlices>({ next: async () => await clock.wait(10) });
	await clock.run(forEachConcurrently(3, () => 3, work, { slices }));
	expect(begun).toEqual([0, 10, 20]);
});

test('tells once when nothing more is going to begin, before all has ended', async () => {
	const clock = new VirtualClock(0);
	const told: number[] = [];
	const work = async () => {
		await clock.wait(10);
		return true;
	};
	const onAllBegun = () => void told.push(clock.now());
	await clock.run(forEachConcurrently(4, () => 2, work, { onAllBegun }));
	expect(told).toEqual([10]);
	expect(clock.now()).toBe(20);
});

test('work in a queue goes one after the other in the order in which it came, also after a failure', async () => {
	const clock = new VirtualClock(0);
	const queue = serialQueue();
	const ends: Array<[number, number]> = [];
	const work = [30, 10, 20].map(
		async (duration, index) =>
			await queue(async () => {
				await clock.wait(duration);
				ends.push([index, clock.now()]);
				if (index === 0) throw new Error('the first failed');
				return index;
			}),
	);
	const [first, ...others] = await clock.run(Promise.allSettled(work));
	expect(first).toMatchObject({ status: 'rejected', reason: { message: 'the first failed' } });
	expect(others).toEqual([1, 2].map((value) => ({ status: 'fulfilled', value })));
	expect(ends).toEqual([
		[0, 30],
		[1, 40],
		[2, 60],
	]);
});
