/** Executions of a node beside each other in one process. */
import { OnceKeys, resetOnceKeys } from '../../../nodes/MessagingService/memory/onceKeys';
import { ProcessedStore } from './processedStore';
import { IMPATIENT, nextOf, runOf, sendIn, settled } from './runs';
import { contextWith } from './world';

beforeEach(resetOnceKeys);

/** What a promise came to without waiting for anything else. */
async function soon<Value>(promise: Promise<Value>): Promise<Value | 'open'> {
	return await Promise.race([promise, settled().then(() => 'open' as const)]);
}

/** Makes the store take nothing away until it is told to go on. */
function holdUp(store: ProcessedStore): () => void {
	const { removeProcessed } = store;
	let goOn = () => {};
	const held = new Promise<void>((resolve) => (goOn = resolve));
	jest.spyOn(store, 'removeProcessed').mockImplementation(async (...call) => {
		await held;
		await removeProcessed.apply(store, call);
	});
	return () => goOn();
}

/** A run that looks up these keys ahead of their turn as soon as it has begun a key that was sent before. */
async function lookingAhead(store: ProcessedStore, ...keys: string[]): Promise<OnceKeys> {
	const once = new OnceKeys(contextWith(store), 10, nextOf(keys), IMPATIENT);
	expect(await once.begin('old')).toBe('accepted');
	expect(await once.begin('now')).toBe('fresh');
	return once;
}

async function storeWithOld(): Promise<ProcessedStore> {
	const store = new ProcessedStore();
	await sendIn(store, 'old');
	return store;
}

describe('a key that another execution has under way', () => {
	async function waiting() {
		const store = new ProcessedStore();
		const [one, other] = [runOf(store), runOf(store)];
		expect(await one.begin('key-0')).toBe('fresh');
		const state = other.begin('key-0');
		expect(await soon(state)).toBe('open');
		return { store, one, other, state };
	}

	test('is accepted as soon as that one says so, before the store was told', async () => {
		const { store, one, state } = await waiting();
		const goOn = holdUp(store);
		void one.accept('key-0');
		expect(await soon(state)).toBe('accepted');
		goOn();
	});

	test('is sent by one of those that wait when it failed', async () => {
		const { store, one, state } = await waiting();
		const third = runOf(store).begin('key-0');
		await one.release('key-0');
		expect(await state).toBe('fresh');
		expect(await soon(third)).toBe('open');
	});

	test('is uncertain when that one leaves it, or ends', async () => {
		for (const end of ['leave', 'finish'] as const) {
			resetOnceKeys();
			const { one, state } = await waiting();
			await one[end]('key-0');
			expect(await soon(state)).toBe('uncertain');
		}
	});

	test('is waited for also after a third execution has ended', async () => {
		const { store, one } = await waiting();
		await sendIn(store, 'key-1');
		const state = runOf(store).begin('key-0');
		expect(await soon(state)).toBe('open');
		await one.accept('key-0');
		expect(await state).toBe('accepted');
	});

	test('is waited for also when one that freed it before has ended', async () => {
		const store = new ProcessedStore();
		const one = runOf(store);
		await one.begin('key-0');
		await one.release('key-0');
		const other = runOf(store);
		expect(await other.begin('key-0')).toBe('fresh');
		await one.finish();
		const state = runOf(store).begin('key-0');
		expect(await soon(state)).toBe('open');
		await other.accept('key-0');
		expect(await state).toBe('accepted');
	});

	test('is not looked up ahead', async () => {
		const store = await storeWithOld();
		const one = runOf(store);
		await one.begin('key-0');
		const other = await lookingAhead(store, 'key-0');
		const state = other.begin('key-0');
		await one.accept('key-0');
		expect(await state).toBe('accepted');
	});

	test('is not waited for when that one may not send it, as it is in doubt', async () => {
		const store = new ProcessedStore();
		await runOf(store, 'before a restart').begin('key-0');
		expect(await runOf(store).begin('key-0')).toBe('uncertain');
		expect(await soon(runOf(store).begin('key-0'))).toBe('uncertain');
	});

	test('is another one in another node', async () => {
		await runOf(new ProcessedStore()).begin('key-0');
		const context = contextWith(new ProcessedStore(), undefined, { getNode: () => ({ id: '2' }) });
		const other = new OnceKeys(context, 10, undefined, IMPATIENT);
		expect(await soon(other.begin('key-0'))).toBe('fresh');
	});
});

