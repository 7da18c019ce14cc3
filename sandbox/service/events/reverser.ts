import type { Timers } from './timers.ts';

/** What waits to be reversed waits no longer than this. */
const longestWaitMs = 1000;

/** Holds items back until there are so many, and releases them newest first. */
export function createReverser<Item>(
	timers: Timers,
	release: (item: Item) => void,
): (item: Item, batch: number) => void {
	let held: Item[] = [];
	const releaseAll = () => {
		const batch = held.reverse();
		held = [];
		batch.forEach(release);
	};
	return (item, batch) => {
		held.push(item);
		if (held.length >= batch) return releaseAll();
		// A batch that begins later meanwhile is released with this one, which does no harm.
		if (held.length === 1) timers.after(longestWaitMs, releaseAll);
	};
}
