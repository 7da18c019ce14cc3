import { OnceKeys } from '../../../nodes/MessagingService/memory/onceKeys';
import type { ProcessedStore } from './processedStore';
import { contextWith } from './world';

/** A clock by which nothing takes time. */
export const IMPATIENT = { now: () => 0, wait: async () => {} };

/** A run of which nothing waits. */
export const runOf = (store: ProcessedStore, workflow?: string) =>
	new OnceKeys(contextWith(store, workflow), 10, undefined, IMPATIENT);

/** Gives the keys one after the other, some at a time. */
export function nextOf(keys: string[]) {
	const left = [...keys];
	return async (count: number) => left.splice(0, count);
}

/** Lets everything happen that waits for no time. */
export const settled = async () => await new Promise((resolve) => setImmediate(resolve));

/** A run that sends one key. */
export async function sendIn(store: ProcessedStore, key: string): Promise<void> {
	const once = runOf(store);
	await once.begin(key);
	await once.accept(key);
	await once.finish();
}
