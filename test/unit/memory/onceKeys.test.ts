import fc from 'fast-check';
import { OnceKeys, resetOnceKeys } from '../../../nodes/MessagingService/memory/onceKeys';
import { forEachConcurrently } from '../../../nodes/MessagingService/api/concurrency';
import { VirtualClock } from '../helpers/virtualClock';
import { ProcessedStore } from './processedStore';
import { IMPATIENT, nextOf, runOf, sendIn, settled } from './runs';
import { contextWith, type Outcome, type Plan, World } from './world';

beforeEach(resetOnceKeys);

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
		forget: fc.constantFrom(false, false, false, true),
		outcomes,
		latencies: fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 7 }),
		diesAt: fc.option(fc.nat({ max: 600 }), { nil: undefined }),
		storeFault: fc.option(storeFault, { nil: undefined }),
	})
	// What an execution found out before may not hold any more after a change that failed beside it.
	.map(
		(each): Plan =>
			each.executions === 1
				? each
				: {
						...each,
						resend: false,
						forget: false,
						storeFault: each.storeFault && { ...each.storeFault, kind: 'dies' },
					},
	);

/** A run that begins a key while something else happens: when it waits for the first time, or soon after. */
function interruptible(store: ProcessedStore) {
	let interrupt = async () => {};
	const wait = async () => {
		const now = interrupt;
		interrupt = async () => {};
		await now();
	};
	const once = new OnceKeys(contextWith(store), 10, undefined, { now: () => 0, wait });
	return async (key: string, work = async () => {}) => {
		interrupt = work;
		const state = await once.begin(key);
		await wait();
		return state;
	};
}

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
	// Keys that the other one has under way are waited for, and others begin when they are accepted.
	[
		{
			keys: ['key-7', 'key-13'],
			width: 1,
			executions: 1,
			resend: false,
			outcomes: ['uncertain', 'accepted'],
			latencies: [0],
		},
		{
			keys: keysUpTo(22),
			width: 6,
			executions: 2,
			resend: false,
			outcomes: ['accepted'],
			latencies: [19, 2, 8],
			diesAt: 488,
		},
	],
];

