/** How many keys are looked up at once, and when. */
import { OnceKeys, resetOnceKeys } from '../../../nodes/MessagingService/memory/onceKeys';
import { ProcessedStore } from './processedStore';
import { IMPATIENT, runOf, settled } from './runs';
import { contextWith } from './world';

beforeEach(resetOnceKeys);

const keysUpTo = (count: number) => Array.from({ length: count }, (_, index) => `key-${index}`);

/** A run that is asked for the keys that come next: how many it asks for, each time. */
function asking(context: ReturnType<typeof contextWith>, keys: string[], clock = IMPATIENT) {
	const counts: number[] = [];
	let next = 0;
	const ahead = async (count: number) => {
		counts.push(count);
		return keys.slice(next, next + count);
	};
	const once = new OnceKeys(context, 100, ahead, clock);
	const begin = async (index: number) => {
		next = index + 1;
		return await once.begin(keys[index]);
	};
	return { counts, once, begin };
}

/** A store of which each look-up among all known keys takes so long, and a clock that says so. */
function slowStore(duration: number) {
	let took = duration;
	let time = 1_000;
	const store = new ProcessedStore();
	const context = contextWith(
		{
			checkProcessedAndRecord: async (...call) => {
				if (call[1] === 'node') time += took;
				return await store.checkProcessedAndRecord(...call);
			},
			removeProcessed: async (...call) => await store.removeProcessed(...call),
		},
		'workflow',
	);
	const clock = { now: () => time, wait: async () => {} };
	const pass = (milliseconds: number) => (time += milliseconds);
	const slowDown = (milliseconds: number) => (took = milliseconds);
	return { context, clock, pass, slowDown };
}

test('as long as all keys are old ones, about twice as many are looked up ahead each time', async () => {
	const store = new ProcessedStore();
	const keys = keysUpTo(2_100);
	const first = runOf(store);
	const old = keys.slice(0, 2_000);
	await Promise.all(old.map(async (key) => await first.begin(key)));
	for (const key of old) void first.accept(key);
	await first.finish();
	const { counts, begin } = asking(contextWith(store), keys);
	for (const index of old.keys()) expect(await begin(index)).toBe('accepted');
	const doubled = [2, 6, 14, 30, 62, 126, 254, 500, 500, 500];
	expect(counts).toEqual(doubled);
	// The last of them were new.
	expect(await begin(2_050)).toBe('fresh');
	expect(counts).toEqual(doubled);
});

test.each([
	{ took: 50, lookUps: 20, pause: 15, counts: [] },
	{ took: 51, lookUps: 9, pause: 15, counts: [] },
	{ took: 51, lookUps: 10, pause: 15, counts: [37] },
	{ took: 51, lookUps: 10, pause: 30, counts: [18] },
	{ took: 249, lookUps: 2, pause: 0, counts: [] },
	{ took: 250, lookUps: 1, pause: 0, counts: [] },
	{ took: 250, lookUps: 2, pause: 0, counts: [2_499] },
	{ took: 2_000, lookUps: 1, pause: 0, counts: [] },
	{ took: 2_000, lookUps: 2, pause: 0, counts: [10_000] },
])('$counts new keys are looked up ahead after $lookUps look-ups of $took ms', async (each) => {
	const { context, clock, pass } = slowStore(each.took);
	const { counts, begin } = asking(context, keysUpTo(each.lookUps + 1), clock);
	for (let index = 0; index < each.lookUps; index++) {
		await begin(index);
		pass(each.pause);
	}
	expect(counts).toEqual([]);
	await begin(each.lookUps);
	expect(counts).toEqual(each.counts);
});

test('a single slow look-up is no reason to look up keys ahead', async () => {
	const { context, clock, pass, slowDown } = slowStore(40);
	const { counts, begin } = asking(context, keysUpTo(6), clock);
	for (const [index, took] of [40, 400, 40, 400, 400, 40].entries()) {
		slowDown(took);
		pass(20);
		await begin(index);
	}
	// Those after the two in a row.
	expect(counts).toHaveLength(1);
});

test('what earlier runs found of the store holds from the first key on, until a restart', async () => {
	const { context, clock } = slowStore(250);
	const askedFor = async (key: string) => {
		const { counts, begin } = asking(context, [key], clock);
		await begin(0);
		return counts;
	};
	expect(await askedFor('a')).toEqual([]);
	expect(await askedFor('b')).toEqual([]);
	expect(await askedFor('c')).toEqual([2_499]);
	resetOnceKeys();
	expect(await askedFor('d')).toEqual([]);
});

describe('the store is asked', () => {
	/** A run by a clock that tells what is waited for, over a store of which each call takes some time. */
	function watched(took: number) {
		let time = 1_000;
		const waits: number[] = [];
		const store = new ProcessedStore();
		const { checkProcessedAndRecord } = store;
		jest.spyOn(store, 'checkProcessedAndRecord').mockImplementation(async (...call) => {
			time += took;
			return await checkProcessedAndRecord.apply(store, call);
		});
		const wait = async (milliseconds: number) => void waits.push(milliseconds);
		const once = new OnceKeys(contextWith(store), 100, undefined, { now: () => time, wait });
		const begin = async (keys: string[]) =>
			await Promise.all(keys.map(async (key) => await once.begin(key)));
		return { waits, once, begin };
	}

	test.each([
		{ underWay: 3, took: 10, waits: [] },
		{ underWay: 4, took: 10, waits: [60] },
		{ underWay: 4, took: 40, waits: [100] },
	])('for one key beside $underWay at once, or after a while: $waits', async (each) => {
		const { waits, begin } = watched(each.took);
		await begin(keysUpTo(each.underWay));
		waits.length = 0;
		await begin(['next']);
		expect(waits).toEqual(each.waits);
	});

	test('soon after keys were accepted, once for all that were meanwhile', async () => {
		const { waits, once, begin } = watched(10);
		await begin(['a', 'b', 'c']);
		waits.length = 0;
		for (const key of ['a', 'b']) void once.accept(key);
		await settled();
		expect(waits).toEqual([100]);
		await once.accept('c');
		await settled();
		expect(waits).toEqual([100, 100]);
	});
});
