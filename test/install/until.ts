import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;
const LONGEST_MS = 60_000;

/** Resolves when it is so; fails with what was waited for when that takes too long. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
	const deadline = Date.now() + LONGEST_MS;
	while (!(await isSo())) {
		if (Date.now() > deadline) throw new Error(`Waited too long until ${what}.`);
		await sleep(POLL_MS);
	}
}
