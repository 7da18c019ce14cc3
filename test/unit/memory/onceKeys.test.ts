import fc from 'fast-check';
import { OnceKeys } from '../../../nodes/MessagingService/memory/onceKeys';
import { forEachConcurrently } from '../../../nodes/MessagingService/transport/concurrency';
import { ProcessedStore } from './processedStore';
import { marksIn, type Outcome, type Plan, World } from './world';

const keysUpTo = (count: number) => Array.from({ length: count }, (_, index) => `key-${index}`);

const keys = fc.oneof(
	fc.integer({ min: 1, max: 60 }).map(keysUpTo),
	fc.array(
		fc.nat({ max: 40 }).map((index) => `key-${index}`),
		{ minLength: 1, maxLength: 40 },
	),
);

const outcomes = fc.oneof(
	fc.constant<Outcome[]>(['accepted']),
	fc.array(fc.constantFrom<Outcome>('accepted', 'accepted', 'failed', 'uncertain'), {
		minLength: 1,
		maxLength: 12,
	}),
);

const storeFault = fc.record({
	call: fc.nat({ max: 40 }),
	kind: fc.constantFrom<'dies' | 'fails'>('dies', 'fails'),
	changed: fc.boolean(),
});

const plan = fc
	.record({
		keys,
		width: fc.integer({ min: 1, max: 8 }),
		executions: fc.constantFrom(1, 1, 2),
		resend: fc.boolean(),
		outcomes,
		latencies: fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 7 }),
		diesAt: fc.option(fc.nat({ max: 600 }), { nil: undefined }),
		storeFault: fc.option(storeFault, { nil: undefined }),
	})
	// To an execution that runs beside it, what is under way looks uncertain; and what it found out before
	// may not hold any more after a change that failed.
	.map(
		(each): Plan =>
			each.executions === 1
				? each
				: {
						...each,
						resend: false,
						storeFault: each.storeFault && { ...each.storeFault, kind: 'dies' },
					},
	);

/** Two executions side by side, of which one frees a key and the other one sends it before the first hears of it. */
const BESIDE_EACH_OTHER: Array<[Plan, Plan]> = [
	[
		{
			keys: keysUpTo(13),
			width: 6,
			executions: 2,
			resend: false,
			outcomes: ['uncertain', 'uncertain', 'accepted', 'failed'],
			latencies: [6],
		},
		{
			keys: keysUpTo(1),
			width: 1,
			executions: 1,
			resend: false,
			outcomes: ['accepted'],
			latencies: [0],
		},
	],
	[
		{
			keys: ['key-31'],
			width: 3,
			executions: 1,
			resend: false,
			outcomes: ['accepted'],
			latencies: [30, 22, 13, 13, 22, 26, 29],
			diesAt: 1,
			storeFault: { call: 19, kind: 'fails', changed: false },
		},
		{
			keys: keysUpTo(49),
			width: 6,
			executions: 2,
			resend: false,
			outcomes: ['uncertain', 'failed', 'uncertain', 'accepted', 'accepted'],
			latencies: [18, 25, 19],
		},
	],
];

const plans = fc.array(plan, { minLength: 2, maxLength: 6 });

const usual: Plan = {
	keys: keysUpTo(20),
	width: 5,
	executions: 1,
	resend: false,
	outcomes: ['accepted'],
	latencies: [5],
};

const all = [...usual.keys].sort();

describe('whatever becomes of requests, processes and the store', () => {
	test('no key is sent twice, and every key is what it has to be', async () => {
		const seen = { sent: 0, died: 0, leftUncertain: 0, lookingAhead: 0 };
		await fc.assert(
			fc.asyncProperty(plans, async (processes) => {
				const world = new World();
				for (const each of processes) {
					const report = await world.run(each);
					seen.sent += report.sent.length;
					seen.died += Number(report.died);
					seen.leftUncertain += report.leftUncertain.length;
					seen.lookingAhead += Number(report.wasLookingAhead);
				}
			}),
			{ numRuns: 1_000 },
		);
		// The cases are worth something only if all of this happens.
		for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
	});

	test('a process that dies leaves no more keys uncertain than were under way', async () => {
		await fc.assert(
			fc.asyncProperty(plan, plan, async (before, dying) => {
				const world = new World();
				await world.run({ ...before, diesAt: undefined, storeFault: undefined });
				const mayDie = dying.storeFault?.kind === 'fails' ? undefined : dying.storeFault;
				const report = await world.run({ ...dying, storeFault: mayDie });
				fc.pre(report.died && !report.wasLookingAhead);
				expect(report.leftUncertain.length).toBeLessThanOrEqual(dying.width * dying.executions);
			}),
			{ numRuns: 400, examples: BESIDE_EACH_OTHER },
		);
	});
});

