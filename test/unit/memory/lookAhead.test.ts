import {
	LookAhead,
	type SlowRow,
	withLookUp,
} from '../../../nodes/MessagingService/memory/lookAhead';
import { VirtualClock } from '../helpers/virtualClock';

/** How many keys a run that takes 10 milliseconds for a key looks up ahead after these look-ups of the node. */
async function sizeAfter(...took: number[]): Promise<number> {
	const clock = new VirtualClock(0);
	const lookAhead = new LookAhead(clock);
	lookAhead.begin();
	await clock.run(clock.wait(10));
	return lookAhead.size(0, took.reduce<SlowRow>(withLookUp, []));
}

test.each([
	['it was slow for less than half a second', [51, 200, 248], 0],
	['it was slow once', [2_000], 0],
	['it was slow for half a second', [51, 200, 249], 51],
	['a quick one was in between', [300, 50, 300], 0],
	[
		'the quickest of the last ten is the oldest',
		[51, 200, 200, 200, 200, 200, 200, 200, 200, 200],
		51,
	],
	['the quickest is older than that', [51, ...new Array<number>(10).fill(200)], 200],
])('keys are looked up ahead as the store is slow: %s', async (_when, took, size) => {
	expect(await sizeAfter(...took)).toBe(size);
});

test('the time that the store took does not count, nor are keys added that are wanted anyway', async () => {
	const clock = new VirtualClock(1_000);
	const lookAhead = new LookAhead(clock);
	lookAhead.begin();
	lookAhead.begin();
	lookAhead.note(30, 2, false);
	await clock.run(clock.wait(50));
	expect(lookAhead.size(20, [51, 200, 249])).toBe(31);
});

test('twice as many keys are looked up as long as all are old ones', () => {
	const lookAhead = new LookAhead(new VirtualClock(0));
	lookAhead.begin();
	const sizes = [3, 249, 251].map((keys) => {
		lookAhead.note(1, keys, true);
		return lookAhead.size(0, []);
	});
	expect(sizes).toEqual([6, 498, 500]);
	lookAhead.note(1, 3, false);
	expect(lookAhead.size(0, [])).toBe(0);
});
