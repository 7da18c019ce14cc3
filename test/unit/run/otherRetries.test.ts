import { InDoubt } from '../../../nodes/MessagingService/run/journal';
import { OtherRetries } from '../../../nodes/MessagingService/run/otherRetries';
import type { Output } from '../../../nodes/MessagingService/resources/operation';
import { ProcessedStore } from '../memory/processedStore';
import { contextWith } from '../memory/world';

interface Setting {
	mode?: string;
	establishedAt?: number;
	store?: ProcessedStore;
}

function others({ mode = 'retry', establishedAt = 1, store = new ProcessedStore() }: Setting = {}) {
	const warn = jest.fn();
	const more = {
		getMode: () => mode,
		getExecutionContext: () => ({ establishedAt }),
		logger: { warn },
	};
	return { found: OtherRetries.of(contextWith(store, 'workflow', more)), warn };
}

function retry(setting: Setting = {}): OtherRetries {
	const { found } = others(setting);
	if (!found) throw new Error('This is no retry');
	return found;
}

/** Handles an item in a retry, and tells what other retries had made of it. */
async function send(setting: Setting, name: string, execute?: () => Promise<Output>) {
	const begun = await retry(setting).begin(name);
	if (execute)
		await retry(setting)
			.handle(begun, execute)
			.catch(() => {});
	return begun.state;
}

const accept = async () => ({ accepted: true });
const refuse = async () => {
	throw new Error('refused');
};
const breakOff = async () => {
	throw new InDoubt({ reason: 'It broke off', execution: '1' });
};

test.each(['manual', 'trigger', 'webhook'])('an execution of the mode "%s" is no retry', (mode) => {
	expect(others({ mode }).found).toBeUndefined();
});

test.each([
	['what was accepted is done', accept, 'done'],
	['what was refused may be sent', refuse, 'untouched'],
	[
		'what came out as uncertain may be asked for again',
		async () => ({ uncertain: true }),
		'untouched',
	],
	['what broke off is in doubt', breakOff, 'inDoubt'],
	['what was under way when the process died is in doubt', undefined, 'inDoubt'],
])('%s', async (_name, execute, state) => {
	const store = new ProcessedStore();
	expect(await send({ store }, 'item', execute)).toBe('untouched');
	// Looking changes nothing.
	for (let looks = 0; looks < 2; looks++) {
		const found = await retry({ store: store.copy() }).begin('item');
		expect(found.state).toBe(state);
	}
	expect(await send({ store }, 'item')).toBe(state);
	if (state === 'done') expect(await send({ store }, 'item')).toBe(state);
});

test('what another retry left in doubt stays so when it is refused now, and is done when it is accepted', async () => {
	const store = new ProcessedStore();
	await send({ store }, 'item', breakOff);
	expect(await send({ store }, 'item', refuse)).toBe('inDoubt');
	expect(await send({ store }, 'item', accept)).toBe('inDoubt');
	expect(await send({ store }, 'item')).toBe('done');
});

test('retries of another execution have nothing to do with it', async () => {
	const store = new ProcessedStore();
	await send({ store }, 'item', accept);
	expect(await send({ store, establishedAt: 2 }, 'item')).toBe('untouched');
});

test('items that begin together cost one call of the store', async () => {
	const store = new ProcessedStore();
	const one = retry({ store });
	await Promise.all(Array.from({ length: 100 }, (_, index) => one.begin(`item ${index}`)));
	expect(store.calls).toHaveLength(1);
});

test('two retries at once do not both get an item', async () => {
	const store = new ProcessedStore();
	const states = await Promise.all([send({ store }, 'item'), send({ store }, 'item')]);
	expect(states.sort()).toEqual(['inDoubt', 'untouched']);
});

test('a store that fails before an item is sent fails it, and afterwards leaves it in doubt', async () => {
	const store = new ProcessedStore();
	const { found, warn } = others({ store });
	const failing = new Error('database is locked');
	jest.spyOn(store, 'checkProcessedAndRecord').mockRejectedValueOnce(failing);
	await expect(found?.begin('item')).rejects.toThrow(failing);

	const begun = await found?.begin('item');
	jest.spyOn(store, 'removeProcessed').mockRejectedValueOnce(failing);
	expect(begun && (await found?.handle(begun, accept))).toEqual({ accepted: true });
	expect(warn).toHaveBeenCalledTimes(1);
	expect(await send({ store }, 'item')).toBe('inDoubt');
});