test('of executions that begin a key at once, all hear that it was sent before', async () => {
	const store = await storeWithOld();
	const states = Array.from({ length: 3 }, async () => await runOf(store).begin('old'));
	expect(await Promise.all(states)).toEqual(['accepted', 'accepted', 'accepted']);
});

test.each(['now', 'ahead'])(
	'a key whose look-up fails is uncertain to those that wait: %s',
	async (key) => {
		const store = await storeWithOld();
		const one = new OnceKeys(contextWith(store), 10, nextOf(['ahead']), IMPATIENT);
		await one.begin('old');
		let other = Promise.resolve('not asked');
		jest.spyOn(store, 'checkProcessedAndRecord').mockImplementationOnce(async () => {
			other = runOf(store).begin(key);
			await settled();
			throw new Error('The database is locked');
		});
		await expect(one.begin('now')).rejects.toThrow('locked');
		expect(await other).toBe('uncertain');
		// It was not sent, and the store was not told of it.
		expect(await runOf(store).begin(key)).toBe('fresh');
	},
);

test.each(['forget', 'resend'] as const)(
	'a key with which a process died is known as soon as it was sent all the same: %s',
	async (wish) => {
		const store = new ProcessedStore();
		// It dies while it looks whether the store kept what it set.
		const wait = async () => await new Promise<never>(() => {});
		const dying = new OnceKeys(contextWith(store, 'before'), 10, undefined, { now: () => 0, wait });
		void dying.begin('key-0');
		await settled();
		const once = runOf(store);
		expect(await once.begin('key-0', { [wish]: true })).toBe('fresh');
		await once.accept('key-0');
		await settled();
		// The process dies before the run ends.
		expect(await runOf(store, 'restarted').begin('key-0')).toBe('accepted');
	},
);

describe('keys that an execution looked up ahead', () => {
	test.each([
		['forget', 'accepted'],
		['resend', 'uncertain'],
	] as const)('are sent if their turn comes meanwhile and %s is wished', async (wish, state) => {
		const store = await storeWithOld();
		const before = runOf(store, 'before a restart');
		expect(await before.begin('ahead')).toBe('fresh');
		if (state === 'accepted') {
			await before.accept('ahead');
			await before.finish();
		}
		const once = new OnceKeys(contextWith(store), 10, nextOf(['ahead']), IMPATIENT);
		await once.begin('old');
		const { checkProcessedAndRecord } = store;
		let ahead: Promise<unknown> = Promise.resolve('not asked');
		jest.spyOn(store, 'checkProcessedAndRecord').mockImplementationOnce(async (...call) => {
			ahead = once.begin('ahead', { [wish]: true });
			await settled();
			return await checkProcessedAndRecord.apply(store, call);
		});
		expect(await once.begin('now')).toBe('fresh');
		expect(await ahead).toBe('fresh');
	});

	test('are free when it ends, also for one that asks meanwhile', async () => {
		const store = await storeWithOld();
		const one = await lookingAhead(store, 'ahead', 'later');
		const other = runOf(store);
		const end = one.finish();
		expect(await other.begin('ahead')).toBe('fresh');
		await end;
		expect(await other.begin('later')).toBe('fresh');
		// The process dies.
		for (const key of ['ahead', 'later']) {
			expect(await runOf(store.copy(), 'restarted').begin(key)).toBe('uncertain');
		}
	});

	test('are free after it has ended and the process too', async () => {
		const store = await storeWithOld();
		await (await lookingAhead(store, 'ahead')).finish();
		expect(await runOf(store, 'restarted').begin('ahead')).toBe('fresh');
	});

	test('are waited for by one that asks while they are being freed', async () => {
		const store = await storeWithOld();
		const one = await lookingAhead(store, 'ahead');
		const goOn = holdUp(store);
		await one.accept('now');
		await settled();
		const end = one.finish();
		const state = runOf(store).begin('ahead');
		await settled();
		goOn();
		expect(await state).toBe('fresh');
		await end;
	});

	test('stay looked up when another one ends', async () => {
		const store = await storeWithOld();
		const one = await lookingAhead(store, 'ahead');
		await sendIn(store, 'key-0');
		const { length } = store.calls;
		expect(await one.begin('ahead')).toBe('fresh');
		expect(store.calls).toHaveLength(length);
	});

	test('are not looked up by another one too', async () => {
		const store = await storeWithOld();
		await lookingAhead(store, 'ahead');
		const { length } = store.calls;
		const other = new OnceKeys(contextWith(store), 10, nextOf(['ahead']), IMPATIENT);
		await other.begin('old');
		await other.begin('key-0');
		const marks = store.calls.slice(length).flatMap((call) => call.marks);
		expect(marks.filter((mark) => mark.endsWith('ahead'))).toEqual([]);
		expect(await other.begin('ahead')).toBe('fresh');
	});

	test('are sent once, by the first that begins them', async () => {
		const store = await storeWithOld();
		const one = await lookingAhead(store, 'ahead');
		const other = runOf(store);
		expect(await other.begin('ahead')).toBe('fresh');
		await other.accept('ahead');
		await other.finish();
		expect(await one.begin('ahead')).toBe('accepted');
	});

	test('are waited for while they are being looked up', async () => {
		const store = await storeWithOld();
		const { checkProcessedAndRecord } = store;
		let other = Promise.resolve('not asked');
		const one = new OnceKeys(contextWith(store), 10, nextOf(['ahead']), IMPATIENT);
		await one.begin('old');
		jest.spyOn(store, 'checkProcessedAndRecord').mockImplementationOnce(async (...call) => {
			other = runOf(store).begin('ahead');
			await settled();
			return await checkProcessedAndRecord.apply(store, call);
		});
		expect(await one.begin('now')).toBe('fresh');
		expect(await other).toBe('fresh');
	});
});