const NUM_RUNS = 600;

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
		let cases = 0;
		const seen = { sent: 0, died: 0, leftUncertain: 0, lookingAhead: 0 };
		await fc.assert(
			fc.asyncProperty(plans, async (processes) => {
				cases++;
				const world = new World();
				for (const each of processes) {
					const report = await world.run(each);
					seen.sent += report.sent.length;
					seen.died += Number(report.died);
					seen.leftUncertain += report.leftUncertain.length;
					seen.lookingAhead += Number(report.died && report.hasLookedAhead);
				}
			}),
			{ numRuns: NUM_RUNS },
		);
		// The cases are worth something only if all of this happens. Of a few, as under mutation testing, chance decides.
		if (cases < NUM_RUNS) return;
		for (const count of Object.values(seen)) expect(count).toBeGreaterThan(NUM_RUNS / 12);
	});

	test('a process that dies leaves no more keys uncertain than were under way', async () => {
		await fc.assert(
			fc.asyncProperty(plan, plan, async (before, dying) => {
				const world = new World();
				await world.run({ ...before, diesAt: undefined, storeFault: undefined });
				const mayDie = dying.storeFault?.kind === 'fails' ? undefined : dying.storeFault;
				const report = await world.run({ ...dying, storeFault: mayDie });
				fc.pre(report.died && !report.hasLookedAhead);
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

	test.each([false, true])(
		'knows as much when the process died in any call of the store, which made the change: %p',
		async (changed) => {
			let died = true;
			for (let call = 0; died; call++) {
				const world = new World();
				const storeFault = { call, kind: 'dies', changed } as const;
				const process = await world.run({ ...usual, storeFault });
				({ died } = process);
				expect(process.leftUncertain.length).toBeLessThanOrEqual(usual.width);
				await world.run({ ...usual, resend: true });
				expect((await world.run({ ...usual, resend: true })).sent).toEqual([]);
			}
		},
	);
});

test.each(['accepted', 'uncertain', 'failed'] as const)(
	'the store of runs whose requests are %s stays as large as after the first',
	async (outcome) => {
		const world = new World();
		const sizes: number[] = [];
		for (let runs = 0; runs < 3; runs++) {
			await world.run({ ...usual, outcomes: [outcome] });
			sizes.push(world.store.size);
		}
		expect(sizes).toEqual(sizes.map(() => sizes[0]));
	},
);

test('the store keeps one mark of a key that was accepted', async () => {
	const world = new World();
	await world.run(usual);
	expect(world.store.size).toBe(usual.keys.length);
});

test('an execution beside another one sends none of its keys', async () => {
	const world = new World();
	const { sent } = await world.run({ ...usual, executions: 2, latencies: [3, 20, 11] });
	expect(sent.sort()).toEqual(all);
});

describe('another worker writes back what it read before', () => {
	/** What a later run is told of a key. */
	async function stateIn(store: ProcessedStore, key = 'key-0') {
		return await runOf(store, 'later').begin(key);
	}

	async function begun() {
		const store = new ProcessedStore();
		const before = store.copy();
		const once = runOf(store);
		expect(await once.begin('key-0')).toBe('fresh');
		const underWay = store.copy();
		return { store, before, underWay, once };
	}

	test.each(['before', 'underWay'] as const)(
		'and the end of the run mends it: as it was %s',
		async (moment) => {
			const { store, once, ...stores } = await begun();
			await once.accept('key-0');
			store.overwrite(stores[moment]);
			await once.finish();
			expect(await stateIn(store)).toBe('accepted');
		},
	);

	test('and again while the run ends', async () => {
		const { store, once, before } = await begun();
		await once.accept('key-0');
		store.overwrite(before);
		const confirmed = once.finish();
		while (store.size === 0) await Promise.resolve();
		store.overwrite(before);
		await confirmed;
		expect(await stateIn(store)).toBe('accepted');
	});

	describe('and again while the next key is looked up, or soon after', () => {
		async function expectMended(prepare: (world: Awaited<ReturnType<typeof prepared>>) => unknown) {
			const world = await prepared();
			const { store, begin, overwrite } = world;
			await prepare(world);
			expect(await begin('next', overwrite)).toBe('fresh');
			expect(await stateIn(store, 'next')).toBe('uncertain');
			expect(await stateIn(store)).toBe('uncertain');
		}

		async function prepared() {
			const store = new ProcessedStore();
			await runOf(store, 'other').begin('elsewhere');
			const before = store.copy();
			const begin = interruptible(store);
			const overwrite = async () => store.overwrite(before);
			return { store, begin, overwrite };
		}

		test('when that is the first one', async () => {
			const { store, begin, overwrite } = await prepared();
			expect(await begin('key-0', overwrite)).toBe('fresh');
			expect(await stateIn(store)).toBe('uncertain');
		});

		test('as it did before', async () => {
			await expectMended(async ({ begin, overwrite }) => {
				await begin('key-0');
				await overwrite();
			});
		});

		test('as it did while an earlier one was looked up', async () => {
			await expectMended(async ({ begin, overwrite }) => {
				await begin('key-0', overwrite);
			});
		});

		test.each([
			['one key', ['elsewhere']],
			['one of several keys', ['elsewhere', 'key-1']],
		])('as is to be feared when it has %s under way', async (_name, keys) => {
			await expectMended(async ({ begin }) => {
				await begin('key-0');
				await Promise.all(keys.map(async (key) => await begin(key)));
			});
		});
	});

	test('again and again, which does not hold up a run for ever', async () => {
		const store = new ProcessedStore();
		const before = store.copy();
		let times = 0;
		const wait = async () => {
			if (times++ < 100) store.overwrite(before);
		};
		const once = new OnceKeys(contextWith(store), 10, undefined, { now: () => 0, wait });
		expect(await once.begin('key-0')).toBe('fresh');
		expect(times).toBeLessThan(20);
	});

	test.each([
		['under way', 'uncertain', async () => {}],
		['accepted', 'accepted', async (once: OnceKeys) => await once.accept('key-0')],
		['free again', 'fresh', async (once: OnceKeys) => await once.release('key-0')],
	] as const)('and the next key mends what is %s', async (_name, state, end) => {
		const { store, once, before } = await begun();
		await end(once);
		store.overwrite(before);
		expect(await once.begin('key-1')).toBe('fresh');
		expect(await stateIn(store)).toBe(state);
	});

	test('and the next key leaves alone what was sent by an earlier run', async () => {
		const store = new ProcessedStore();
		await sendIn(store, 'old');
		const before = store.copy();
		const once = runOf(store);
		expect(await once.begin('old')).toBe('accepted');
		expect(await once.begin('key-0')).toBe('fresh');
		store.overwrite(before);
		expect(await once.begin('key-1')).toBe('fresh');
		expect(await stateIn(store, 'old')).toBe('accepted');
	});

	test('and the next key does not free one that failed once and then was accepted', async () => {
		const { store, before, once } = await begun();
		await once.release('key-0');
		expect(await once.begin('key-0')).toBe('fresh');
		await once.accept('key-0');
		expect(await once.begin('key-1')).toBe('fresh');
		store.overwrite(before, ['workflow']);
		expect(await once.begin('key-2')).toBe('fresh');
		expect(await stateIn(store)).toBe('accepted');
	});

	test('and a key that is being freed then is sent once more, also where the store is slow', async () => {
		const { store, once, before } = await begun();
		store.overwrite(before);
		// The next key is looked up before the store hears that the first one is free.
		await Promise.all([once.begin('key-1'), once.release('key-0')]);
		await once.finish();
		let time = 0;
		const slow = { now: () => (time += 300), wait: async () => {} };
		const later = new OnceKeys(contextWith(store), 10, undefined, slow);
		expect(await later.begin('key-0')).toBe('fresh');
		await later.accept('key-0');
		await settled();
		await later.finish();
		expect(await stateIn(store)).toBe('accepted');
	});

	test('and the next key mends one that failed, was not freed, and is under way again', async () => {
		const { store, before, once } = await begun();
		jest.spyOn(store, 'removeProcessed').mockRejectedValueOnce(new Error('The database is locked'));
		await once.release('key-0');
		expect(await once.begin('key-0', { resend: true })).toBe('fresh');
		await once.begin('key-1');
		await once.release('key-1');
		store.overwrite(before);
		expect(await once.begin('key-2')).toBe('fresh');
		expect(await stateIn(store)).toBe('uncertain');
	});

	test.each([
		['the next key', async (once: OnceKeys) => void (await once.begin('key-1'))],
		['the end of the run', async (once: OnceKeys) => await once.finish()],
	])('which would hide that a key is free again: %s mends it', async (_name, next) => {
		const { store, once, before } = await begun();
		await once.release('key-0');
		store.overwrite(before, ['workflow']);
		await next(once);
		expect(await stateIn(store)).toBe('fresh');
	});
});

describe('at the end of a run, what was accepted is looked up', () => {
	test.each([
		{ lookUp: 'quick', took: 0, hasCompany: false, times: 1 },
		{ lookUp: 'hardly slow', took: 250, hasCompany: false, times: 1 },
		{ lookUp: 'slow', took: 251, hasCompany: false, times: 0 },
		{ lookUp: 'slow', took: 300, hasCompany: true, times: 1 },
	])('$times times where it is $lookUp, with another worker: $hasCompany', async (each) => {
		const store = new ProcessedStore();
		const before = store.copy();
		let time = 0;
		let waited = 0;
		const wait = async (milliseconds: number) => void (waited += milliseconds);
		const clock = { now: () => (time += each.took), wait };
		const once = new OnceKeys(contextWith(store), 10, undefined, clock);
		await once.begin('key-0');
		if (each.hasCompany) store.overwrite(before, ['workflow']);
		await once.begin('key-1');
		await once.accept('key-0');
		await once.accept('key-1');
		await settled();
		const { length } = store.calls;
		waited = 0;
		await once.finish();
		expect(waited).toBe(0);
		const calls = store.calls.slice(length);
		expect(calls.filter(({ scope }) => scope === 'node')).toHaveLength(each.times);
		// Where they are not looked up, they cost nothing else either.
		const marks = calls.flatMap((call) => call.marks);
		expect(marks.some((mark) => mark.includes('key'))).toBe(each.times > 0);
	});
});

describe('a run whose look-ups are slow looks up what was accepted only where another worker was', () => {
	/** A run of the node in a process, by whose clock all takes long. */
	function slowRunOf(store: ProcessedStore, process: string, node = 'node') {
		let time = 0;
		const clock = { now: () => (time += 300), wait: async () => {} };
		const context = contextWith(store, process, { getNode: () => ({ id: node }) });
		return new OnceKeys(context, 10, undefined, clock);
	}

	async function send(once: OnceKeys, ...keys: string[]) {
		for (const key of keys) {
			expect(await once.begin(key)).toBe('fresh');
			await once.accept(key);
		}
	}

	/** Ends a run, and tells whether it looked up what was accepted. */
	async function looksUpAtEnd(store: ProcessedStore, once: OnceKeys): Promise<boolean> {
		const { length } = store.calls;
		await once.finish();
		return store.calls.slice(length).some(({ scope }) => scope === 'node');
	}

	test.each([
		{ count: 1, ends: 'other' },
		{ count: 1, ends: 'first' },
		{ count: 2, ends: 'other' },
		{ count: 3, ends: 'other' },
	])('both notice it after $count keys of one of them; the $ends one ends first', async (each) => {
		const store = new ProcessedStore();
		const [first, other] = [slowRunOf(store, 'first'), slowRunOf(store, 'other')];
		await send(first, ...keysUpTo(each.count));
		await send(other, 'next');
		const inOrder = each.ends === 'first' ? [first, other] : [other, first];
		for (const once of inOrder) expect(await looksUpAtEnd(store, once)).toBe(true);
	});

	test('also when one of two executions has ended', async () => {
		const store = new ProcessedStore();
		const [one, two] = [slowRunOf(store, 'first'), slowRunOf(store, 'first')];
		await send(one, 'key-0');
		await send(two, 'key-1');
		expect(await looksUpAtEnd(store, one)).toBe(false);
		const second = slowRunOf(store, 'second');
		await send(second, 'other');
		expect(await looksUpAtEnd(store, second)).toBe(true);
		expect(await looksUpAtEnd(store, two)).toBe(true);
	});

	test('not one that has ended', async () => {
		const store = new ProcessedStore();
		for (const process of ['first', 'second', 'first']) {
			const once = slowRunOf(store, process);
			await send(once, `key-${store.calls.length}`);
			expect(await looksUpAtEnd(store, once)).toBe(false);
		}
	});

	test('not an execution that begins while another one ends', async () => {
		const store = new ProcessedStore();
		const one = slowRunOf(store, 'first');
		await send(one, 'key-0');
		await settled();
		const two = await new Promise<OnceKeys>((resolve) => {
			const { removeProcessed } = store;
			jest.spyOn(store, 'removeProcessed').mockImplementationOnce(async (...call) => {
				await removeProcessed.apply(store, call);
				resolve(slowRunOf(store, 'first'));
			});
			void one.finish();
		});
		await send(two, 'key-1');
		expect(await looksUpAtEnd(store, two)).toBe(false);
	});

	test('not another node of the workflow', async () => {
		const store = new ProcessedStore();
		const nodes = ['node', 'other'].map((node) => slowRunOf(store, node, node));
		for (const [index, once] of nodes.entries()) await send(once, `${index}-0`, `${index}-1`);
		for (const once of nodes) expect(await looksUpAtEnd(store, once)).toBe(false);
	});
});

describe('a key that another process has under way', () => {
	test('is not hidden from that process by one that asks for it meanwhile', async () => {
		const store = new ProcessedStore();
		const begin = interruptible(store);
		const state = await begin('key-0', async () => {
			expect(await runOf(store, 'other').begin('key-0')).toBe('uncertain');
		});
		expect(state).toBe('fresh');
	});
});

describe('a key that one execution looked up ahead and another one beside it sends', () => {
	/** The other one has it under way, and has looked up a key of its own before. */
	async function takenOver() {
		const store = new ProcessedStore();
		await sendIn(store, 'old');
		const before = store.copy();
		const looking = new OnceKeys(contextWith(store), 10, nextOf(['ahead']), IMPATIENT);
		expect(await looking.begin('old')).toBe('accepted');
		expect(await looking.begin('key-0')).toBe('fresh');
		const sending = runOf(store);
		expect(await sending.begin('key-1')).toBe('fresh');
		const { length } = store.calls;
		expect(await sending.begin('ahead')).toBe('fresh');
		// It was looked up before.
		expect(store.calls).toHaveLength(length);
		return { store, before, looking, sending };
	}

	test('is seen to by the one that sends it, when another worker overwrites it', async () => {
		const { store, before, sending } = await takenOver();
		store.overwrite(before);
		await sending.begin('key-2');
		expect(await runOf(store, 'later').begin('ahead')).toBe('uncertain');
	});

	test('is not free again when it failed there before, and is accepted now', async () => {
		const store = new ProcessedStore();
		await sendIn(store, 'old');
		const before = store.copy();
		const sending = runOf(store);
		expect(await sending.begin('ahead')).toBe('fresh');
		await sending.release('ahead');
		const looking = new OnceKeys(contextWith(store), 10, nextOf(['ahead']), IMPATIENT);
		await looking.begin('old');
		await looking.begin('key-0');
		expect(await sending.begin('ahead')).toBe('fresh');
		await sending.accept('ahead');
		await sending.begin('key-1');
		store.overwrite(before, ['workflow']);
		await sending.begin('key-2');
		expect(await runOf(store, 'later').begin('ahead')).toBe('accepted');
	});

	test('is not under way again by the one that looked it up', async () => {
		const { store, before, looking, sending } = await takenOver();
		await sending.accept('ahead');
		await sending.finish();
		store.overwrite(before, ['workflow']);
		await looking.begin('key-2');
		await looking.finish();
		expect(await runOf(store, 'later').begin('ahead')).toBe('accepted');
	});
});

describe('a key that failed', () => {
	test('is under way again although the store could not take that away before', async () => {
		const store = new ProcessedStore();
		const once = runOf(store);
		await once.begin('key-0');
		jest.spyOn(store, 'removeProcessed').mockRejectedValueOnce(new Error('The database is locked'));
		await once.release('key-0');
		expect(await once.begin('key-0', { resend: true })).toBe('fresh');
		await once.begin('key-1');
		await once.release('key-1');
		expect(await runOf(store.copy(), 'later').begin('key-0')).toBe('uncertain');
	});

	test('is free again in the same run, although it was found to be sent before and then forgotten', async () => {
		const world = new World();
		await world.run(usual);
		const [first, second, third] = usual.keys;
		const once = new OnceKeys(contextWith(world.store), 10, nextOf([third]));
		expect(await once.begin(first)).toBe('accepted');
		// Looks the third one up too.
		expect(await once.begin(second)).toBe('accepted');
		expect(await once.begin(third, { forget: true })).toBe('fresh');
		await once.release(third);
		expect(await once.begin(third)).toBe('fresh');
		await once.release(third);
		await once.finish();
	});
});

test('a key that an ended run had accepted stays under way in another run that sends it again', async () => {
	const clock = new VirtualClock(0);
	const store = new ProcessedStore();
	const run = () => new OnceKeys(contextWith(store), 10, undefined, clock);
	const [ended, sending, waiting] = [run(), run(), run()];
	await clock.run(ended.begin('key-0'));
	await ended.accept('key-0');
	await clock.run(ended.finish());
	expect(await clock.run(sending.begin('key-0', { forget: true }))).toBe('fresh');
	// The ended run has something left to tell the store.
	await clock.run(clock.wait(1_000));
	const states: string[] = [];
	const waits = waiting.begin('key-0', { forget: true }).then((state) => states.push(state));
	await clock.run(clock.wait(1_000));
	expect(states).toEqual([]);
	await sending.accept('key-0');
	await waits;
	expect(states).toEqual(['accepted']);
});

describe('keys are claimed', () => {
	/** How often all known keys are read for new ones, and whether any is claimed ahead of its turn. */
	async function claimsOf(latency: number) {
		const world = new World();
		const slow = { ...usual, keys: keysUpTo(200), width: 4, latencies: [latency] };
		const { hasLookedAhead } = await world.run(slow);
		const { calls } = world.store;
		return { hasLookedAhead, reads: calls.filter(({ scope }) => scope === 'node').length };
	}

	test('in their turn where the store is quick', async () => {
		expect(await claimsOf(5)).toMatchObject({ hasLookedAhead: false });
	});

	test('ahead of it, in few large groups, where the store is slow', async () => {
		const { hasLookedAhead, reads } = await claimsOf(400);
		expect(hasLookedAhead).toBe(true);
		expect(reads).toBeLessThan(20);
	});
});

test('what was accepted is settled soon, also while a slow request goes on', async () => {
	const world = new World();
	const { keys } = usual;
	const once = new OnceKeys(contextWith(world.store), 100, undefined, world.clock);
	await world.clock.run(
		Promise.all(keys.map(async (key) => await once.begin(key))).then(async () => {
			for (const key of keys.slice(1)) await once.accept(key);
			await world.clock.wait(1_000);
		}),
	);
	const later = runOf(world.store.copy(), 'later');
	const states = await Promise.all(keys.map(async (key) => await later.begin(key)));
	expect(states).toEqual(keys.map((_, index) => (index === 0 ? 'uncertain' : 'accepted')));
});

describe('calls of the store', () => {
	/** A request of a round in which all requests end at once. */
	let round: Promise<void> | undefined;
	const request = async () =>
		await (round ??= new Promise((resolve) => {
			setImmediate(() => {
				round = undefined;
				resolve();
			});
		}));

	/** How often the store is called for so many keys of which some are under way at once. */
	async function callsFor(store: ProcessedStore, keys: string[], width: number): Promise<number> {
		store.calls.length = 0;
		const once = new OnceKeys(contextWith(store), width, nextOf(keys));
		await forEachConcurrently(
			keys.length,
			() => width,
			async (index) => {
				const key = keys[index];
				if ((await once.begin(key)) === 'fresh') {
					await request();
					await once.accept(key);
				}
				return true;
			},
		);
		const { length } = store.calls;
		await once.finish();
		return length;
	}

	test.each([1, 10, 50])('do not grow with the requests of a round: %i at once', async (width) => {
		const keys = keysUpTo(500);
		const rounds = keys.length / width;
		expect(await callsFor(new ProcessedStore(), keys, width)).toBeLessThanOrEqual(4 * rounds + 10);
	});

	test('are none in a run that begins no key', async () => {
		const store = new ProcessedStore();
		await runOf(store).finish();
		expect(store.calls).toEqual([]);
	});

	test('are two for a new key', async () => {
		const store = new ProcessedStore();
		const once = runOf(store);
		await once.begin('key-0');
		store.calls.length = 0;
		await once.begin('key-1');
		expect(store.calls.map(({ kind }) => kind)).toEqual(['set', 'set']);
	});

	test('are few when requests end one after the other', async () => {
		const world = new World();
		await world.run({
			...usual,
			keys: keysUpTo(400),
			width: 100,
			latencies: [7, 30, 11, 23, 5, 17],
		});
		expect(world.store.calls.length).toBeLessThan(22);
	});

	test.each([
		['all', () => true, 60],
		['all but a few', (_: string, index: number) => index % 500 !== 499, 150],
	])('are few for keys of which %s were sent before', async (_name, isOld, most) => {
		const store = new ProcessedStore();
		const keys = keysUpTo(3_000);
		await callsFor(store, keys.filter(isOld), 500);
		expect(await callsFor(store, keys, 10)).toBeLessThan(most);
	});
});

describe('a key that a run settled and another one sends again before the first one ends', () => {
	async function sentAgain(settle: 'accept' | 'release') {
		const store = new ProcessedStore();
		const before = store.copy();
		const [first, second] = [runOf(store), runOf(store)];
		await first.begin('key-0');
		await first[settle]('key-0');
		await settled();
		expect(await second.begin('key-0', { forget: settle === 'accept' })).toBe('fresh');
		return { store, before, first, second };
	}

	test('is uncertain when the process dies then', async () => {
		const { store, first } = await sentAgain('accept');
		await first.finish();
		expect(await runOf(store, 'restarted').begin('key-0')).toBe('uncertain');
	});

	test('is free again when it certainly fails', async () => {
		const { store, first, second } = await sentAgain('accept');
		await second.release('key-0');
		await first.finish();
		await second.finish();
		expect(await runOf(store, 'later').begin('key-0')).toBe('fresh');
	});

	test('is not free again when it is accepted now, also where another worker overwrites it', async () => {
		const { store, before, first, second } = await sentAgain('release');
		await second.accept('key-0');
		await second.finish();
		store.overwrite(before, ['workflow']);
		await first.begin('key-1');
		expect(await runOf(store, 'later').begin('key-0')).toBe('accepted');
	});
});