describe('a later run', () => {
	test('finds accepted keys accepted, and sends none of them', async () => {
		const world = new World();
		await world.run(usual);
		const { sent, states } = await world.run(usual);
		expect(sent).toEqual([]);
		expect(new Set(states.values())).toEqual(new Set(['accepted']));
	});

	test('sends a key again that certainly failed', async () => {
		const world = new World();
		await world.run({ ...usual, outcomes: ['failed'] });
		expect((await world.run(usual)).sent.sort()).toEqual(all);
	});

	test('does not send a key of which nobody knows, unless that is wanted', async () => {
		const world = new World();
		await world.run({ ...usual, outcomes: ['uncertain'] });
		expect((await world.run(usual)).sent).toEqual([]);
		expect((await world.run({ ...usual, resend: true })).sent.sort()).toEqual(all);
		expect((await world.run({ ...usual, resend: true })).sent).toEqual([]);
	});

	test('finds the keys uncertain that were under way when the process died', async () => {
		const counts: number[] = [];
		for (let diesAt = 0; diesAt < 150; diesAt++) {
			const world = new World();
			const { sent } = await world.run({ ...usual, latencies: [5, 7], diesAt });
			const { states } = await world.run(usual);
			const uncertain = [...states].filter(([, state]) => state === 'uncertain');
			counts.push(uncertain.length);
			expect(sent.filter((key) => states.get(key) === 'fresh')).toEqual([]);
		}
		expect(Math.max(...counts)).toBe(usual.width);
	});

	test('knows as much when the process died in any call of the store', async () => {
		const width = 3;
		for (let call = 0; call < 30; call++) {
			for (const changed of [false, true]) {
				const world = new World();
				const keys = keysUpTo(30);
				await world.run({ ...usual, keys: keys.slice(0, 9), width });
				const storeFault = { call, kind: 'dies', changed } as const;
				const { leftUncertain, wasLookingAhead } = await world.run({
					...usual,
					keys,
					width,
					storeFault,
				});
				if (!wasLookingAhead) expect(leftUncertain.length).toBeLessThanOrEqual(width);
				await world.run({ ...usual, keys, resend: true });
				expect((await world.run({ ...usual, keys, resend: true })).sent).toEqual([]);
			}
		}
	});
});

test.each<Outcome>(['accepted', 'failed', 'uncertain'])(
	'a run whose requests are %s leaves only the marks of keys behind',
	async (outcome) => {
		const world = new World();
		for (let runs = 0; runs < 3; runs++) await world.run({ ...usual, outcomes: [outcome] });
		const marks = world.store.marks();
		expect(marks.filter((mark) => !/^(taken|open):/.test(mark))).toEqual([]);
	},
);

test('an execution beside another one sends none of its keys', async () => {
	const world = new World();
	const { sent } = await world.run({ ...usual, executions: 2, latencies: [3, 20, 11] });
	expect(sent.sort()).toEqual(all);
});

