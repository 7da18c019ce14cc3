/** The ledger as a model: whatever processes do at the same moment, no key is sent twice, and none is lost unnamed. */
import fc from 'fast-check';

import type { Outcome } from '../../../nodes/MessagingService/api/request';
import type { SendAgain } from '../../../nodes/MessagingService/operations/operation';
import { atOnce, type Plan, type ProcessPlan, type RunPlan, World } from './world';

/** How many schedules of each kind are tried. */
const { LEDGER_SCHEDULES = '150' } = process.env;
const SEARCH = { numRuns: Number(LEDGER_SCHEDULES) };
/** Milliseconds from reading a row to writing it back: longer ones than the ledger's pause are its limit. */
const SLOW_WRITES = 40;
const USUAL_WRITES = 15;
const STALLED_WRITES = 300;
const KEYS = 7;

/** How long after the first call of a run the last one is made: while batches are claimed, sent and settled. */
const LAST_CALL = 400;

/** Some calls of the same moment, and single ones that come later; some with the same key, some in a retry. */
const call = fc.record({
	key: fc.nat({ max: KEYS - 1 }).map((key) => `key-${key}`),
	at: fc.oneof(fc.constant(0), fc.nat({ max: LAST_CALL })),
	inRetry: fc.boolean(),
});
const run: fc.Arbitrary<RunPlan> = fc.record({
	begins: fc.nat({ max: 400 }),
	calls: fc.array(call, { minLength: 1, maxLength: 2 * KEYS }),
});
const process_: fc.Arbitrary<ProcessPlan> = fc.record({
	runs: fc.array(run, { minLength: 1, maxLength: 2 }),
});
const timesUpTo = (max: number) => fc.array(fc.nat({ max }), { minLength: 11, maxLength: 47 });
const times = timesUpTo(SLOW_WRITES);
const answersOf = (...answers: Outcome[]) =>
	fc.array(fc.constantFrom(...answers), { minLength: 1, maxLength: 13 });
const ALL_KEYS = Array.from({ length: KEYS }, (_, key) => `key-${key}`);

/** Runs schedules, and checks what holds after each. Enough of them have to come to what is checked. */
async function check(
	processes: fc.Arbitrary<ProcessPlan[]>,
	rest: fc.Arbitrary<Omit<Plan, 'processes'>>,
	holds: (world: World) => Promise<void> | void,
): Promise<void> {
	let passedOver = 0;
	await fc.assert(
		fc.asyncProperty(processes, rest, async (plans, plan) => {
			const world = new World(plan);
			await world.run(plans);
			expectNothingTwice(world);
			await holds(world);
			passedOver += world.told.filter(({ outcome }) => outcome === 'skipped').length;
		}),
		SEARCH,
	);
	expect(passedOver).toBeGreaterThan(SEARCH.numRuns / 2);
}

function expectNothingTwice({ accepted, told }: World): void {
	expect([...accepted].filter(([, count]) => count > 1)).toEqual([]);
	// None is passed over that was never accepted.
	for (const { key, outcome } of told)
		if (outcome === 'skipped') expect(accepted.has(key)).toBe(true);
}

const manyProcesses = (count: number) => fc.array(process_, { minLength: count, maxLength: count });

/** What a later run would do with each key fits what became of it. */
async function expectTruth(world: World): Promise<void> {
	for (const [key, outcome] of await world.inspect(ALL_KEYS)) {
		if (outcome === 'skipped') expect(world.accepted.has(key)).toBe(true);
		if (outcome === 'refused') expect(world.accepted.has(key)).toBe(false);
	}
}

describe.each([1, 2, 3])('%i at once', (count) => {
	test('no key is sent twice, what is refused is free, and what is unknown is not sent', async () => {
		const rest = fc.record({ times, answers: answersOf('accepted', 'refused', 'unknown') });
		await check(manyProcesses(count), rest, expectTruth);
	});
});