test('executions one after the other leave one mark for each key that was accepted', async () => {
	const store = new ProcessedStore();
	for (const key of ['key-0', 'key-1', 'key-2']) await sendIn(store, key);
	expect(store.size).toBe(3);
});

describe('in one execution', () => {
	test('a key that was accepted is not sent again, even when keys are to be forgotten', async () => {
		const store = await storeWithOld();
		const once = new OnceKeys(contextWith(store), 10, nextOf(['key-0']), IMPATIENT);
		expect(await once.begin('key-0', { forget: true })).toBe('fresh');
		await once.accept('key-0');
		expect(await once.begin('key-0', { forget: true })).toBe('accepted');
		// Would look it up ahead.
		await once.begin('old');
		await once.begin('key-1');
		expect(await once.begin('key-0', { forget: true })).toBe('accepted');
	});

	test('a key in doubt is not sent again, even when such keys are to be sent', async () => {
		const once = runOf(new ProcessedStore());
		await once.begin('key-0');
		once.leave('key-0');
		expect(await once.begin('key-0', { resend: true })).toBe('uncertain');
	});

	test.each([
		{ underWay: 1, isWaitedFor: false },
		{ underWay: 2, isWaitedFor: false },
		{ underWay: 3, isWaitedFor: true },
	])(
		'with 3 keys at most in the open, of $underWay the store is waited for: $isWaitedFor',
		async (each) => {
			const store = new ProcessedStore();
			const once = new OnceKeys(contextWith(store), 3, undefined, IMPATIENT);
			const keys = ['a', 'b', 'c'].slice(0, each.underWay);
			await Promise.all(keys.map(async (key) => await once.begin(key)));
			const goOn = holdUp(store);
			const accepted = once.accept('a').then(() => 'accepted');
			expect(await soon(accepted)).toBe(each.isWaitedFor ? 'open' : 'accepted');
			goOn();
			expect(await accepted).toBe('accepted');
		},
	);
});

describe('the end of a run', () => {
	test('fails when the store fails, and goes well when that was for a moment', async () => {
		for (const isDown of [true, false]) {
			const store = new ProcessedStore();
			const once = runOf(store, `${isDown}`);
			await once.begin('key-0');
			await once.accept('key-0');
			await settled();
			const call = jest.spyOn(store, 'checkProcessedAndRecord');
			const failure = new Error('The database is down');
			if (isDown) call.mockRejectedValue(failure);
			else call.mockRejectedValueOnce(failure);
			if (isDown) await expect(once.finish()).rejects.toBe(failure);
			else await once.finish();
		}
	});

	test('gives up after a while when another worker overwrites everything again and again', async () => {
		const store = new ProcessedStore();
		const before = store.copy();
		let waited = 0;
		const wait = async (milliseconds: number) => {
			waited += milliseconds;
			store.overwrite(before);
		};
		const once = new OnceKeys(contextWith(store), 10, undefined, { now: () => 0, wait });
		await once.begin('key-0');
		await once.accept('key-0');
		await settled();
		waited = 0;
		await once.finish();
		expect(waited).toBeGreaterThan(1_000);
		expect(waited).toBeLessThan(10_000);
	});
});
