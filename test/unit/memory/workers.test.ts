/** Two workers go through the same keys at the same time, over a store that loses changes. */
import fc from 'fast-check';
import { OnceKeys } from '../../../nodes/MessagingService/memory/onceKeys';
import { forEachConcurrently } from '../../../nodes/MessagingService/api/concurrency';
import { VirtualClock } from '../helpers/virtualClock';
import { seenByWorker } from './lossyStore';
import { ProcessedStore } from './processedStore';
import { contextWith } from './world';

const CONCURRENCY = 16;
const LONGEST_PART_MS = 9;
const LONGEST_REQUEST_MS = 60;
/** The part of the keys that may be sent twice; without seals it is about a third. */
const RARELY = 0.02;

let deployments = 0;

interface Result {
	keys: string[];
	/** The keys in the order in which they were sent, as often as they were. */
	sent: string[];
}

/**
 * Runs both workers over the same keys.
 *
 * @param behind milliseconds by which the second one starts later
 * @param luck numbers from 0 to 1, which say in turn how long things take
 * @param toWrite milliseconds that each of them takes to write back what it read, if not by luck
 */
async function runBoth(
	count: number,
	behind: number,
	luck: readonly number[],
	toWrite?: readonly [number, number],
): Promise<Result> {
	const clock = new VirtualClock();
	const store = new ProcessedStore();
	const keys = Array.from({ length: count }, (_, index) => `key-${index}`);
	const sent: string[] = [];
	const deployment = deployments++;
	let drawn = 0;
	const upTo = (most: number) => 1 + luck[drawn++ % luck.length] * (most - 1);

	async function work(worker: number): Promise<void> {
		await clock.wait(worker * behind);
		const part = () => upTo(LONGEST_PART_MS);
		const seen = seenByWorker(store, clock, part, () => toWrite?.[worker] ?? part());
		const context = contextWith(seen, `${deployment}-${worker}`);
		const once = new OnceKeys(context, CONCURRENCY, undefined, clock);
		await forEachConcurrently(
			keys.length,
			() => CONCURRENCY,
			async (index) => {
				const key = keys[index];
				if ((await once.begin(key)) !== 'fresh') return true;
				sent.push(key);
				await clock.wait(upTo(LONGEST_REQUEST_MS));
				await once.accept(key);
				return true;
			},
		);
		await once.finish();
	}

	await clock.run(Promise.all([work(0), work(1)]));
	return { keys, sent };
}

const doubles = ({ sent }: Result) => sent.length - new Set(sent).size;

const luck = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
	minLength: 37,
	maxLength: 211,
});

test('a single key that both get at the same moment is sent once', async () => {
	await fc.assert(
		fc.asyncProperty(fc.nat({ max: 60 }), luck, async (behind, times) => {
			const { keys, sent } = await runBoth(1, behind, times);
			expect(sent).toEqual(keys);
		}),
		{ numRuns: 200 },
	);
});

test.each([
	['of a large record, which takes long to write', (ms: number) => [10 * ms, 10 * ms] as const],
	['by two workers of which one is busy', (ms: number) => [1, ms] as const],
])('also %s', async (_name, toWrite) => {
	await fc.assert(
		fc.asyncProperty(fc.nat({ max: 250 }), fc.integer({ min: 1, max: 25 }), async (behind, ms) => {
			const { keys, sent } = await runBoth(1, behind, [0], toWrite(ms));
			expect(sent).toEqual(keys);
		}),
		{ numRuns: 150 },
	);
});

// A run that has noticed no other one sends without waiting, until it does.
test.each([
	['at the same moment', 0, 60],
	['one after the other', 80, 600],
])('of a list that both begin %s, hardly any key is sent twice', async (_name, min, max) => {
	const results: Result[] = [];
	await fc.assert(
		fc.asyncProperty(fc.integer({ min, max }), luck, async (behind, times) => {
			results.push(await runBoth(200, behind, times));
		}),
		{ numRuns: 100 },
	);
	const twice = results.map(doubles).reduce((sum, count) => sum + count);
	expect(twice / results.flatMap(({ keys }) => keys).length).toBeLessThan(RARELY);
});