test.each([1, 2])(
	'%i at once send a key again only where that is wanted, and once in an execution',
	async (count) => {
		const twoKeys = fc.array(
			fc.record({
				key: fc.constantFrom('key-0', 'key-1'),
				at: fc.nat({ max: 3 * LAST_CALL }),
				inRetry: fc.boolean(),
			}),
			{ minLength: 1, maxLength: 5 },
		);
		// These are options of the node, so all items of a run have them.
		const options = fc.record({
			sendAgain: fc.constantFrom<SendAgain[]>('nothing', 'unknown', 'everybody'),
		});
		const runs = fc.array(
			fc.record({ begins: fc.nat({ max: 400 }), options, calls: twoKeys }).map((plan) => {
				return { ...plan, calls: plan.calls.map((each) => ({ ...each, ...plan.options })) };
			}),
			{ minLength: 1, maxLength: 3 },
		);
		const processes = fc.array(fc.record({ runs }), { minLength: count, maxLength: count });
		const rest = fc.record({ times, answers: answersOf('accepted', 'refused', 'unknown') });
		let again = 0;
		await fc.assert(
			fc.asyncProperty(processes, rest, async (plans, plan) => {
				const world = new World(plan);
				await world.run(plans);
				const all = plans.flatMap((each) => each.runs);
				for (const [key, accepted] of world.accepted) {
					const withKey = all.filter(({ calls }) => calls.some((each) => each.key === key));
					const usual = withKey.filter((each) => each.options.sendAgain === 'nothing');
					const onPurpose = withKey.length - usual.length;
					expect(accepted).toBeLessThanOrEqual(onPurpose + Math.min(usual.length, 1));
					if (accepted > 1) again++;
				}
			}),
			SEARCH,
		);
		expect(again).toBeGreaterThan(SEARCH.numRuns / 30);
	},
);

test.each([1, 2])('%i at once leave hardly a key unknown for no reason', async (count) => {
	const rest = fc.record({
		// Alone, a process is right however long its writes take.
		times: timesUpTo(count === 1 ? STALLED_WRITES : USUAL_WRITES),
		answers: answersOf('accepted', 'refused', 'unknown'),
	});
	let [needless, all] = [0, 0];
	await check(manyProcesses(count), rest, async (world) => {
		for (const [key, outcome] of await world.inspect(ALL_KEYS)) {
			if (outcome === 'unknown' && !world.unanswered.has(key)) needless++;
			all++;
		}
	});
	expect(needless / all).toBeLessThan(count === 1 ? Number.MIN_VALUE : 0.002);
});

test('a store that stalls now and then forgets hardly a key that was accepted', async () => {
	const time = fc.oneof(
		{ weight: 9, arbitrary: fc.nat({ max: USUAL_WRITES }) },
		{ weight: 1, arbitrary: fc.nat({ max: STALLED_WRITES }) },
	);
	const rest = fc.record({
		times: fc.array(time, { minLength: 97, maxLength: 97 }),
		answers: fc.constant<Outcome[]>(['accepted']),
	});
	/** Runs of one key each, as a webhook starts them. */
	const runs = (name: string) =>
		fc
			.array(fc.nat({ max: 1_500 }), { minLength: 6, maxLength: 6 })
			.map((begins) => begins.map((at, key) => ({ begins: at, calls: atOnce(`${name}-${key}`) })));
	const processes = fc
		.tuple(runs('left'), runs('right'))
		.map((each) => each.map((plan) => ({ runs: plan })));
	let [forgotten, all] = [0, 0];
	await fc.assert(
		fc.asyncProperty(processes, rest, async (plans, plan) => {
			const world = new World(plan);
			await world.run(plans);
			const keys = plans.flatMap((each) =>
				each.runs.flatMap(({ calls }) => calls.map(({ key }) => key)),
			);
			for (const outcome of (await world.inspect(keys)).values()) {
				if (outcome === 'refused') forgotten++;
				all++;
			}
		}),
		SEARCH,
	);
	expect(forgotten / all).toBeLessThan(0.005);
});

test('a process that dies sends nothing twice later, and loses nothing', async () => {
	const dying = fc.record({
		runs: fc.array(run, { minLength: 1, maxLength: 2 }),
		diesAt: fc.integer({ min: 1, max: 1_500 }),
	});
	const processes = fc.tuple(dying, process_, process_).map((each) => each);
	const rest = fc.record({ times, answers: answersOf('accepted', 'refused') });
	await check(processes, rest, expectTruth);
});

