import fc from 'fast-check';
import { forEachConcurrently } from '../../../nodes/MessagingService/api/concurrency';
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
