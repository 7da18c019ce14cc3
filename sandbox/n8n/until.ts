import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
	timeoutMs?: number;
	pollMs?: number;
	/** Breaks the wait off. */
	signal?: AbortSignal;
}

/** A wait grows with each look, up to so many times as long: each look keeps n8n busy for a fiftieth of a second. */
const LONGEST_WAIT = 10;

/** Looks again and again until something is found, and gives it; fails if that takes too long. */
export async function until<Found>(
	what: string,
	look: () => Promise<Found | undefined | false> | Found | undefined | false,
	{ timeoutMs = 60_000, pollMs = 100, signal }: Patience = {},
): Promise<Found> {
	const deadline = Date.now() + timeoutMs;
	for (let wait = pollMs; ; wait = Math.min(2 * wait, LONGEST_WAIT * pollMs)) {
		const found: Found | undefined | false = await look();
		if (found !== false && found !== undefined) return found;
		if (Date.now() > deadline) {
			throw new Error(`Waited in vain, for ${timeoutMs / 1000} s, until ${what}.`);
		}
		await sleep(wait, undefined, { signal });
	}
}