test('a call of the store that fails, before it writes or after, sends nothing twice', async () => {
	const faults = fc.dictionary(
		fc.nat({ max: 30 }).map(String),
		fc.constantFrom('before' as const, 'after' as const),
		{ maxKeys: 3 },
	);
	const rest = fc.record({ times, answers: answersOf('accepted', 'refused', 'unknown'), faults });
	await check(manyProcesses(2), rest, expectTruth);
});

test('a key is sent when others leave the store alone after ten seconds', async () => {
	const world = new World({ answers: ['accepted'], times: [1] });
	const before = world.store.copy();
	const overwrite = async () => {
		for (let turn = 0; turn < 100; turn++) {
			await world.clock.wait(100);
			world.store.overwrite(before);
		}
	};
	void overwrite();
	await world.run([{ runs: [{ begins: 0, calls: atOnce('a') }] }]);
	expect(world.told).toEqual([{ key: 'a', outcome: 'accepted' }]);
});

describe('in one process', () => {
	const now: RunPlan = { begins: 0, calls: atOnce('a') };

	test.each([1, STALLED_WRITES])(
		'sends what was refused although something has dropped what the workflow remembers: writes of %i ms',
		async (time) => {
			const world = new World({ answers: ['refused', 'accepted'], times: [time] });
			await world.run([{ runs: [now] }]);
			world.store.overwrite(new World({ answers: [], times: [] }).store, ['workflow']);
			await world.run([{ runs: [now] }]);
			expect(world.told.map(({ outcome }) => outcome)).toEqual(['refused', 'accepted']);
		},
	);

	test('a crash makes nothing unknown that was accepted in an earlier run', async () => {
		const world = new World({ answers: ['accepted'], times: [40] });
		await world.run([{ runs: [now] }]);
		// While the second one is under way.
		await world.run([{ runs: [{ begins: 0, calls: atOnce('a', 'b') }], diesAt: 590 }]);
		expect(await world.inspect(['a', 'b'])).toEqual(
			new Map([
				['a', 'skipped'],
				['b', 'unknown'],
			]),
		);
	});

	test('a key that a retry left unknown stays so when another retry would reset its history', async () => {
		const world = new World({ answers: ['accepted', 'unknown', 'accepted'], times: [1] });
		await world.run([{ runs: [now] }]);
		const retry = { key: 'a', at: 0, inRetry: true, sendAgain: 'everybody' as const };
		for (let each = 0; each < 2; each++) {
			await world.run([{ runs: [{ begins: 0, calls: [retry] }] }]);
		}
		expect(world.told.map(({ outcome }) => outcome)).toEqual(['accepted', 'unknown', 'unknown']);
		expect(await world.inspect(['a'])).toEqual(new Map([['a', 'unknown']]));
	});

	test('a key that was accepted stays so when its history is reset and it is refused then', async () => {
		const world = new World({ answers: ['accepted', 'refused'], times: [1] });
		await world.run([{ runs: [now] }]);
		const again = { key: 'a', at: 0, sendAgain: 'everybody' as const };
		await world.run([{ runs: [{ begins: 0, calls: [again] }] }]);
		expect(world.told.map(({ outcome }) => outcome)).toEqual(['accepted', 'refused']);
		expect(await world.inspect(['a'])).toEqual(new Map([['a', 'skipped']]));
	});

	test('a retry that is told by one key that it was sent counts as sent for the other, too', async () => {
		const world = new World({ answers: ['accepted'], times: [1] });
		await world.run([{ runs: [now] }]);
		await world.run([{ runs: [{ begins: 0, calls: [{ key: 'a', at: 0, inRetry: true }] }] }]);
		expect(world.told.map(({ outcome }) => outcome)).toEqual(['accepted', 'skipped']);
		expect(await world.inspect(['retry of a'])).toEqual(new Map([['retry of a', 'skipped']]));
	});

	test('leaves nothing behind for keys that are settled', async () => {
		const world = new World({ answers: ['accepted'], times: [1] });
		await world.run([{ runs: [{ begins: 0, calls: atOnce('a', 'b', 'c') }] }]);
		// One mark of each key, and none for what is pending.
		expect(world.store.size).toBe(3);
	});
});