describe('a run on another worker writes back what it read before', () => {
	/** What a later run is told of the keys. */
	async function statesIn(store: ProcessedStore) {
		const later = new OnceKeys(marksIn(store, 'later'), []);
		return await Promise.all(usual.keys.map(async (key) => await later.begin(key)));
	}

	const accepted = usual.keys.map(() => 'accepted');

	async function begin(store: ProcessedStore): Promise<OnceKeys> {
		const once = new OnceKeys(marksIn(store), usual.keys);
		await Promise.all(usual.keys.map(async (key) => await once.begin(key)));
		return once;
	}

	const accept = async (once: OnceKeys) =>
		await Promise.all(usual.keys.map(async (key) => await once.accept(key)));

	test('and the keys are not lost by it', async () => {
		const store = new ProcessedStore();
		const before = store.copy();
		const once = await begin(store);
		await accept(once);
		store.overwrite(before);
		await once.confirm();
		expect(await statesIn(store)).toEqual(accepted);
	});

	test('and the keys do not become uncertain by it', async () => {
		const store = new ProcessedStore();
		const once = await begin(store);
		const underWay = store.copy();
		await accept(once);
		store.overwrite(underWay);
		await once.confirm();
		expect(await statesIn(store)).toEqual(accepted);
	});

	test('and again while the keys are confirmed', async () => {
		const store = new ProcessedStore();
		const before = store.copy();
		const once = await begin(store);
		await accept(once);
		store.overwrite(before);
		const confirmed = once.confirm();
		while (store.size === 0) await Promise.resolve();
		store.overwrite(before);
		await confirmed;
		expect(await statesIn(store)).toEqual(accepted);
	});

	test('and a key that is free again stays free', async () => {
		const store = new ProcessedStore();
		const once = await begin(store);
		await Promise.all(usual.keys.map(async (key) => await once.release(key)));
		await once.confirm();
		expect(await statesIn(store)).toEqual(usual.keys.map(() => 'fresh'));
	});
});

describe('calls of the store', () => {
	/** The seal of a round, and that of the round before. */
	const SEALS = 2;

	/** A request of a round in which all requests end at once. */
	let round: Promise<void> | undefined;
	const request = async () =>
		await (round ??= new Promise((resolve) => {
			setTimeout(() => {
				round = undefined;
				resolve();
			}, 2);
		}));

	/** How often the store is called for so many keys of which some are under way at once. */
	async function callsFor(store: ProcessedStore, keys: string[], width: number): Promise<number> {
		store.calls.length = 0;
		const once = new OnceKeys(marksIn(store), keys);
		await forEachConcurrently(keys.length, width, async (index) => {
			const key = keys[index];
			if ((await once.begin(key)) === 'fresh') {
				await request();
				await once.accept(key);
			}
			return true;
		});
		return store.calls.length;
	}

	test.each([1, 5, 10, 50])(
		'do not grow with the requests of a round: %i at once',
		async (width) => {
			const keys = keysUpTo(1_000);
			const rounds = keys.length / width;
			expect(await callsFor(new ProcessedStore(), keys, width)).toBeLessThanOrEqual(
				4 * rounds + 10,
			);
		},
	);

	// The first of a round to end is handled alone, and only then the others together.
	test('are two for each round of requests', async () => {
		const keys = keysUpTo(1_000);
		const rounds = keys.length / 10;
		expect(await callsFor(new ProcessedStore(), keys, 10)).toBeLessThanOrEqual(2 * rounds + 10);
	});

	test('set and take away no more marks than the keys under way have', async () => {
		const store = new ProcessedStore();
		const width = 10;
		await callsFor(store, keysUpTo(500), width);
		expect(Math.max(...store.calls.map(({ marks }) => marks.length))).toBeLessThanOrEqual(
			2 * width + SEALS,
		);
	});

	test('are few for keys that were all sent before', async () => {
		const store = new ProcessedStore();
		const keys = keysUpTo(10_000);
		await store.checkProcessedAndRecord(
			keys.map((key) => `taken:${key}`),
			'node',
			{},
			{ mode: 'entries' },
		);
		expect(await callsFor(store, keys, 10)).toBeLessThan(200);
		expect(store.size).toBe(keys.length);
	});

	test('are few where a new key follows now and then', async () => {
		const store = new ProcessedStore();
		const keys = keysUpTo(10_000);
		await store.checkProcessedAndRecord(
			keys.filter((_, index) => index % 1_000 !== 999).map((key) => `taken:${key}`),
			'node',
			{},
			{ mode: 'entries' },
		);
		expect(await callsFor(store, keys, 10)).toBeLessThan(400);
	});
});
